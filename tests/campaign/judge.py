# SPDX-License-Identifier: BSD-3-Clause
"""What is wrong with a verdict, by the model's truth: pairs of a class and a text."""

FATAL = "wrong deadlock"  # never tried a second time


def ranks_of(items):
    """[0, "2-4"] as a set"""
    ret = set()
    for item in items or ():
        first, _, last = str(item).partition("-")
        ret |= set(range(int(first), int(last or first) + 1))
    return ret


class Judge:
    def __init__(self, end, records, report, is_core):
        self.end, self.report, self.is_core = end, report, is_core
        self.verdict = report.get("verdict", {})
        self.kind, self.text = self.verdict.get("kind", "absent"), self.verdict.get("text", "")
        self.order = end.model.order
        self.thread_of = {record[1]: i for i, record in enumerate(records)}
        self.problems = []

    def say(self, what, text, *values):
        self.problems.append((what, text % values))

    def judge(self):
        self.judge_kind()
        self.judge_calls()
        self.judge_cycles()
        self.judge_waits()
        self.judge_collectives()
        self.judge_cause()
        return self.problems

    # ---- the kind

    def is_healthy(self):
        return not self.end.stuck(False, True)

    def judge_kind(self):
        kinds = self.end.kinds()
        if self.kind in kinds:
            return
        expected = " or ".join(sorted(kinds))
        if self.kind == "deadlock":
            self.say(FATAL, "%s, but the truth is: %s", self.text, expected)
        elif self.kind == "unknown" and self.text.startswith("possible") and \
                "deadlock" not in kinds and not self.is_core:
            self.say("possible deadlock", "%s, but the truth is: %s", self.text, expected)
        elif self.kind == "unknown":
            if "no deadlock seen" not in kinds:
                self.say("cannot tell", "%s", self.reason())
        elif "deadlock" in kinds:
            self.say("denied", "%s, but the truth is: %s", self.text, expected)
        else:
            self.say("wrong kind", "%s, but the truth is: %s", self.text, expected)

    def reason(self):
        return self.text + "; not seen: " + ", ".join(self.verdict.get("unseen", ["nothing"]))

    # ---- what is said of threads

    def is_vague(self, thread):
        """It moves, or runs through calls."""
        return self.end.activities.get(thread) in ("works", "polls")

    def judge_calls(self):
        seen = {}
        for process in self.report.get("processes", ()):
            for thread in process.get("threads", ()):
                seen[thread.get("tid")] = thread.get("call")
        for tid, thread in self.thread_of.items():
            if self.end.activities.get(thread) in ("dead", "gone", "ended") or \
                    self.is_vague(thread):
                continue
            wait = self.end.waits.get(thread)
            expected = wait.call if wait else None
            if tid not in seen:
                self.say("missing thread", "rank %d, thread %d", *self.order[thread])
            elif seen[tid] != expected:
                self.say("wrong call", "rank %d is in %s, not in %s", self.order[thread][0],
                         expected, seen[tid])

    def judge_cycles(self):
        stuck = self.end.stuck(True, True)
        for cycle in self.verdict.get("cycles", ()) if self.kind == "deadlock" else ():
            for rank, following in zip(cycle, cycle[1:] + cycle[:1]):
                waits = [self.end.waits[t] for t in stuck if self.order[t][0] == rank]
                if not any(following in wait.ranks() for wait in waits):
                    self.say("wrong cycle", "%s: rank %d does not wait for rank %d", cycle, rank,
                             following)
        if self.kind == "deadlock" and not self.verdict.get("cycles"):
            self.say("wrong cycle", "there is none")

    def judge_waits(self):
        told = {}
        for record in self.verdict.get("waits", ()):
            thread = self.thread_of.get(record.get("tid"))
            if thread is None or self.is_vague(thread):
                continue
            if thread not in self.end.waits:
                self.say("wrong wait", "rank %s does not wait, it %s", record.get("rank"),
                         self.end.activities[thread])
                continue
            told.setdefault(thread, []).append(record)
        for thread, wait in sorted(self.end.waits.items()):
            self.judge_wait(wait, told.get(thread, []))

    def judge_wait(self, wait, records):
        if wait.call is None:
            return
        found, truth = set(), wait.ranks()
        if not records:
            if self.kind == "deadlock" and wait.thread in self.end.stuck(True, False):
                self.say("missing wait", "rank %d in %s", wait.rank, wait.call)
            return
        for record in records:
            found |= ranks_of(record.get("for"))
            if record.get("call") != wait.call:
                self.say("wrong call", "rank %d waits in %s, not in %s", wait.rank, wait.call,
                         record.get("call"))
        if not found <= truth:
            self.say("wrong wait", "rank %d in %s waits for %s, not for %s", wait.rank, wait.call,
                     sorted(truth), sorted(found))
        elif found != truth and not wait.vague and wait.needs_all and \
                all(needs_all for _, needs_all in wait.items):
            self.say("missing wait", "rank %d in %s waits for %s, not only for %s", wait.rank,
                     wait.call, sorted(truth), sorted(found))

    def judge_collectives(self):
        for told in self.verdict.get("collectives", ()):
            name, inside = told.get("name"), ranks_of(told.get("in"))
            missing = ranks_of(told.get("missing"))
            waits = [wait for thread, wait in self.end.waits.items() if wait.rank in inside]
            works = {self.order[t][0] for t, what in self.end.activities.items() if what == "works"}
            for rank in inside - works - {wait.rank for wait in waits if self.has(wait, name)}:
                self.say("wrong collective", "rank %d is not in %s", rank, name)
            truth = set().union(*(wait.ranks() for wait in waits if self.has(wait, name)))
            if missing - truth - works and not works & inside:
                self.say("wrong collective", "ranks %s are not missing in %s, those are %s",
                         sorted(missing - truth), name, sorted(truth))

    @staticmethod
    def has(wait, name):
        return wait.name == name or (wait.name == "reduce_scatter" and
                                     name == "reduce_scatter_block")

    # ---- the cause

    def judge_cause(self):
        cause = self.verdict.get("cause")
        if self.kind not in self.end.kinds() or cause is None:
            return
        what, culprits = cause.get("what"), ranks_of(cause.get("ranks"))
        states = {"stopped": {"stopped"}, "dead": {"dead", "gone"}, "gone": {"dead", "gone", "ended"},
                  "computes": {"computes", "polls"},
                  "system call": {"flock", "pipe", "sleeps"}}.get(what)
        if states is not None:
            for rank in culprits:
                if not any(self.end.activities.get(t) in states for t in
                           self.end.model.threads_of[rank]):
                    self.say("wrong cause", "%s: rank %d is not", what, rank)
        if self.kind == "hang":
            frozen = {self.order[t][0] for t, doing in self.end.activities.items()
                      if doing in ("stopped", "dead", "gone", "ended")}
            if not culprits or not culprits <= frozen:
                self.say("wrong cause", "%s: ranks %s, not %s", what, sorted(culprits),
                         sorted(frozen))
