# SPDX-License-Identifier: BSD-3-Clause
"""The commands "mpi ...": communicators, queues, ranks by what they do, who waits for whom."""

import gdb

from . import document, show_mpi, situation, text, verdict
from .command import Command, Prefix
from .document import Wanted

_NO_MPI = ("it has not loaded an MPI library that is known; attach to one of the processes that "
           "mpirun has started")


class Mpi(Prefix):
    """MPI of the debugged processes: communicators, message queues, who waits for whom.

The processes of all inferiors are shown, live or from cores. They must stand still.
Options of all these commands:
  --json            print JSON as mqshow does
  --inferior LIST   only these inferiors, like 1-3,5
  --rank LIST       only these ranks in MPI_COMM_WORLD"""

    name = "mpi"


class _OfComms(Command):
    """Commands about communicators."""

    options = {"--comm": True}
    wanted = Wanted(mpi=True)
    subject, advice = "MPI", _NO_MPI

    def has_subject(self, entry):
        return entry.has_mpi

    def narrow(self, arguments, entries):
        comm = arguments.values.get("--comm")
        if comm is None:
            return
        found = False
        for entry in entries:
            kept = [one for one in entry.process["communicators"]
                    if comm in (one["label"], one["name"], str(one["id"]))]
            found = found or bool(kept)
            entry.process["communicators"] = kept
        if not found:
            raise gdb.GdbError("%s: no communicator has the label, the name or the id \"%s\"; \"mpi comms\" "
                               "lists them" % (self.name, text.escape(comm)))

    def show(self, entries, arguments):
        last = None
        for entry in entries:
            words = show_mpi.heading(dict(entry.process, transport=entry.transport))
            if words != last:
                text.write_lines([words] if words else [])
            last = words
            text.write_lines([entry.heading()] + self.lines(entry.process))
            self.notes(entry)


class Comms(_OfComms):
    """List the communicators of the processes.

Usage: mpi comms [--comm LABEL|ID] [--rank LIST] [--inferior LIST] [--json]

A line for each communicator: its label, its size, the rank of the process in it, and how many
operations are pending on it."""

    name = "mpi comms"

    def lines(self, process):
        return show_mpi.comms(process)


class Queues(_OfComms):
    """List the pending receives, unexpected messages and pending sends.

Usage: mpi queues [--comm LABEL|ID] [--rank LIST] [--inferior LIST] [--json]

A line for each operation: its kind, the rank of the other process in the communicator (and in
MPI_COMM_WORLD), the tag, the data, its size, and its state. Receives are in the order in which
they will match."""

    name = "mpi queues"

    def lines(self, process):
        return show_mpi.queues(process)


class Group(Command):
    """Group the ranks by what they do.

Usage: mpi group [--rank LIST] [--inferior LIST] [--json]

Ranks whose threads are in the same MPI calls, made from the same places, are one group. Idle
threads of OpenMP do not count."""

    name = "mpi group"
    wanted = Wanted(mpi=True, openmp=True, stacks=True)
    subject, advice = "MPI", _NO_MPI

    def has_subject(self, entry):
        return entry.has_mpi

    def show(self, entries, arguments):
        groups = {}
        for entry in entries:
            groups.setdefault(tuple(situation.of_process(entry.process)), []).append(entry)
        for said, members in groups.items():
            ranks = [entry.process["rank"] for entry in members if "rank" in entry.process]
            others = [entry.inferior.num for entry in members if "rank" not in entry.process]
            words = ["[%s]" % text.ranges(ranks)] * bool(ranks)
            words += ["inferiors %s of unknown rank" % text.ranges(others)] * bool(others)
            words = [" and ".join(words), text.count(len(members), "process", "processes")]
            text.write_lines(["   ".join(words)] + ["  " + line for line in said])
        for entry in entries:
            self.notes(entry)


class WaitFor(Command):
    """Show who waits for whom, and whether that can end.

Usage: mpi waitfor [--rank LIST] [--inferior LIST] [--json]

The verdict is that of "mqshow merge" on what gdb sees of the processes that are debugged: with
only some ranks of a job it can be but a part of the truth. Without mqshow, each rank's calls and
the operations that they wait for are listed."""

    name = "mpi waitfor"
    wanted = Wanted(mpi=True, openmp=True, stacks=True)
    subject, advice = "MPI", _NO_MPI

    def has_subject(self, entry):
        return entry.has_mpi

    def json(self, entries, problems):
        plain = super().json(entries, problems)
        judged, problem = verdict.judge(plain, True)
        return judged if judged is not None else super().json(entries, problems + [problem])

    def show(self, entries, given):
        judged, problem = verdict.judge(document.whole(entries, []), False)
        if judged is not None:
            text.write(judged)
            return
        for entry in entries:
            calls = [words for words in situation.of_process(entry.process)]
            rows = text.columns(situation.waits(entry.process), 4)
            text.write_lines([entry.heading()] + ["  " + words for words in calls] + rows)
            self.notes(entry)
        text.write_lines(["note: " + problem])


def register():
    for command in (Mpi, Comms, Queues, Group, WaitFor):
        command()
