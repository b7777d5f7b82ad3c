# SPDX-License-Identifier: BSD-3-Clause
"""gdb's "step" into the code that a compiler took out of a function for regions and tasks."""

import gdb

from .arguments import Problem
from .backtrace import is_users, outlined

_TURNS_MAX = 16  # a task behind a task behind a barrier ...


class _Entries:
    """Breakpoints of one thread where the code of regions and tasks of a function begins."""

    def __init__(self, thread, frame):
        self._made = []
        for addr in outlined(frame) if frame is not None else ():
            made = gdb.Breakpoint("*%#x" % addr, internal=True)
            made.silent, made.thread = True, thread.num
            self._made.append(made)

    def __enter__(self):
        gdb.events.stop.connect(self._note)
        self.was_foreign = False
        return self

    def __exit__(self, *_error):
        gdb.events.stop.disconnect(self._note)
        for made in self._made:
            made.delete()

    def _note(self, event):
        """Whether something else than the end of a step ended it: a breakpoint of the user, a signal."""
        hit = getattr(event, "breakpoints", [])
        self.was_foreign |= isinstance(event, gdb.SignalEvent) or any(
            one.number not in [made.number for made in self._made] for one in hit)


def _is_in_lines(frame):
    return is_users(frame) and frame.find_sal().symtab is not None and frame.find_sal().line > 0


def _is_in_code(frame):
    """Whether a frame is within the lines of the program, and has not only been called."""
    function = frame.function()
    return _is_in_lines(frame) and (function is None or frame.pc() != int(function.value().address))


def _split(frame):
    """The innermost frame of the program's lines, and the one that it has called; None: there is none."""
    inner = None
    while frame is not None and not _is_in_lines(frame):
        inner, frame = frame, frame.older()
    return frame, inner


def _go_on():
    """To another line, of whatever it may be."""
    frame, inner = _split(gdb.newest_frame())
    if frame is None:
        raise Problem("this thread has left the program's code; \"continue\" goes on")
    if inner is not None:
        inner.select()
        gdb.execute("finish")
    gdb.execute("step")


def step(thread):
    """Steps the selected thread to another line of the program's code."""
    frame, _inner = _split(gdb.newest_frame())
    with _Entries(thread, frame) as entries:
        for _ in range(_TURNS_MAX):
            _go_on()
            if entries.was_foreign or not thread.is_valid() or _is_in_code(gdb.newest_frame()):
                return
