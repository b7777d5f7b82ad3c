# SPDX-License-Identifier: BSD-3-Clause
"""The JSON document "mqs-ompd/1" of the inferiors: what mqshow prints, out of gdb."""

import gdb

from . import awaits, frames, inferiors, labels, library, openmp_json, session
from .text import escape

SCHEMA = "mqs-ompd/1"


class Wanted:
    """What of a process is asked for."""

    def __init__(self, mpi=False, openmp=False, icvs=False, stacks=False):
        self.mpi, self.openmp, self.icvs, self.stacks = mpi, openmp, icvs, stacks


class Entry:
    """A process of the document, and what the text says beyond it."""

    def __init__(self, inferior):
        self.inferior = inferior
        self.process = {"pid": inferior.pid, "communicators": [], "messages": []}
        self.transport = None
        self.has_mpi = self.has_openmp = False
        self.numbers = {thread.ptid[1]: "%d.%d" % (inferior.num, thread.num)
                        for thread in inferior.threads()}

    def heading(self):
        rank = "rank %d   " % self.process["rank"] if "rank" in self.process else ""
        image = self.process.get("image", "?").rsplit("/", 1)[-1]
        return "inferior %d   %spid %d   %s" % (self.inferior.num, rank, self.inferior.pid, image)


def _add_mpi(entry, seen):
    found = seen.look_at_mpi()
    entry.has_mpi, entry.transport = found["has_mpi"], found.get("transport")
    if "mpi" in found:
        entry.process["mpi"] = found["mpi"]
    entry.process["communicators"] = found["communicators"]
    entry.process["messages"] += found["messages"]


def _add_openmp(entry, seen, icvs):
    found = seen.look_at_openmp(icvs)
    entry.has_openmp = found is not None
    if found is not None:
        entry.process["openmp"] = openmp_json.member(found, icvs)
    entry.process["messages"] += seen.openmp_messages()


def _add_stacks(entry, inferior):
    threads, parts = [], {}
    for thread in inferiors.threads(inferior):
        told, part = frames.thread_json(thread)
        threads.append(told)
        if part is not None:
            parts[told["tid"]] = part
    owners = {thread.get("tid"): thread.get("id")
              for thread in entry.process.get("openmp", {}).get("threads", ())}
    for thread in threads:
        if owners.get(thread["tid"]):
            thread["openmp"] = owners[thread["tid"]]
    entry.process["threads"] = sorted(threads, key=lambda thread: thread["tid"])
    awaits.add(inferior, entry.process, parts)


def entry_of(inferior, wanted):
    """Looks at an inferior. Its process stands still, or gdb.GdbError says what to do."""
    inferiors.enter(inferior)
    entry, seen = Entry(inferior), session.get(inferior)
    entry.process["image"] = escape(inferior.progspace.filename or "?")
    if wanted.mpi:
        _add_mpi(entry, seen)
    if wanted.openmp:
        _add_openmp(entry, seen, wanted.icvs)
    if wanted.stacks:
        _add_stacks(entry, inferior)
    if seen.rank() >= 0:
        entry.process["rank"] = seen.rank()
    return entry


def _of_rank(inferior):
    """The rank of an inferior; -1 when it has none."""
    inferiors.enter(inferior)
    return session.get(inferior).rank()


def gather(chosen, ranks, wanted):
    """Looks at all of them.
    @param ranks a set, or None for all
    @return the entries, and what went wrong with the others"""
    entries, problems = [], []
    with inferiors.selection_kept():
        for inferior in chosen:
            try:
                if ranks is None or _of_rank(inferior) in ranks:
                    entries.append(entry_of(inferior, wanted))
            except gdb.GdbError as error:
                problems.append(str(error))
            except gdb.error as error:
                problems.append("%s: %s" % (inferiors.name(inferior), escape(str(error))))
    labels.add(library.loaded, [entry.process for entry in entries])
    return entries, problems


def whole(entries, problems):
    """The document; "messages" has what went wrong with other processes."""
    ret = {"schema": SCHEMA, "processes": [entry.process for entry in entries]}
    return dict(ret, messages=problems) if problems else ret
