# SPDX-License-Identifier: BSD-3-Clause
"""Stacks: the MPI call that a thread is in, the user's frame that made it, and backtraces without
the frames of the runtimes."""

import contextlib
import re

import gdb
from gdb.FrameDecorator import FrameDecorator

from . import awaits, callsite, names, places, symbols
from .text import base_name, escape

_OPENMP = re.compile(r"lib(i?omp5?|gomp)[.-]|libomp\b")
_MPI = re.compile(r"lib(p?mpi|mpich\w*|mpifort|mpicxx|open-\w+|open_mpi|pmi2?|pmix|uc[cmpst]|fabric|"
                  r"psm\w*|hcoll\w*|event(_\w+)?)[._-]|mca_\w+\.so")
_C = re.compile(r"(libc|libm|libpthread|ld-linux[-\w]*|ld)[-.]|linux-vdso")
_CALL = re.compile(r"P?(MPIX?_[A-Z][a-z0-9_]\w*|MPI_T_\w+)$")
_FORTRAN = re.compile(r"p?(mpix?)_([a-z0-9_]+?)(_f08ts|_f08|_f)?_*$", re.IGNORECASE)
_STARTERS = ("start_thread", "clone", "clone3", "__clone", "__clone3", "_start", "__libc_start_main",
             "__libc_start_call_main", "__libc_start_main_impl")


def module(frame):
    """Base name of the shared object that a frame is in; "" in the program itself."""
    return base_name(gdb.solib_name(frame.pc()) or "")


def mpi_call(name):
    """The public name of an MPI function; None: it is none."""
    found = _CALL.match(name or "")
    if found:
        return found.group(1)
    found = _FORTRAN.match(name or "")
    if found:
        return found.group(1).upper() + "_" + found.group(2).capitalize()
    return None


def is_openmp_module(name):
    return bool(_OPENMP.match(name))


def is_c_module(name):
    return bool(_C.match(name))


def is_users_module(name):
    return not (_OPENMP.match(name) or _MPI.match(name) or _C.match(name))


def is_openmp_frame(frame):
    return is_openmp_module(module(frame))


def _is_users(frame):
    return is_users_module(module(frame)) and (frame.name() or "") not in _STARTERS


def _is_starter(frame):
    return frame.name() in _STARTERS and module(frame) != ""


def _symbol(frame):
    """What compiler and linker call the function of a frame; None: not known."""
    function = frame.function()
    if frame.type() == gdb.INLINE_FRAME and function is not None:
        # gdb makes one up where debug information has none.
        name = function.linkage_name
        return name if name and name.startswith("_Z") else None
    return symbols.symbol_at(frame.pc())[0] or frame.name()


def _frame(frame):
    ret, symbol, name = {}, _symbol(frame), frame.name()
    # gdb's names of inlined functions are whole, those of lambdas are not.
    if name and (not symbol or not symbol.startswith(("_Z", "__"))):
        ret["function"] = names.readable(name)
    elif symbol:
        ret["function"] = names.readable(symbol)
    where = frame.find_sal()
    if where.symtab is not None and where.line > 0:
        ret["file"], ret["line"] = escape(where.symtab.fullname()), where.line
        if ret.get("function") is None:
            ret["function"] = places.of_code(_entry(frame)).function
    if symbol and ret.get("function") != symbol:
        ret["symbol"] = escape(symbol)
    return {key: value for key, value in ret.items() if value is not None}


def _entry(frame):
    function = frame.function()
    with contextlib.suppress(gdb.error, AttributeError, RuntimeError):
        return gdb.block_for_pc(function.value().address).start if function else frame.pc()
    return frame.pc()


def _full(frame):
    ret = _frame(frame)
    place = gdb.solib_name(frame.pc())
    ret["module"] = escape(place if place else gdb.current_progspace().filename or "?")
    ret["address"] = "0x%x" % frame.pc()
    return ret


def _called_by(frame):
    """The MPI function that a frame calls, which may have jumped to another one and be on no stack
    then; None: not known."""
    target = callsite.target(frame.pc())
    name = symbols.symbol_at(target)[0] if target is not None else None
    return mpi_call(name)


def _owner(stack):
    """The runtime that started a thread, when it is followed to its end."""
    for place, name in reversed(stack):
        if not _C.match(place) and name not in _STARTERS:
            return "MPI" if _MPI.match(place) else "OpenMP" if _OPENMP.match(place) else None
    return None


def _sp(frame):
    return int(frame.read_register("sp")) & symbols.MASK


