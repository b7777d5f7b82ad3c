# SPDX-License-Identifier: BSD-3-Clause
"""Going through inferiors and threads, and leaving the user's selection as it was."""

import contextlib

import gdb


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


def name(inferior):
    return "inferior %d (pid %d)" % (inferior.num, inferior.pid)


def threads(inferior):
    """The threads in the order of their numbers."""
    return sorted(inferior.threads(), key=lambda thread: thread.num)


def enter(inferior):
    """Makes an inferior the current one; its process must stand still."""
    all_threads = threads(inferior)
    if not all_threads:
        raise gdb.GdbError("%s has no threads; is it still there?" % name(inferior))
    if any(thread.is_running() for thread in all_threads):
        raise gdb.GdbError("%s is running; stop it first, with \"interrupt -a\"" % name(inferior))
    all_threads[0].switch()


def with_process():
    """The inferiors that have a process or a core."""
    found = [inferior for inferior in gdb.inferiors() if inferior.pid != 0]
    if not found:
        raise gdb.GdbError("there is no process; attach to one with \"attach PID\", or open a core "
                           "with \"core-file FILE\"")
    return sorted(found, key=lambda inferior: inferior.num)
