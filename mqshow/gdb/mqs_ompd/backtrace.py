# SPDX-License-Identifier: BSD-3-Clause
"""gdb's backtraces without the frames of the OpenMP runtime."""

import contextlib
import re

import gdb
from gdb.FrameDecorator import FrameDecorator

from . import runtimes
from .runtimes import behind_fork, outermost, without_runtime

# What compilers put into the names of functions that they make of OpenMP regions and tasks.
_MARK = re.compile(r"( \[clone )?(\.omp_|\.omp\.|\._omp_)")
_SUFFIX = re.compile(r"\.(constprop\.|part\.|isra\.|cold|lto_priv\.|llvm\.|[0-9]).*", re.DOTALL)
_DEPTH_MAX = 16


def _module(frame):
    """Base name of the shared object that a frame is in; "" in the program itself."""
    return (gdb.solib_name(frame.pc()) or "").rsplit("/", 1)[-1]


def _name_at(pc):
    """The innermost function of the user around an address, and else the line of the directive that
    the outermost of those was taken out for."""
    line, block = None, gdb.block_for_pc(pc)
    while block is not None and not block.is_global and not block.is_static:
        name = block.function.name if block.function is not None else None
        if name and not _MARK.search(name):
            return name, line
        if name:
            line = gdb.find_pc_line(block.start).line or line
        block = block.superblock
    return None, line


def _function_of_line(table, line, depth=_DEPTH_MAX):
    """The user's function that the line of a directive stands in: all code of that line belongs to
    it, but for what was taken out of it. A directive within another one's code is in the function
    of that one."""
    around = None
    for entry in (table.line(line) if depth and table.has_line(line) else None) or ():
        name, outer = _name_at(entry.pc)
        if name:
            return name
        around = outer if outer != line else around
    return _function_of_line(table, around, depth - 1) if around else None


def _function_at(addr):
    """The user's function that the code which begins at an address was taken out of."""
    where = gdb.find_pc_line(addr)
    if where.symtab is None or where.line <= 0:
        return None
    # Of several lines that begin here, that of a directive is the first.
    table = where.symtab.linetable()
    lines = [entry.line for entry in table if entry.pc == addr and entry.line > 0]
    return _function_of_line(table, min(lines, default=where.line))


def _demangled(name):
    """gdb does not demangle what has a suffix of the compiler."""
    return gdb.execute("demangle " + name, to_string=True).strip() if re.match(r"_Z\w+\Z", name) else name


def _user_function(name, function, pc):
    """Name of the user's function that a function was taken out of; its own, when it was not.
    @param function its symbol; None: `pc` is in it"""
    mark = _MARK.search(name)
    if mark is None:
        return name
    around, found = _demangled(_SUFFIX.sub("", name[:mark.start()])), None
    with contextlib.suppress(gdb.error, AttributeError, RuntimeError):
        found = None if around else _function_at(
            gdb.block_for_pc(function.value().address).start if function else pc)
    return around or found or name


def _function_around(frame):
    """Name of the user's function that a frame's function was taken out of."""
    return _user_function(frame.name(), frame.function(), frame.pc())


def _functions_of_file(frame):
    """Blocks of the functions of the source file of a frame, in order of their addresses."""
    table, end = frame.find_sal().symtab, 0
    for pc in sorted({entry.pc for entry in table.linetable()}) if table is not None else ():
        block, function = gdb.block_for_pc(pc) if pc >= end else None, None
        # One that was taken out of another can be a block of that one, elsewhere; inlined ones are within.
        while block is not None and block.start <= pc < block.end:
            function = block if block.function is not None else function
            block = block.superblock
        if function is not None:
            end = function.end
            yield function


def outlined(frame):
    """Addresses of the code that the compiler took out of the user's function of a frame."""
    function = frame.function()
    if function is None:
        return []
    own = _user_function(function.name, function, frame.pc())  # with its parameters, in C++
    functions = {block.function.name: block for block in _functions_of_file(frame)}
    # A function that only calls the one that has its code is left out.
    return [block.start for name, block in functions.items()
            if _MARK.search(name) and name + "_debug__" not in functions
            and _user_function(name, block.function, block.start) == own]


def is_users(frame):
    """Whether a frame is of the program's own code."""
    return runtimes.is_users(frame, _module, gdb.Frame.name)


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
        return "%s [OpenMP %s]" % (_function_around(self._frame), self._part)

    def frame_args(self):
        given = super().frame_args() or []
        return [one for one in given if not _is_hidden(one.symbol())] if self._part else given


def _part(frame):
    """"region" or "task" when the compiler took the frame's function out of the program; ""."""
    name = frame.name() if frame is not None else None
    if not isinstance(name, str) or not _MARK.search(name):
        return ""
    return "task" if "task" in name else "region"


def _wraps(outer, inner):
    """Whether a function that was taken out only calls the one that has its code."""
    is_inside = inner.type() == gdb.INLINE_FRAME or "_debug__" in inner.name()
    return bool(_part(outer)) and is_inside


def _module_of(decorated):
    return _module(decorated.inferior_frame())


def _name_of(decorated):
    return decorated.inferior_frame().name()


class RuntimeFilter:
    """The frame filter "openmp": leaves out the frames of the OpenMP runtime and of the start of
    threads."""

    def __init__(self):
        self.name, self.priority, self.enabled = "openmp", 50, False
        self._cut = None  # what the frames of a thread are cut to
        gdb.frame_filters[self.name] = self

    def filter(self, iterator):
        wrapper = None
        for decorated in without_runtime(
                self._cut(iterator) if self._cut else iterator, _module_of, _name_of):
            frame = decorated.inferior_frame()
            if wrapper is not None and frame == wrapper:
                wrapper = None
                continue
            part, outer = _part(frame), frame.older()
            if part and outer is not None and _wraps(outer, frame):
                part, wrapper = _part(outer), outer
            yield _Decorator(decorated, part)

    def backtrace(self, words, cut=None):
        """gdb's own backtrace of the selected thread through the filter."""
        was_enabled, self.enabled, self._cut = self.enabled, True, cut
        try:
            gdb.execute("backtrace " + words)
        finally:
            self.enabled, self._cut = was_enabled, None

    def backtrace_behind_fork(self, words, function, level):
        """Of the selected thread, which has begun a region, the frames of the code that began it."""
        self.backtrace(words, lambda frames: behind_fork(frames, _module_of, _name_of, function, level))


def first_function():
    """Name of the function in which the selected thread began the user's code."""
    frame, frames = gdb.newest_frame(), []
    while frame is not None:
        frames.append(frame)
        frame = frame.older()
    return outermost(frames, _module, gdb.Frame.name)