class _Thread:
    """A stack that is gone through from its innermost frame on."""

    def __init__(self):
        self.call = self.users = self.last = self.caller_sp = None
        self.stack, self.places, self.sp, self.registers = [], [], None, []

    def add(self, frame):
        place, inner = module(frame), self.places[-1][0] if self.places else ""
        call = mpi_call(frame.name())
        if call and (_MPI.match(place) or not frame.function()):
            self.call, self.users = call, None
        elif self.users is None and _is_users(frame):
            self.call = (_called_by(frame) if _MPI.match(inner) else None) or self.call
            self.users = _frame(frame)
        if _MPI.match(inner) and not _MPI.match(place):
            self.caller_sp = _sp(frame)
        if self.sp is None:
            frame.select()
            self.sp, self.registers = _sp(frame), awaits.registers()
        self.places.append((place, frame.name()))
        self.stack.append(_full(frame))
        self.last = frame

    def is_complete(self):
        return self.last is not None and self.last.unwind_stop_reason() in (
            gdb.FRAME_UNWIND_NO_REASON, gdb.FRAME_UNWIND_OUTERMOST)

    def owner(self):
        return _owner(self.places) if self.is_complete() else None

    def part(self):
        """The part of the stack that is MPI's; None: there is none."""
        if self.caller_sp is None or self.sp is None:
            return None
        return awaits.part(self.sp, self.caller_sp, self.registers)


def thread_json(thread):
    """A thread with its stack, as in the member "threads" of the document, and the part of the stack
    that is MPI's."""
    seen, ret = _Thread(), {"tid": thread.ptid[1]}
    for frame in places.frames(thread):
        seen.add(frame)
    owner = seen.owner()
    if thread.name:
        ret["name"] = escape(thread.name)
    if seen.call:
        ret["call"] = seen.call
    if seen.users and owner != "MPI":
        ret["frame"] = seen.users
    elif not seen.call and owner:
        ret["runtime"] = owner
    ret["stack"], ret["stack_complete"] = seen.stack, seen.is_complete()
    return ret, seen.part()


def _is_hidden(name):
    """Whether an argument is the compiler's."""
    return str(name).startswith((".", "__context"))


class _Decorator(FrameDecorator):
    """A frame with the name of the user's function instead of the compiler's for an OpenMP part."""

    def __init__(self, decorated, part):
        super().__init__(decorated)
        self._frame, self._part = decorated.inferior_frame(), part

    def function(self):
        if not self._part:
            return super().function()
        place = places.of_code(_entry(self._frame))
        return "%s [OpenMP %s]" % (place.function or names.readable(self._frame.name()), self._part)

    def frame_args(self):
        given = super().frame_args() or []
        return [one for one in given if not _is_hidden(one.symbol())] if self._part else given


def _part(frame):
    """"region" or "task" when the compiler took the frame's function out of the program; ""."""
    name = frame.name() if frame is not None else None
    if not isinstance(name, str) or names.mark_in(name) < 0:
        return ""
    return "task" if "task" in name else "region"


def _wraps(outer, inner):
    """Whether a function that was taken out only calls the one that has its code."""
    is_inside = inner.type() == gdb.INLINE_FRAME or "_debug__" in inner.name()
    return bool(_part(outer)) and is_inside


class RuntimeFilter:
    """The frame filter "openmp": leaves out the frames of the OpenMP runtime and of the start of
    threads."""

    def __init__(self):
        self.name, self.priority, self.enabled = "openmp", 50, False
        gdb.frame_filters[self.name] = self

    def filter(self, iterator):
        held, wrapper = [], None  # frames of the C library, which a runtime may have called
        for decorated in iterator:
            frame = decorated.inferior_frame()
            if wrapper is not None and frame == wrapper:
                wrapper = None
            elif is_openmp_frame(frame):
                held = []
            elif _is_starter(frame):
                continue
            elif _C.match(module(frame)):
                held.append(decorated)
            else:
                part, outer = _part(frame), frame.older()
                if part and outer is not None and _wraps(outer, frame):
                    part, wrapper = _part(outer), outer
                for inner in held:
                    yield inner
                held = []
                yield _Decorator(decorated, part)
        for inner in held:
            yield inner


def backtrace(runtime_filter, arguments):
    """gdb's own backtrace of the selected thread through the filter."""
    was_enabled, runtime_filter.enabled = runtime_filter.enabled, True
    try:
        gdb.execute("backtrace " + arguments)
    finally:
        runtime_filter.enabled = was_enabled
