# SPDX-License-Identifier: BSD-3-Clause
"""The OpenMP side of a process as the member "openmp" of the JSON document."""

import ctypes

from . import abi, openmp, show_openmp
from .abi import OMP
from .text import escape


def _texts(record, *names):
    return {name: escape(getattr(record, name)) for name in names if getattr(record, name)}


def _numbers(record, *names):
    return {name: getattr(record, name) for name in names if record.known & OMP[name.upper()]}


def _set_reference(ret, key, known, number, records):
    """A reference to another record by its id; null when there is none."""
    if not known:
        return
    if number == abi.NONE:
        ret[key] = None
    elif number in records and records[number].id:
        ret[key] = escape(records[number].id)


def _set_function(ret, seen, record):
    if not record.known & OMP["FUNCTION"] or not record.function:
        return
    place = seen.places.get(record.function)
    function = {"address": "0x%x" % record.function}
    if place is not None:
        texts = {"symbol": place.symbol if place.offset == 0 else None, "name": place.function,
                 "file": place.file, "line": place.line}
        function.update((key, text) for key, text in texts.items() if text is not None)
    ret["function"] = function


def _set_tool_data(ret, record):
    # Runtimes do not tell a tool that attached nothing from no tool.
    if record.known & OMP["TOOL_DATA"] and (record.tool_value or record.tool_ptr):
        ret["tool_data"] = {"value": "0x%x" % record.tool_value, "address": "0x%x" % record.tool_ptr}


def _region(seen, region):
    known = region.known
    ret = _texts(region, "id")
    _set_reference(ret, "parent", known & OMP["PARENT"], region.parent, seen.region)
    _set_reference(ret, "primary", known & OMP["PRIMARY"], region.primary, seen.thread)
    ret.update(_numbers(region, "team_size", "level", "active_level"))
    _set_function(ret, seen, region)
    if known & OMP["TASK_COUNTS"]:
        ret.update(tasks_queued=region.tasks_queued, tasks_running=region.tasks_running)
    _set_tool_data(ret, region)
    ret.update(_texts(region, "note"))
    return ret


def _set_frames(ret, task):
    for name in ("exit_frame", "enter_frame"):
        if getattr(task, name):
            ret[name] = "0x%x" % getattr(task, name)
    for name in ("exit_flags", "enter_flags"):
        if getattr(task, name):
            ret[name] = getattr(task, name)


def _task(seen, task):
    known = task.known
    ret = _texts(task, "id")
    _set_reference(ret, "region", known & OMP["REGION"], task.region, seen.region)
    _set_reference(ret, "thread", known & OMP["THREAD"], task.thread, seen.thread)
    _set_reference(ret, "generating", known & OMP["GENERATING"], task.generating, seen.task)
    _set_reference(ret, "scheduling", known & OMP["SCHEDULING"], task.scheduling, seen.task)
    ret.update(_numbers(task, "thread_num"))
    ret.update((name, task.flags & flag != 0) for name, flag in abi.TASK.items()
               if task.flags_known & flag)
    _set_function(ret, seen, task)
    if known & OMP["FRAMES"]:
        _set_frames(ret, task)
    _set_tool_data(ret, task)
    ret.update(_texts(task, "note"))
    return ret


def _set_awaited(ret, seen, thread):
    if not thread.known & OMP["WAIT_ID"]:
        return
    ret["wait_id"] = ctypes.c_int64(thread.wait_id).value
    place = seen.places.get(thread.wait_id)
    if place is not None and place.symbol is not None:
        ret["waits_for"] = {"symbol": place.symbol, "offset": place.offset}
        name = show_openmp.name_awaited(ret)
        if name:
            ret["waits_for"]["name"] = name


def _thread(seen, thread, told):
    known = thread.known
    ret = _texts(thread, "id")
    ret.update(_numbers(thread, "tid"))
    if known & OMP["PTHREAD"]:
        ret["pthread"] = "0x%x" % thread.pthread
    _set_reference(ret, "region", known & OMP["REGION"], thread.region, seen.region)
    ret.update(_numbers(thread, "thread_num", "team_size", "level", "active_level"))
    if known & OMP["STATE"]:
        ret["state_number"] = thread.state
        if thread.state_name:
            ret["state"] = escape(thread.state_name)
    _set_awaited(ret, seen, thread)
    if known & OMP["TASK"]:
        ret["tasks"] = [_task(seen, task) for task in openmp.stack(seen, thread, told)]
    _set_tool_data(ret, thread)
    ret.update(_texts(thread, "note"))
    return ret


def _icvs(seen):
    ret = {"process": {}, "regions": [], "threads": [], "tasks": []}
    owners = {}
    records = {"threads": seen.thread, "regions": seen.region, "tasks": seen.task}
    for scope, number, name, value in seen.icvs:
        if scope == "process":
            values = ret["process"]
        else:
            if (scope, number) not in owners:
                owners[scope, number] = dict(_texts(records[scope][number], "id"), values={})
                ret[scope].append(owners[scope, number])
            values = owners[scope, number]["values"]
        values[name] = value
    return ret


def member(seen, icvs=False):
    info = seen.info
    ret = {} if info is None else _texts(info, "runtime", "release", "backend")
    if info is not None:
        ret["state_tracking"] = info.state_tracking != 0
        if info.omp_version:
            ret["omp_version"] = info.omp_version
    told = set()
    if seen.regions is not None:
        ret["regions"] = [_region(seen, region) for region in seen.regions]
    ret["threads"] = [_thread(seen, thread, told) for thread in seen.threads]
    if seen.tasks is not None:
        ret["tasks"] = [_task(seen, task) for task in seen.tasks if task.number not in told]
    if seen.others is not None:
        ret["other_threads"] = seen.others
    if icvs and seen.icvs is not None:
        ret["icvs"] = _icvs(seen)
    return ret
