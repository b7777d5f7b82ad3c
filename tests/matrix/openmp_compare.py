# SPDX-License-Identifier: BSD-3-Clause
"""Compares what mqshow reports of an OpenMP runtime with what the threads of tests/omp/omp_park recorded
(tests/omp/park_truth.def), column by column."""

COLUMNS = ["threads", "regions", "tasks", "ICVs", "states", "locks", "holder"]

WORKS, WAITS, IDLE = range(3)  # enum park_does
QUEUED = 0  # enum park_task_does
CODE_MAX = 4096  # bytes of a function of omp_park

# enum park_wait: what it is called, how its states begin, what the report calls it.
WAITINGS = {
    1: ("barrier", ("wait_barrier",), "barrier"),
    2: ("barrier", ("wait_barrier",), "barrier"),
    3: ("barrier", ("wait_barrier",), "barrier"),
    4: ("taskwait", ("wait_taskwait",), "taskwait"),
    5: ("taskgroup", ("wait_taskgroup",), "taskgroup"),
    6: ("critical", ("wait_critical", "wait_lock"), "critical"),
    7: ("locks", ("wait_lock", "wait_mutex"), "lock"),
    8: ("nestable locks", ("wait_lock", "wait_mutex"), "nest_lock"),
    9: ("ordered", ("wait_ordered",), "ordered"),
}
MUTEXES = (6, 7, 8, 9)

OF_THREAD = {"thread-num-var": "num", "nthreads-var": "nthreads", "dyn-var": "dyn",
             "default-device-var": "default_device"}
OF_TASK = {"thread-limit-var": "thread_limit", "max-active-levels-var": "max_active_levels", "bind-var": "bind",
           "final-task-var": "final"}
OF_PROCESS = {"cancel-var": "cancel", "max-task-priority-var": "max_task_priority", "num-procs-var": "num_procs"}
SCHEDULES = {1: "static", 2: "dynamic", 3: "guided", 4: "auto"}


def read_record(text):
    """A record as numbers, or lists of them."""
    record = {}
    for word in text.split():
        name, value = word.split("=")
        numbers = [int(number, 0) for number in value.split(",")]
        record[name] = numbers if len(numbers) > 1 else numbers[0]
    return record


def read_records(text):
    """What omp_park prints: the records of each kind."""
    records = {"thread": [], "task": [], "lock": []}
    for line in text.splitlines():
        kind, _, rest = line.partition(" ")
        if kind in records:
            records[kind].append(read_record(rest))
    return records


class Cell:
    """What was found out of a column, from the worst to nothing: wrong; some of it is shown, or none; all."""

    def __init__(self):
        self.wrong, self.seen, self.lacking = None, set(), set()

    def check(self, where, what, shown, true, exception=None):
        """One value. @param exception how the column calls it where it is not shown"""
        if shown is None:
            self.lacking.add(exception or what)
        elif shown == true:
            self.seen.add(exception or what)
        elif self.wrong is None:
            self.wrong = f"{where}: {what} is {shown}, not {true}"

    def text(self):
        if self.wrong:
            return "wrong: " + self.wrong
        if not self.seen:
            return "no" if self.lacking else "not tried"
        if not self.lacking:
            return "yes"
        only = self.seen - self.lacking
        if only and len(only) < len(self.lacking):
            return "only " + ", ".join(sorted(only))
        return "all but " + ", ".join(sorted(self.lacking))


def number_of(value):
    """The first element of a list that is written as a text."""
    return int(str(value).split(",", maxsplit=1)[0]) if value is not None else None


def is_within(function, code, before):
    """Whether code is in a function; None: that is not known."""
    if function is None:
        return None
    return bool(code) and -before <= code - int(function["address"], 16) < CODE_MAX


