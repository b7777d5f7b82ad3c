# SPDX-License-Identifier: BSD-3-Clause
"""What mqshow says of MPI handles, kept until the processes go on."""

import json

from . import run

# Types of MPI, by their names in C, to the kinds of handle that mqshow knows.
KINDS = {"MPI_Comm": "communicator", "MPI_Group": "group", "MPI_Datatype": "datatype", "MPI_Request": "request",
         "MPI_Win": "window", "MPI_File": "file", "MPI_Op": "op", "MPI_Errhandler": "errhandler", "MPI_Info": "info",
         "MPI_Message": "message", "MPI_Session": "session", "MPI_Status": "status"}
# Those of the module mpi_f08, as debuggers write them.
FORTRAN = {form % name.lower(): kind for name, kind in KINDS.items() for form in ("type(%s)", "%s")}
NAMES = set(KINDS.values()) | {"comm keyval", "type keyval", "win keyval"}
WORD = (1 << 64) - 1
NO_TYPE = "%s is no type of MPI; name the kind: communicator, datatype, request, ..."

HELP = """Show what an MPI handle is.

Usage: mpi handle EXPRESSION [KIND]

The kind is that of the expression's type: MPI_Comm, MPI_Request, ... Of a number it must be named:
communicator, group, datatype, request, window, file, op, errhandler, info or message. %s"""


def split(argument):
    """Expression, and kind or None, of the words behind "mpi handle"."""
    words = argument.rsplit(None, 1)
    return (words[0], words[1]) if len(words) == 2 and words[1] in NAMES else (argument, None)


def line(kind, value, fortran, text):
    """What "mpi handle" prints."""
    return "%s %s: %s\n" % (kind, value if fortran else "%#x" % (value & WORD), text or "nothing is known of it")


class Answers:
    """What is known of handles since clear()."""

    def __init__(self):
        self.clear()

    def clear(self, _event=None):
        self._texts, self._listed = {}, set()

    def _ask(self, process, errors, dll, words):
        text, _ = run.mqshow(["--dll", run.library(dll), "--json", "--only", "handles"] + words, [process], errors)
        for report in json.loads(text).get("processes", []):
            for handle in report.get("handles", []):
                yield handle.get("kind"), int(handle.get("handle", "0"), 0), handle.get("text")

    def find(self, process, errors, dll, kind, value, fortran):
        """The line about a handle; None: nothing is known of it. All objects are asked for at once, as a
        variable is seldom printed alone; only a handle that is none of them is asked for by itself."""
        key = process.pid, kind, value, fortran
        if key[0] not in self._listed and not fortran and kind != "status":
            self._listed.add(key[0])
            for its_kind, its_value, text in self._ask(process, errors, dll, ["--handles", "--all"]):
                self._texts[key[0], its_kind, its_value, False] = text
        if key not in self._texts:
            word = "%s:%s%d" % (kind, "f" if fortran else "", value)
            answers = list(self._ask(process, errors, dll, ["--handle", word]))
            self._texts[key] = answers[0][2] if answers else None
        return self._texts[key]
