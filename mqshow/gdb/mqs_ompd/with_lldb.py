# SPDX-License-Identifier: BSD-3-Clause
"""The commands in lldb, and its targets as processes that mqshow can read."""

import shlex

import lldb

from . import answers, arguments, lldb_handles, run
from .arguments import Problem
from .runtimes import behind_fork, outermost, without_runtime

ERRORS = (OSError,)
_NO_PROCESS = ("no process; attach to one with \"process attach --pid PID\", or open a core "
               "with \"target create --core FILE\"")
# In the order of packets, by the architecture's name; then those that not every lldb has.
_REGISTERS = {
    "x86_64": ("rax rbx rcx rdx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip").split(),
    "aarch64": ["x%d" % i for i in range(29)] + ["fp", "lr", "sp", "pc"],
}
_OTHERS = "orig_rax", "fs_base"
_VECTOR_MAX = 1 << 16  # words of arguments, environment and auxiliary vector


class Process:
    """The process of a target."""

    def __init__(self, number, target):
        self._number, self._target, self._process = number, target, target.GetProcess()
        self.pid = self._process.GetProcessID()
        self.name = "target %d" % number
        executable = target.GetExecutable()
        self.program = "%s/%s" % (executable.GetDirectory(), executable.GetFilename())

    def full_name(self):
        return "%s (pid %d)" % (self.name, self.pid)

    def runs(self):
        return self._process.GetState() not in (lldb.eStateStopped, lldb.eStateCrashed,
                                                lldb.eStateSuspended)

    def numbers(self):
        return {thread.GetThreadID(): "lldb %d" % thread.GetIndexID() for thread in self._process}

    def read(self, addr, size):
        error = lldb.SBError()
        # A core lacks what its files hold: the target reads that there.
        data = self._target.ReadMemory(lldb.SBAddress(addr, self._target), size, error)
        if not error.Success() or data is None:
            raise OSError(str(error))
        return data

    def _word(self, addr):
        size = self._process.GetAddressByteSize()
        return int.from_bytes(self.read(addr, size), "little")

    def auxv(self):
        """It lies behind arguments and environment, above where the dynamic linker saw the stack
        begin."""
        size, found = self._process.GetAddressByteSize(), b""
        places = [context.GetSymbol().GetStartAddress().GetLoadAddress(self._target)
                  for context in self._target.FindSymbols("__libc_stack_end")]
        places = [place for place in places if place != lldb.LLDB_INVALID_ADDRESS]
        if not places:
            return b""
        at = self._word(places[0])
        at += (self._word(at) + 2) * size
        for _ in range(_VECTOR_MAX):
            at += size
            if self._word(at - size) == 0:
                break
        for _ in range(_VECTOR_MAX):
            row = self.read(at, 2 * size)
            at, found = at + 2 * size, found + row
            if not any(row[:size]):
                break
        return found

    def threads(self):
        return [(thread.GetThreadID(), thread.GetName()) for thread in self._process]

    def _registers(self, thread):
        frame = thread.GetFrameAtIndex(0)
        names = _REGISTERS[self._target.GetTriple().split("-")[0]]
        found = [(name, frame.FindRegister(name)) for name in (*names, *_OTHERS)]
        return [(name, register) for name, register in found if name in names or register.IsValid()]

    def described(self):
        """Names and bytes of the registers."""
        size = self._process.GetAddressByteSize()
        return [(name, size) for name, _ in self._registers(self._process.GetThreadAtIndex(0))]

    def registers(self, tid):
        size, thread = self._process.GetAddressByteSize(), self._process.GetThreadByID(tid)
        return b"".join(register.GetValueAsUnsigned().to_bytes(size, "little")
                        for _, register in self._registers(thread))


def _processes(debugger):
    found = {}
    for i in range(debugger.GetNumTargets()):
        target = debugger.GetTargetAtIndex(i)
        if target.GetProcess().IsValid() and target.GetProcess().GetNumThreads() > 0:
            found[i] = Process(i, target)
    if not found:
        raise Problem(_NO_PROCESS)
    return found


def _backtrace(debugger, words):
    """The frames of the selected thread but for those of the OpenMP runtime and of the start of
    threads, and what OpenMP knows of it."""
    if words:
        raise Problem("omp bt: takes no arguments in lldb; \"thread backtrace\" shows all frames")
    thread = debugger.GetSelectedTarget().GetProcess().GetSelectedThread()
    if not thread.IsValid():
        raise Problem("omp bt: no thread is selected; attach to a process with \"process attach --pid "
                      "PID\", or open a core with \"target create --core FILE\"")
    standing = [process for process in _processes(debugger).values() if not process.runs()]
    heading = run.heading(thread.GetThreadID(), standing, ERRORS, None)
    program = debugger.GetSelectedTarget().GetExecutable().GetFilename()

    def module_of(frame):
        name = frame.GetModule().GetFileSpec().GetFilename() or ""
        return "" if name == program else name

    def name_of(frame):
        return frame.GetFunctionName()

    def show(frames):
        return "".join("  %s\n" % frame for frame in without_runtime(frames, module_of, name_of))
    text, frames = heading + show(thread), list(thread)
    for beginning in run.beginnings(thread.GetThreadID(), standing, ERRORS, None):
        function = outermost(frames, module_of, name_of)
        frames = list(debugger.GetSelectedTarget().GetProcess().GetThreadByID(beginning.tid))
        text += beginning.text + show(behind_fork(frames, module_of, name_of, function, beginning.level))
    return text


def _run_command(debugger, group, words):
    name = "%s %s" % (group, words[0] if words else "")
    if not words:
        names = [command.name for command in arguments.COMMANDS if command.name.startswith(group)]
        names += ["omp bt"] if group == "omp" else ["mpi handle"]
        return "%s\n\nThe commands: %s\n" % (arguments.GROUPS[group], ", ".join(names))
    if name == "mpi handle":
        if words[1:] in ([], ["--help"]):
            return answers.HELP % ("Variables are shown\nlikewise; \"type category disable %s\" ends that.\n" %
                                   lldb_handles.CATEGORY)
        return lldb_handles.command(debugger, " ".join(words[1:]), Process, ERRORS)
    if name == "omp bt":
        return _backtrace(debugger, words[1:])
    for command in arguments.COMMANDS:
        if command.name == name:
            if words[1:] == ["--help"]:
                return command.help + "\n"
            command.read(words[1:])
            return run.show(command, words[1:], _processes(debugger), ERRORS, None)
    raise Problem("unknown command \"%s\"; \"%s\" lists the commands" % (name, group))


class _Group:
    """A command "mpi" or "omp" with the words behind it."""

    name = ""

    def __init__(self, debugger, _internal):
        self._debugger = debugger

    def __call__(self, debugger, command, _context, result):
        try:
            result.PutCString(_run_command(debugger, self.name, shlex.split(command)).rstrip("\n"))
        except (Problem, ValueError) as problem:
            result.SetError(str(problem))

    def get_short_help(self):
        return arguments.GROUPS[self.name].split("\n")[0]

    def get_long_help(self):
        return arguments.GROUPS[self.name]


class Mpi(_Group):
    name = "mpi"


class Omp(_Group):
    name = "omp"


def register(debugger):
    for group in (Mpi, Omp):
        debugger.HandleCommand("command script add -o -c %s.%s %s" % (__name__, group.__name__, group.name))
    lldb_handles.register(debugger)
