# SPDX-License-Identifier: BSD-3-Clause
"""The commands in gdb, and inferiors as processes that mqshow can read."""

import contextlib
import itertools
import re
import struct

import gdb

from . import arguments, backtrace, handles, run, stepping
from .arguments import Problem

_REGISTERS = 72  # of the order of packets; of the others mqshow needs these
_OTHERS = "orig_rax", "fs_base"
_AUXV = re.compile(r"^(\d+)\s.*?\s(0x[0-9a-f]+|\d+)(?:\s+\".*)?$", re.MULTILINE)
ERRORS = (gdb.error, gdb.MemoryError, RuntimeError)
_NO_PROCESS = ("no process; attach to one with \"attach PID\", or open a core with "
               "\"core-file FILE\"")


@contextlib.contextmanager
def selection_kept():
    """Restores what is selected, and gdb's language: names are C's while we look things up."""
    inferior, thread, frame = gdb.selected_inferior(), gdb.selected_thread(), None
    with contextlib.suppress(gdb.error):
        frame = gdb.selected_frame()
    language = gdb.parameter("language")
    try:
        gdb.execute("set language c", to_string=True)
        yield
    finally:
        gdb.execute("set language %s" % language, to_string=True)
        with contextlib.suppress(gdb.error):
            if thread is not None and thread.is_valid():
                thread.switch()
            elif inferior.is_valid() and inferior.num != gdb.selected_inferior().num:
                gdb.execute("inferior %d" % inferior.num, to_string=True)
            if frame is not None and frame.is_valid():
                frame.select()


class Process:
    """An inferior."""

    def __init__(self, inferior):
        self._inferior, self.pid = inferior, inferior.pid
        self._threads = {thread.ptid[1] or thread.ptid[2] or inferior.pid: thread
                         for thread in sorted(inferior.threads(), key=lambda thread: thread.num)}
        self.name, self.program = "inferior %d" % inferior.num, inferior.progspace.filename
        if self.program is not None:  # of another mount namespace
            self.program = re.sub("^target:", "", self.program)

    def full_name(self):
        return "%s (pid %d)" % (self.name, self.pid)

    def runs(self):
        return any(thread.is_running() for thread in self._threads.values())

    def numbers(self):
        return {tid: "gdb %d.%d" % (self._inferior.num, thread.num)
                for tid, thread in self._threads.items()}

    def _enter(self):
        if gdb.selected_inferior().num != self._inferior.num:
            next(iter(self._threads.values())).switch()

    def read(self, addr, size):
        self._enter()
        return self._inferior.read_memory(addr, size)

    def auxv(self):
        self._enter()
        form = "=QQ" if gdb.lookup_type("char").pointer().sizeof == 8 else "=II"
        rows = _AUXV.findall(gdb.execute("info auxv", to_string=True))
        return b"".join(struct.pack(form, int(key), int(value, 0)) for key, value in rows)

    def threads(self):
        return [(tid, thread.name) for tid, thread in self._threads.items()]

    @staticmethod
    def _values(frame):
        """Registers by their names: the first ones in gdb's order, which is that of packets, then those
        that gdb does not list."""
        for register in itertools.islice(frame.architecture().registers(), _REGISTERS):
            yield register.name, frame.read_register(register.name)
        with contextlib.suppress(gdb.error, ValueError):
            for name in _OTHERS:
                value = frame.read_register(name)
                int(value)  # it has one
                yield name, value

    def described(self):
        """Names and bytes of the registers."""
        self._enter()
        return [(name, value.type.sizeof) for name, value in self._values(gdb.newest_frame())]

    def registers(self, tid):
        self._threads[tid].switch()
        ret = b""
        for _, value in self._values(gdb.newest_frame()):
            size, number = value.type.sizeof, 0
            with contextlib.suppress(gdb.error, ValueError, OverflowError):
                if value.type.strip_typedefs().code != gdb.TYPE_CODE_FLT:
                    number = int(value)
            ret += (number & (1 << 8 * size) - 1).to_bytes(size, "little" if _IS_LITTLE else "big")
        return ret


_IS_LITTLE = struct.pack("=H", 1) == b"\1\0"


class _Library(gdb.Parameter):
    """Library that the commands "mpi" and "omp" use.

Without it: what the environment variable MQS_OMPD_DLL of gdb names, else libmqs_ompd.so as it is
installed."""

    set_doc = "Set the library that the commands \"mpi\" and \"omp\" use."
    show_doc = "Show the library that the commands \"mpi\" and \"omp\" use."

    def __init__(self):
        super().__init__("mqs-ompd-library", gdb.COMMAND_SUPPORT, gdb.PARAM_OPTIONAL_FILENAME)

    def get_set_string(self):
        return ""

    def get_show_string(self, value):
        return "The library is %s." % (value or "the one that is installed")


def _write(text):
    """Prints a text, with what gdb's character set lacks as escapes."""
    try:
        gdb.write(text)
    except UnicodeError:
        gdb.write(text.encode("ascii", "backslashreplace").decode("ascii"))


