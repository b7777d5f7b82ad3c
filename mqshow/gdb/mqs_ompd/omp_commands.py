# SPDX-License-Identifier: BSD-3-Clause
"""The commands "omp ...": threads, regions, tasks, control variables, backtraces."""

import gdb

from . import document, frames, inferiors, show_openmp, text
from .command import Command, Prefix
from .document import Wanted

_NO_OPENMP = "it has not loaded a runtime that is known, LLVM's libomp or GNU's libgomp"


class Omp(Prefix):
    """OpenMP of the debugged processes: threads, parallel regions, tasks, control variables.

The processes of all inferiors are shown, live or from cores. They must stand still.
Options of all these commands but "omp bt":
  --json            print JSON as mqshow does
  --inferior LIST   only these inferiors, like 1-3,5
  --rank LIST       only these ranks in MPI_COMM_WORLD"""

    name = "omp"


class _OfOpenmp(Command):
    """Commands about OpenMP."""

    options = {"--all": False}
    wanted = Wanted(openmp=True)
    subject, advice = "OpenMP", _NO_OPENMP

    def has_subject(self, entry):
        return entry.has_openmp

    def show(self, entries, arguments):
        for entry in entries:
            omp = entry.process["openmp"]
            text.write_lines([entry.heading(), show_openmp.heading(omp)])
            text.write_lines(self.lines(omp, entry.numbers, arguments.has("--all")))
            self.notes(entry)


class Threads(_OfOpenmp):
    """List the threads of the OpenMP runtime.

Usage: omp threads [--rank LIST] [--inferior LIST] [--json]

A line for each: gdb's number of it, its id in the operating system, its number in its team, the
parallel region, its state, the lock or critical construct that it waits for, and the explicit task
that it executes."""

    name = "omp threads"
    options = {}

    def lines(self, omp, numbers, _all):
        return show_openmp.threads(omp, numbers)


class Regions(_OfOpenmp):
    """Show the parallel regions as a tree with the threads of their teams.

Usage: omp regions [--all] [--rank LIST] [--inferior LIST] [--json]

A region that a thread of the team has started stands below that thread. With --all the region
around the whole program is shown as well."""

    name = "omp regions"

    def lines(self, omp, numbers, everything):
        return show_openmp.regions(omp, numbers, everything)


class Tasks(_OfOpenmp):
    """List the explicit tasks that threads execute or have interrupted, and what generated them.

Usage: omp tasks [--all] [--rank LIST] [--inferior LIST] [--json]

With --all the implicit tasks are listed, too."""

    name = "omp tasks"

    def lines(self, omp, _numbers, everything):
        return show_openmp.tasks(omp, everything)


class Icvs(_OfOpenmp):
    """List OpenMP's internal control variables of the process, the regions, threads and tasks.

Usage: omp icvs [--rank LIST] [--inferior LIST] [--json]"""

    name = "omp icvs"
    options = {}
    wanted = Wanted(openmp=True, icvs=True)

    def lines(self, omp, _numbers, _all):
        return show_openmp.icvs(omp)


class Backtrace(gdb.Command):
    """Print the backtrace of the selected thread without the frames of the OpenMP runtime.

Usage: omp bt [ARGUMENT]...

Arguments are those of "backtrace", except -no-filters. Functions that the compiler has taken out
of the program for regions and tasks have the names of those that they stand in. The frame filter
"openmp" does it; "enable frame-filter global openmp" makes "backtrace" do the same always."""

    name = "omp bt"

    def __init__(self):
        super().__init__(self.name, gdb.COMMAND_STACK, gdb.COMPLETE_SYMBOL)
        self._filter = frames.RuntimeFilter()

    def _heading(self, thread):
        """What OpenMP knows of the thread; "" when that is nothing."""
        entry = None
        with inferiors.selection_kept():
            entry = document.entry_of(thread.inferior, Wanted(openmp=True))
        for known in entry.process.get("openmp", {}).get("threads", ()):
            if known.get("tid") == thread.ptid[1]:
                omp = entry.process["openmp"]
                words = [show_openmp.thread_text(omp, known), show_openmp.state(known),
                         show_openmp.waits_for(known)]
                return "OpenMP %s\n" % ", ".join(dict.fromkeys(word for word in words if word))
        return ""

    def invoke(self, argument, _from_tty):
        thread = gdb.selected_thread()
        if thread is None:
            raise gdb.GdbError("omp bt: no thread is selected; attach to a process with "
                               "\"attach PID\", or open a core with \"core-file FILE\"")
        if "-no-f" in argument:
            raise gdb.GdbError("omp bt: it is a filter that leaves out the runtime's frames; "
                               "\"backtrace\" shows all")
        try:
            text.write(self._heading(thread))
            frames.backtrace(self._filter, argument)
        except gdb.error as error:
            raise gdb.GdbError("omp bt: %s" % text.escape(str(error)))


def register():
    for command in (Omp, Threads, Regions, Tasks, Icvs, Backtrace):
        command()
