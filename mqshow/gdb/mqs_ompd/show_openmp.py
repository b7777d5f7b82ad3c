# SPDX-License-Identifier: BSD-3-Clause
"""The OpenMP side of a process for people, from its JSON."""

from . import names, text

_DEPTH_MAX = 100
_FLAGS = ("untied", "final", "undeferred", "complete", "in_taskwait", "in_taskgroup_end")
# What threads wait for, by the beginning of the state's name; None: nothing that has a name.
_AWAITED = (("wait_barrier", None), ("wait_task", None), ("wait_lock", "lock"),
            ("wait_mutex", "lock"), ("wait_critical", "lock"), ("wait_atomic", "lock"),
            ("wait_ordered", "ordered"), ("wait_", "object"))
_CRITICAL = ".gomp_critical_user_"


class _Index:
    """The records by their ids."""

    def __init__(self, omp):
        self.regions = {region.get("id"): region for region in omp.get("regions", ())}
        self.threads = {thread.get("id"): thread for thread in omp["threads"]}
        self.tasks = {task.get("id"): task for task in all_tasks(omp)}


def all_tasks(omp):
    tasks = [task for thread in omp["threads"] for task in thread.get("tasks", ())]
    return tasks + list(omp.get("tasks", ()))


def heading(omp):
    words = " ".join(omp[key] for key in ("runtime", "release") if key in omp)
    words += " (%s)" % omp["backend"] if "backend" in omp else ""
    return "  OpenMP   %s   %s" % (words, text.count(len(omp["threads"]), "thread"))


def _short_code(function):
    if "file" in function:
        return "%s:%d" % (text.base_name(function["file"]), function["line"])
    return function.get("name", function["address"])


def code(record):
    """"at ring.c:14 in work"; "" when the function is not known."""
    function = record.get("function")
    if function is None:
        return ""
    if "name" in function and "file" not in function:
        return "in " + function["name"]
    return "at " + _short_code(function) + (" in " + function["name"] if "name" in function else "")


def _region_text(region):
    words = "initial region" if region.get("level") == 0 else "region"
    words = " ".join([words] + [code(region)] * bool(code(region)))
    words += "   team of %s, level %s" % (region.get("team_size", "?"), region.get("level", "?"))
    if region.get("tasks_queued") or region.get("tasks_running"):
        words += "   tasks: %d queued, %d running" % (region["tasks_queued"], region["tasks_running"])
    return words


def name_awaited(thread):
    """"lock the_lock", "critical (name)"; "" when there is nothing that has a name."""
    state = thread.get("state")
    what = "object" if state is None else next(
        (noun for prefix, noun in _AWAITED if state.startswith(prefix)), None)
    if not thread.get("wait_id") or what is None:
        return ""
    variable = thread.get("waits_for")
    if variable is None:
        return "%s 0x%x" % (what, thread["wait_id"] & (1 << 64) - 1)
    symbol, offset = variable["symbol"], variable["offset"]
    if symbol.startswith(_CRITICAL):
        name = symbol[len(_CRITICAL):].split(".")[0]
        return "critical (%s)" % name if name else "critical"
    return "%s %s" % (what, names.readable(symbol) or symbol) + ("+0x%x" % offset if offset else "")


def waits_for(thread):
    """What a thread waits for, as its document names it."""
    return thread["waits_for"].get("name", "") if "waits_for" in thread else name_awaited(thread)


def state(thread):
    return thread.get("state") or ("state 0x%x" % thread["state_number"]
                                   if "state_number" in thread else "")


def _task_text(thread):
    """The explicit task that a thread executes."""
    task = next(iter(thread.get("tasks", ())), None)
    if task is None or task.get("implicit", True):
        return ""
    return "task " + (code(task) or "?")


def _doing(thread):
    return (state(thread), ", ".join(words for words in (waits_for(thread), _task_text(thread))
                                     if words))


def is_idle(thread):
    if "state" in thread:
        return thread["state"] == "idle"
    return thread.get("region", "") is None


def thread_text(omp, thread):
    """"thread 1 of 3, region at ring.c:14 in work, level 1"."""
    if is_idle(thread):
        return "idle"
    region = _Index(omp).regions.get(thread.get("region"))
    words = "thread %s of %s" % (thread.get("thread_num", "?"), thread.get("team_size", "?"))
    if region is not None and region.get("level") == 0:
        return words + ", initial region"
    place = code(region) if region is not None else ""
    return words + ", region" + (" " + place if place else "") + ", level %s" % thread.get("level", "?")


def _number(numbers, tid):
    return numbers.get(tid, "")


def threads(omp, numbers):
    """One line a thread.
    @param numbers gdb's numbers of threads by their ids in the operating system"""
    rows = [("gdb", "tid", "OpenMP", "state", "waits for, executes")]
    for thread in omp["threads"]:
        tid = thread.get("tid")
        note = "(%s)" % thread["note"] if "note" in thread else ""
        name, doing = _doing(thread)
        rows.append((numbers.get(tid, "?"), str(tid or "?"), thread_text(omp, thread),
                     name or note, doing))
    lines = text.columns(rows, 4)
    others = omp.get("other_threads")
    if others:
        lines.append("    %s outside of OpenMP" % text.count(len(others), "thread"))
    return lines