def _processes():
    """The inferiors that have a process or a core, by their numbers."""
    found = {inferior.num: Process(inferior) for inferior in gdb.inferiors()
             if inferior.pid != 0 and inferior.threads()}
    if not found:
        raise Problem(_NO_PROCESS)
    return found


class _Prefix(gdb.Command):
    """A word before other commands; without one of them it lists what there is."""

    def __init__(self, name):
        self.__doc__, self._name = arguments.GROUPS[name], name
        super().__init__(name, gdb.COMMAND_STATUS, gdb.COMPLETE_NONE, True)

    def invoke(self, argument, _from_tty):
        if argument.strip():
            raise gdb.GdbError("unknown command \"%s %s\"; \"help %s\" lists the commands" %
                               (self._name, argument.split()[0], self._name))
        gdb.execute("help " + self._name)


class _Command(gdb.Command):
    """A command that mqshow answers."""

    def __init__(self, command, library):
        self.__doc__, self._command, self._library = command.help, command, library
        super().__init__(command.name, gdb.COMMAND_STATUS)

    def complete(self, text, word):
        return self._command.complete(text, word)

    def invoke(self, argument, _from_tty):
        try:
            words = gdb.string_to_argv(argument)
            self._command.read(words)
            with selection_kept():
                text = run.show(self._command, words, _processes(), ERRORS, self._library.value)
        except Problem as problem:
            raise gdb.GdbError(str(problem))
        except gdb.error as error:
            raise gdb.GdbError("%s: %s" % (self._command.name, error))
        _write(text)


class _Backtrace(gdb.Command):
    """Print the backtrace of the selected thread without the frames of the OpenMP runtime.

Usage: omp bt [ARGUMENT]...

Behind them are those of the code that began the parallel region, which are in the thread that
began it, and so on for the regions around it, unless a number of frames is given.
Arguments are those of "backtrace", except -no-filters. Functions that the compiler has taken out
of the program for regions and tasks have the names of those that they stand in. The frame filter
"openmp" does it; "enable frame-filter global openmp" makes "backtrace" do the same always."""

    def __init__(self, library):
        super().__init__("omp bt", gdb.COMMAND_STACK, gdb.COMPLETE_SYMBOL)
        self._library, self._filter = library, backtrace.RuntimeFilter()

    def _heading(self, thread):
        process = Process(thread.inferior)
        if process.runs():
            raise Problem("%s is running; stop it first, with \"interrupt -a\"" % process.full_name())
        with selection_kept():
            return run.heading(thread.ptid[1], [process], ERRORS, run.library(self._library.value))

    def _show_beginnings(self, thread, argument):
        """The frames of the code that began the regions around the thread, in other threads."""
        others = {one.ptid[1]: one for one in thread.inferior.threads()}
        beginnings = run.beginnings(thread.ptid[1], [Process(thread.inferior)], ERRORS,
                                    run.library(self._library.value))
        with selection_kept():
            for beginning in beginnings:
                if beginning.tid not in others:
                    return
                function = backtrace.first_function()
                others[beginning.tid].switch()
                _write(run.number_threads(beginning.text, [Process(thread.inferior)]))
                self._filter.backtrace_behind_fork(argument, function, beginning.level)

    def invoke(self, argument, _from_tty):
        thread = gdb.selected_thread()
        if thread is None:
            raise gdb.GdbError("omp bt: no thread is selected; attach to a process with "
                               "\"attach PID\", or open a core with \"core-file FILE\"")
        if "-no-f" in argument:
            raise gdb.GdbError("omp bt: its frame filter cannot be switched off; \"backtrace\" "
                               "shows all frames")
        try:
            _write(self._heading(thread))
            self._filter.backtrace(argument)
            # A number of frames is one of this thread's.
            if not re.search(r"(^|\s)-?\d", argument):
                self._show_beginnings(thread, argument)
        except (gdb.error, Problem) as error:
            raise gdb.GdbError("omp bt: %s" % error)


class _Step(gdb.Command):
    """Step the selected thread to another source line of the program, as "step" does, also into the
code of parallel regions and tasks.

Usage: omp step

The OpenMP runtime calls that code, and "step" passes over it where the runtime has no debug
information. Behind the last line of a region or task the thread goes on in the program's code
that the runtime returns to or calls next."""

    def __init__(self):
        super().__init__("omp step", gdb.COMMAND_RUNNING, gdb.COMPLETE_NONE)

    def invoke(self, argument, _from_tty):
        thread = gdb.selected_thread()
        if argument:
            raise gdb.GdbError("omp step: takes no arguments")
        if thread is None:
            raise gdb.GdbError("omp step: no thread is selected; start the program with \"run\", or attach to "
                               "a process with \"attach PID\"")
        try:
            stepping.step(thread)
        except (gdb.error, Problem) as error:
            raise gdb.GdbError("omp step: %s" % error)


def register():
    library = _Library()
    for name in arguments.GROUPS:
        _Prefix(name)
    for command in arguments.COMMANDS:
        _Command(command, library)
    _Backtrace(library)
    _Step()
    handles.register(library, Process, selection_kept, ERRORS)
