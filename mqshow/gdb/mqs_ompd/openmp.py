# SPDX-License-Identifier: BSD-3-Clause
"""Asking the library about OpenMP: threads, regions, tasks and control variables as they are."""

import ctypes

from . import abi, inferiors, pidmap, places
from .abi import OMP
from .text import escape

_RECORDS_MAX, _ICVS_MAX = 1000000, 1000


class Seen:
    """The OpenMP side of a process. Records are in the order of their numbers."""

    def __init__(self):
        self.info = None
        self.threads, self.regions, self.tasks = [], None, None
        self.others = None  # ids of threads that are not the runtime's
        self.icvs = None    # (scope, number, name, value)
        self.places = {}    # address -> places.Place

    def _by_number(self, records):
        return {record.number: record for record in records or ()}

    def index(self):
        self.thread = self._by_number(self.threads)
        self.region = self._by_number(self.regions)
        self.task = self._by_number(self.tasks)

    def look_at_icvs(self, look):
        self.icvs = []
        if not look.has("mqs_omp_setup_icv_iterator", "mqs_omp_next_icv"):
            return
        owners = [("process", 0)]
        for scope in ("threads", "regions", "tasks"):
            owners += [(scope, record.number) for record in getattr(self, scope) or ()]
        for scope, number in owners:
            if not _add_icvs(look, scope, number, self.icvs):
                return


def _add_icvs(look, scope, number, icvs):
    """Adds the variables of one owner; false when it makes no sense to ask on."""
    code = look.call("mqs_omp_setup_icv_iterator", abi.SCOPES[scope], number)
    for _ in range(_ICVS_MAX):
        if code != abi.OK:
            break
        icv = abi.room(abi.OmpIcv)
        code = look.call("mqs_omp_next_icv", ctypes.byref(icv))
        if code == abi.OK:
            value = (escape(icv.text) if icv.known & abi.ICV_TEXT else
                     icv.value if icv.known & abi.ICV_VALUE else None)
            icvs.append((scope, number, escape(icv.name), value))
    look.failure("OpenMP control variables", code)
    return code in (abi.OK, abi.END_OF_LIST)


def _records(look, what, setup, step, record):
    """The records of an iterator, sorted; None when the library has nothing of the kind."""
    if not look.has(setup[0], step):
        return None
    records = []
    code = look.call(*setup)
    if code != abi.OK:
        look.failure(what, code)
        return None
    while code == abi.OK and len(records) < _RECORDS_MAX:
        filled = abi.room(record)
        code = look.call(step, ctypes.byref(filled))
        if code == abi.OK:
            records.append(filled)
    look.failure(what, code)
    return sorted(records, key=lambda item: item.number)


def _translate(threads, inferior):
    """The runtime knows its threads by the numbers of the process's own PID namespace."""
    numbers = pidmap.of_threads(inferior)
    for thread in threads if numbers is not None else ():
        if thread.known & OMP["TID"]:
            thread.tid = numbers.get(thread.tid, 0)
        if not thread.tid:
            thread.known &= ~OMP["TID"]


def _others(seen, inferior):
    """The threads of the process that are not the runtime's, if these can be told apart."""
    if not all(thread.known & OMP["TID"] for thread in seen.threads):
        return None
    own = {thread.tid for thread in seen.threads}
    return sorted({thread.ptid[1] for thread in inferior.threads()} - own)


def look(asked):
    """All but the control variables; None in a process without OpenMP."""
    if not asked.has("mqs_omp_process_has_openmp", "mqs_omp_setup_thread_iterator",
                     "mqs_omp_next_thread"):
        return None
    if not asked.ask("mqs_omp_process_has_openmp", "OpenMP")[0]:
        return None
    seen = Seen()
    seen.info = asked.record("mqs_omp_get_info", abi.OmpInfo)
    seen.threads = _records(asked, "OpenMP threads", ("mqs_omp_setup_thread_iterator",),
                            "mqs_omp_next_thread", abi.OmpThread) or []
    _translate(seen.threads, asked.inferior)
    seen.regions = _records(asked, "OpenMP regions", ("mqs_omp_setup_region_iterator", abi.ALL),
                            "mqs_omp_next_region", abi.OmpRegion)
    seen.tasks = _records(asked, "OpenMP tasks", ("mqs_omp_setup_task_iterator", abi.ALL_TASKS, 0),
                          "mqs_omp_next_task", abi.OmpTask)
    seen.index()
    seen.others = _others(seen, asked.inferior)
    places.find(seen, asked.inferior)
    inferiors.enter(asked.inferior)
    return seen


# How the records hang together.

def is_idle(thread):
    """Whether a thread waits between regions."""
    if thread.known & OMP["STATE"]:
        return thread.state_name == b"idle"
    return bool(thread.known & OMP["REGION"]) and thread.region == abi.NONE


def is_outermost(region):
    """Whether a region is the one around the whole program."""
    return bool(region.known & OMP["LEVEL"]) and region.level == 0


def is_explicit(task):
    return bool(task.flags_known & abi.TASK["implicit"]) and not task.flags & abi.TASK["implicit"]


def stack(seen, thread, told):
    """The task that a thread executes and those that it has interrupted. A task that was told
    already would come round for ever."""
    tasks = []
    task = seen.task.get(thread.task) if thread.known & OMP["TASK"] else None
    while task is not None and task.number not in told:
        told.add(task.number)
        tasks.append(task)
        task = seen.task.get(task.scheduling) if task.known & OMP["SCHEDULING"] else None
    return tasks


def members(seen, region):
    """Threads of a region with their numbers in it, None when that is not known, in their order."""
    found = {}
    for thread in seen.threads:
        if thread.known & OMP["REGION"] and thread.region == region.number and not is_idle(thread):
            num = thread.thread_num if thread.known & OMP["THREAD_NUM"] else None
            found.setdefault(thread.number, num)
    # Of the threads that are in nested regions the implicit tasks tell, and who started those.
    needed = OMP["REGION"] | OMP["THREAD"] | OMP["THREAD_NUM"]
    for task in seen.tasks or ():
        if task.known & needed == needed and task.region == region.number:
            found.setdefault(task.thread, task.thread_num)
    if region.known & OMP["PRIMARY"]:
        found.setdefault(region.primary, 0)
    needed = OMP["PARENT"] | OMP["PRIMARY"]
    for nested in seen.regions or ():
        if nested.known & needed == needed and nested.parent == region.number:
            found.setdefault(nested.primary, None)
    pairs = [(seen.thread[number], num) for number, num in found.items() if number in seen.thread]
    return sorted(pairs, key=lambda pair: (pair[1] is None, pair[1] or 0, pair[0].number))
