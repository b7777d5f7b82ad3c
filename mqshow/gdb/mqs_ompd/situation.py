# SPDX-License-Identifier: BSD-3-Clause
"""In which call each thread is, and what the operations of a rank wait for: in words."""

from . import frames, show_mpi, show_openmp
from .text import base_name

_QUEUES = ("receives", "sends")


def _frame(thread):
    frame = thread.get("frame", {})
    words = "in " + frame["function"] if "function" in frame else ""
    if "file" in frame:
        words += " at %s:%d" % (base_name(frame["file"]), frame["line"])
    return words.strip()


def _is_in_runtime(thread):
    """Whether the OpenMP runtime is at work for the user's innermost function."""
    inner = []
    for frame in thread.get("stack", ()):
        if frame.get("file", "?") == thread.get("frame", {}).get("file"):
            break
        inner.append(base_name(frame.get("module", "")))
    return any(frames.is_openmp_module(module) for module in inner)


def call(thread):
    """"MPI_Recv in exchange at ring.c:17"; "" of a thread that nothing is known of."""
    what = thread.get("call") or ("OpenMP runtime" if _is_in_runtime(thread) else "")
    return " ".join(words for words in (what, _frame(thread)) if words) if _frame(thread) else \
        thread.get("call", "")


def of_thread(process, thread):
    """Like call() with what OpenMP knows of the thread."""
    words = call(thread)
    for other in process.get("openmp", {}).get("threads", ()):
        if other.get("id") == thread.get("openmp", ""):
            if show_openmp.is_idle(other):
                return ""
            lock = show_openmp.waits_for(other)
            words += ", waits for " + lock if lock else ""
    return words


def of_process(process):
    """What ranks of one group have in common: calls of the threads and collectives."""
    calls = [of_thread(process, thread) for thread in process.get("threads", ())]
    counted = {}
    for words in calls:
        if words:
            counted[words] = counted.get(words, 0) + 1
    said = ["%s%s" % (words, " (%d threads)" % number if number > 1 else "")
            for words, number in sorted(counted.items())]
    for comm in process["communicators"]:
        said += ["%s in progress on %s" % (collective["name"], comm["label"])
                 for collective in comm.get("collectives", ())]
    return said or ["nothing is known"]


def waits(process):
    """What the operations of a rank wait for, one row each: those that a thread is seen to wait for,
    or else all that are pending."""
    pending = [(comm, key, op) for comm in process["communicators"] for key in _QUEUES
               for op in comm.get(key, ()) if op.get("status") != "complete"]
    blocked = [row for row in pending if row[2].get("blocked")]
    return [show_mpi.operation(op, key)[:-1] + ("on " + comm["label"],)
            for comm, key, op in blocked or pending]