class Cells:
    """A row."""

    def __init__(self, outlines_twice=False):
        """@param outlines_twice the function that the runtime calls may only call that of the program's code, which
        is near it"""
        self.before = CODE_MAX if outlines_twice else 0
        self.cells = {name: Cell() for name in COLUMNS}

    def is_wrong(self):
        return any(cell.wrong for cell in self.cells.values())

    def texts(self):
        return [self.cells[name].text() for name in COLUMNS]

    def fail(self, situation, problem):
        self.cells["threads"].wrong = self.cells["threads"].wrong or f"{situation}: {problem}"

    def compare(self, situation, truth, process):
        """One look. Where there is nothing to see of the runtime, a message must say why."""
        report = process.get("openmp")
        if report is None:
            if truth["thread"] and not process.get("messages"):
                self.fail(situation, "nothing is said of the runtime")
            for cell in self.cells.values():
                cell.lacking.add(situation)
            return
        One(situation, truth, report, self.cells, self.before).compare()


class One:
    """One look at a process."""

    def __init__(self, situation, truth, report, cells, before):
        self.before = before
        self.where, self.truth, self.report, self.cells = situation, truth, report, cells
        self.threads = {thread.get("tid"): thread for thread in report.get("threads", [])}
        self.by_id = {thread["id"]: thread for thread in report.get("threads", [])}
        self.regions = {region["id"]: region for region in report.get("regions", [])}

    def compare(self):
        self.check("threads", "the number of threads", len(self.report.get("threads", [])),
                   len(self.truth["thread"]))
        for record in self.truth["thread"]:
            thread = self.threads.get(record["tid"])
            if thread is None:
                self.check("threads", "a thread", "absent", "there")
                continue
            self.compare_place(record, thread)
            self.compare_state(record, thread)
            if record["does"] == IDLE:
                continue
            self.compare_regions(record, thread)
            self.compare_tasks(record, thread)
            self.compare_variables(record, thread)
            self.compare_wait(record, thread)

    def check(self, column, what, shown, true, exception=None):
        self.cells[column].check(self.where, what, shown, true, exception)

    def compare_place(self, record, thread):
        if record["does"] == IDLE:
            self.check("threads", "region of an idle thread", thread.get("region") is not None, False)
            return
        for name, true in (("thread_num", "num"), ("team_size", "size"), ("level", "level"),
                           ("active_level", "active")):
            self.check("threads", name, thread.get(name), record[true])

    # Regions

    def region_at(self, thread, level):
        """The thread's region at that level; None: it is not shown."""
        region = self.regions.get(thread.get("region"))
        while region is not None and region.get("level", 0) > level:
            region = self.regions.get(region.get("parent"))
        return region if region is not None and region.get("level") == level else None

    def compare_regions(self, record, thread):
        for level in range(record["level"], 0, -1):
            region = self.region_at(thread, level)
            size = record["sizes"][level]
            if region is None:
                self.check("regions", "a region", None if size == 1 else "absent", "there",
                           "serialised regions around others")
                continue
            self.check("regions", "team size", region.get("team_size"), size)
            function, code = region.get("function"), record["code"][level]
            if size > 1 and code:
                self.check("regions", "function", is_within(function, code, self.before), True, "functions")
        for other in self.truth["thread"]:
            if other["does"] != IDLE and other["tid"] in self.threads and other["level"] == record["level"]:
                same = self.is_same(record, other)
                shown = thread.get("region") == self.threads[other["tid"]].get("region")
                self.check("regions", "the same region", shown, same)

    @staticmethod
    def is_same(one, other):
        return one["root"] == other["root"] and one["nums"][:one["level"]] == other["nums"][:one["level"]]

    # Tasks

    def compare_tasks(self, record, thread):
        tasks = thread.get("tasks") or [{}]
        self.check("tasks", "an implicit task", tasks[0].get("implicit"), record["task"] == 0)
        outside = "final tasks" + (" outside of regions" if record["level"] == 0 else "")
        self.check("tasks", "final", tasks[0].get("final"), bool(record["final"]), outside)
        for task in self.truth["task"]:
            if task["id"] == record["task"]:
                function = tasks[0].get("function")
                what = "functions of undeferred tasks" if task["undeferred"] else "functions"
                self.check("tasks", "function", is_within(function, task["code"], self.before), True, what)
        region = self.regions.get(thread.get("region"), {})
        if record["level"] > 0 and record["size"] > 1:
            self.compare_counts(record, region)

    # Readers differ in what they say of a task that has come to a region of its own.
    def compare_counts(self, record, region):
        mates = [other for other in self.truth["thread"]
                 if other["does"] != IDLE and other["level"] >= record["level"] and self.is_same(record, other)]
        if any(mate["level"] > record["level"] for mate in mates):
            return
        tids = {mate["tid"] for mate in mates}
        running = sum(mate["task"] != 0 for mate in mates)
        queued = sum(task["does"] == QUEUED and task["level"] == record["level"] and task["creator"] in tids
                     for task in self.truth["task"])
        self.check("tasks", "tasks_running", region.get("tasks_running"), running, "counts")
        shown = region.get("tasks_queued")
        if self.where == "depend" and shown is not None:  # tasks that wait for others are in no queue
            shown = queued if shown <= queued else shown
        self.check("tasks", "tasks_queued", shown, queued, "counts")

    # Control variables

    def values_of(self, scope, wanted):
        icvs = self.report.get("icvs", {})
        if scope == "process":
            return icvs.get(scope, {})
        return next((item["values"] for item in icvs.get(scope, []) if item["id"] == wanted), {})

    def compare_variables(self, record, thread):
        task = (thread.get("tasks") or [{}])[0].get("id")
        of_task = self.values_of("tasks", task)
        for values, names in ((self.values_of("threads", thread["id"]), OF_THREAD), (of_task, OF_TASK),
                              (self.values_of("process", None), OF_PROCESS)):
            for name, true in names.items():
                where = " outside of regions" if record["level"] == 0 and name == "final-task-var" else ""
                self.check("ICVs", name, number_of(values.get(name)), record[true], name + where)
        schedule = of_task.get("run-sched-var")
        kind = SCHEDULES.get(record["sched"] & 0xff)
        if schedule is not None and kind is not None:
            self.check("ICVs", "run-sched-var", schedule.split(",")[0].split(":")[-1].strip(), kind)
        elif kind is not None:
            self.check("ICVs", "run-sched-var", None, kind)

    # What threads wait for

    def compare_state(self, record, thread):
        state = thread.get("state")
        if record["does"] == WAITS:
            name, beginnings, _ = WAITINGS[record["waits"]]
        elif record["does"] == IDLE:
            name, beginnings = "idle threads", ("idle",)
        elif record["implicit"] in WAITINGS and record["task"] != 0:
            return  # it executes a task while its implicit task waits: the state may be of either
        else:
            name, beginnings = "work", ("work_",)
        right = state is not None and state.startswith(beginnings)
        self.check("states", f"the state of {name}", None if state is None else right or state, True, name)

    def compare_wait(self, record, thread):
        if record["does"] != WAITS or record["waits"] not in MUTEXES:
            return
        name, _, kind = WAITINGS[record["waits"]]
        wait = thread.get("wait") or {}
        shown = wait.get("kind")
        self.check("locks", f"what waits for {name}", shown, kind, name)
        if record["lock"]:
            at = wait.get("object")
            self.check("locks", f"the lock of {name}", int(at, 16) if at else None, record["lock"], name)
        self.compare_holder(record, wait, name)

    def compare_holder(self, record, wait, name):
        owners = {lock["owner"] for lock in self.truth["lock"]
                  if lock["kind"] == record["waits"] and record["lock"] in (0, lock["address"])}
        if len(owners) != 1:
            return
        holder = self.by_id.get(wait.get("holder"), {}).get("tid")
        self.check("holder", f"the holder of {name}", holder, owners.pop(), name)