def _members(omp, region):
    """Threads of a region by their numbers in it; who is in a nested region counts as well."""
    found = {}
    for thread in omp["threads"]:
        if thread.get("region") == region["id"] and not is_idle(thread):
            found.setdefault(thread["id"], thread.get("thread_num"))
    for task in all_tasks(omp):
        if task.get("region") == region["id"] and task.get("thread") and "thread_num" in task:
            found.setdefault(task["thread"], task["thread_num"])
    if region.get("primary"):
        found.setdefault(region["primary"], 0)
    for nested in omp.get("regions", ()):
        if nested.get("parent") == region["id"] and nested.get("primary"):
            found.setdefault(nested["primary"], None)
    return sorted(found.items(), key=lambda item: (item[1] is None, item[1] or 0, item[0]))


class _Tree:
    """Regions, the threads of their teams, and the regions that these have started."""

    def __init__(self, omp, numbers, with_initial):
        self.omp, self.numbers, self.with_initial = omp, numbers, with_initial
        self.index, self.lines = _Index(omp), []

    def _nested(self, region, thread):
        """The regions in a region that a thread started; with None, those of whom it is not known."""
        members = self.index.threads
        for nested in self.omp.get("regions", ()):
            primary = nested.get("primary") if nested.get("primary") in members else None
            if nested.get("parent") == region["id"] and primary == thread:
                yield nested

    def _rows(self, region, members):
        for thread_id, num in members:
            thread = self.index.threads.get(thread_id)
            if thread is None:
                continue
            inner = thread.get("region") == region["id"]
            nested = list(self._nested(region, thread_id))
            row = ("thread %s" % ("?" if num is None else num),
                   "gdb %s" % self.numbers.get(thread.get("tid"), "?"),
                   "tid %s" % thread.get("tid", "?")) + (_doing(thread) if inner else ("", ""))
            yield row, nested

    def draw(self, region, depth):
        self.lines.append(" " * (4 + 2 * depth) + _region_text(region))
        members = _members(self.omp, region)
        rows = list(self._rows(region, members))
        drawn = text.columns([row for row, _ in rows], 6 + 2 * depth)
        for line, (_, nested) in zip(drawn, rows):
            self.lines.append(line)
            for inner in nested if depth < _DEPTH_MAX else ():
                self.draw(inner, depth + 2)
        missing = region.get("team_size", 0) - len(rows)
        if missing > 0:
            self.lines.append(" " * (6 + 2 * depth) + "%d more, of which nothing is known" % missing)
        for inner in self._nested(region, None) if depth < _DEPTH_MAX else ():
            self.draw(inner, depth + 1)

    def draw_all(self):
        for region in self.omp.get("regions", ()):
            parent = self.index.regions.get(region.get("parent"))
            hidden = parent is None and region.get("level") == 0
            below_hidden = parent is not None and parent.get("level") == 0
            if parent is None if self.with_initial else below_hidden or (parent is None and not hidden):
                self.draw(region, 0)
        return self.lines


def regions(omp, numbers, with_initial):
    lines = _Tree(omp, numbers, with_initial).draw_all() or ["    no parallel region"]
    idle = [thread.get("tid", 0) for thread in omp["threads"] if is_idle(thread)]
    if idle:
        lines.append("    idle: %s, tid %s" % (text.count(len(idle), "thread"), text.ranges(idle)))
    return lines


def _task_of(index, task):
    words = []
    thread = index.threads.get(task.get("thread"))
    if thread is not None:
        words.append("thread %s" % thread.get("tid", "?") if "tid" in thread else "thread ?")
    words += [flag.replace("_", " ") for flag in _FLAGS if task.get(flag)]
    return ", ".join(words)


def _origin(index, task):
    parent = index.tasks.get(task.get("generating"))
    if parent is None:
        return ""
    if parent.get("implicit"):
        return "from thread %s" % parent.get("thread_num", "?")
    return "from task " + (code(parent) or parent.get("id", "?"))


def tasks(omp, with_implicit):
    """The explicit tasks, and the implicit ones on request, with the region that they belong to."""
    index, rows = _Index(omp), []
    for task in all_tasks(omp):
        if task.get("implicit", False) and not with_implicit:
            continue
        kind = "implicit task" if task.get("implicit") else "task"
        if "thread_num" in task:
            kind += " of thread %d" % task["thread_num"]
        doing = "executing" if task.get("current") else (
            "interrupted" if task.get("started") else "")
        region = index.regions.get(task.get("region"))
        of_region = "region " + (code(region) or "level %s" % region.get("level", "?")) if region else ""
        rows.append((kind + " " + code(task), doing, _task_of(index, task), of_region,
                     _origin(index, task)))
    queued = sum(region.get("tasks_queued", 0) for region in omp.get("regions", ()))
    lines = text.columns(rows, 4) or ["    no explicit task"]
    return lines + (["    %s queued" % text.count(queued, "task")] if queued else [])


def _values(values):
    return ["%s = %s" % (name, "?" if value is None else value) for name, value in values.items()]


def icvs(omp):
    known, index = omp.get("icvs"), _Index(omp)
    if not known:
        return ["    the library cannot show control variables"]
    lines = ["    process"] + ["      " + line for line in _values(known["process"])]
    for scope, noun in (("regions", "region"), ("threads", "thread"), ("tasks", "task")):
        for owner in known[scope]:
            record = getattr(index, scope).get(owner.get("id"), {})
            words = (_region_text(record) if scope == "regions" else
                     "thread tid %s" % record.get("tid", "?") if scope == "threads" else
                     "task %s %s" % (owner.get("id", "?"), code(record)))
            lines.append("    " + words.rstrip())
            lines += ["      " + line for line in _values(owner["values"])]
    return lines
