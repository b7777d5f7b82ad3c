# SPDX-License-Identifier: BSD-3-Clause
"""What is wrong with a verdict, by the model's truth: pairs of a class and a text."""
import re

import sided
from rules import EPOCHS, IN_TURN, LEFT_EARLY, LOCKING, LOCKS, MAKING_PARTLY, ON_FILE, OWNED, UNCLEAR

STATES = {"stopped": {"stopped"}, "dead": {"dead"}, "gone": {"dead", "ended"},
          "computes": {"computes", "polls", "works"}, "traced": {"traced"}, "system call": {"flock", "pipe", "sleeps", "rests", "works"}}
RANKS = r"ranks? (\[?[\d,\-]+\]?)"
# What texts claim, and what checks it; a claim of several ranks is one of each.
CLAIMS = (
    (re.compile(RANKS + r" (?:has|have) not entered (MPI_\w+) on"), "is_missing"),
    (re.compile(RANKS + r" (?:is|are) in (MPI_\w+)"), "is_in"),
    (re.compile(RANKS + r" (?:is|are) (?:not there|elsewhere), ranks? \S+ (?:is|are) in (MPI_\w+)"),
     "is_missing"),
    (re.compile(r"(?<![\w>-])(\d+) in (MPI_\w+)"), "is_in"),
    (re.compile(RANKS + r" (?:is|are) (stopped|dead|gone|traced)"), "does"),
    (re.compile(RANKS + r" (computes)"), "does"),
)
MESSAGE = re.compile(r"rank (\d+) (?:sends|sent) tag (\d+) to rank (\d+)[^,]*, which receives tag (\d+)")
KNOTS = {"deadlock", "deadlock unless"}
FATAL = "wrong deadlock"  # never tried a second time


def ranks_of(items):
    """[0, "2-4"], also as a text "[0,2-4]", as a set"""
    if isinstance(items, str):
        items = items.strip("[]").split(",")
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
        self.judge_unless()
        self.judge_collectives()
        self.judge_cause()
        self.judge_texts()
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
                not kinds & KNOTS and not self.is_core:
            self.say("possible deadlock", "%s, but the truth is: %s", self.text, expected)
        elif self.kind == "unknown" and any(({wait.name} | wait.of) & UNCLEAR for wait in self.end.waits.values()):
            pass
        elif self.kind == "unknown" and self.end.guessed():
            pass
        elif self.kind == "hang" and "deadlock" in kinds and any(wait.absent & self.dead() for wait in self.end.waits.values()):
            pass  # who died may have been in a collective, which the others that are not in it have left
        elif self.kind == "unknown":
            self.say("cannot tell", "%s", self.reason())
        elif kinds & KNOTS:
            self.say("denied", "%s, but the truth is: %s", self.text, expected)
        else:
            self.say("wrong kind", "%s, but the truth is: %s", self.text, expected)

    def reason(self):
        return ", ".join(self.verdict.get("unseen", [])) or self.text

    # ---- what is said of threads

    def is_vague(self, thread):
        """It moves, runs through calls, or was stopped somewhere by another thread."""
        rank = self.order[thread][0]
        return self.end.activities.get(thread) in ("works", "polls") or (
            self.end.activities.get(thread) == "stopped" and len(self.end.model.threads_of[rank]) > 1)

    def judge_calls(self):
        seen = {}
        for process in self.report.get("processes", ()):
            for thread in process.get("threads", ()):
                seen[thread.get("tid")] = thread.get("call")
        for tid, thread in self.thread_of.items():
            if self.end.activities.get(thread) in ("dead", "ended") or self.is_vague(thread) or \
                    self.end.seized.get(self.order[thread][0]) == "traced":
                continue
            wait = self.end.waits.get(thread)
            expected = wait.call if wait else None
            if tid not in seen:
                self.say("missing thread", "rank %d, thread %d", *self.order[thread])
            elif seen[tid] != expected:
                self.say("wrong call", "rank %d is in %s, not in %s", self.order[thread][0],
                         expected, seen[tid])

    def judge_cycles(self):
        stuck = self.end.stuck(True, True, rests_go_on=self.kind == "deadlock", by_others=True)
        for cycle in self.verdict.get("cycles", ()) if self.kind in KNOTS else ():
            for rank, following in zip(cycle, cycle[1:] + cycle[:1]):
                waits = [self.end.waits[t] for t in stuck if self.order[t][0] == rank]
                # From anybody, where there is nobody else: from itself.
                if not any(following in (wait.ranks() or {rank}) or self.is_part_of_tree(wait, following) for wait in waits):
                    self.say("wrong cycle", "%s: rank %d does not wait for rank %d", cycle, rank,
                             following)
        if self.kind in KNOTS and not self.verdict.get("cycles"):
            self.say("wrong cycle", "there is none")

    def is_part_of_tree(self, wait, rank):
        """Whether the messages of such a collective may go from one to the other: both are in it, or
        the other has not come."""
        if wait.name in EPOCHS | LOCKS:
            return rank in self.members(wait)
        return wait.name in LEFT_EARLY | MAKING_PARTLY and (rank in wait.absent or any(
            other.name == wait.name and other.rank == rank for other in self.end.waits.values()))

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

    def judge_unless(self):
        """Those that are named rest, and are all that do in these ranks and may call MPI."""
        if self.kind != "deadlock unless":
            return
        named = {self.thread_of.get(record.get("tid")) for record in self.verdict.get("unless", ())}
        ranks = {rank for cycle in self.verdict.get("cycles", ()) for rank in cycle}
        callers = {t for t in self.end.resting() if self.order[t][0] in ranks and self.end.may_call(t)}
        if not named or not named <= self.end.resting():
            self.say("wrong unless", "threads %s do not rest", [self.order[t] for t in named - self.end.resting() if t is not None])
        elif not callers <= named:
            self.say("wrong unless", "threads %s rest, too", [self.order[t] for t in callers - named])

    def judge_inside(self, wait, records):
        """Which thread has a mutex, or is to end."""
        truth = {tid for tid, thread in self.thread_of.items() if thread in wait.threads}
        for record in records:
            found = set(record.get("for_tids", ()))
            if wait.name in LOCKING - OWNED and (not found or found >= truth):
                continue  # OpenMP's, of which it is not always known who may have it
            if not found <= truth or (wait.name in OWNED and found != truth):
                self.say("wrong owner", "rank %d waits in %s for threads %s, not for %s", wait.rank, wait.name,
                         sorted(truth), sorted(found))
        if wait.name in OWNED and not records and wait.rank not in self.end.seized:
            self.say("missing wait", "rank %d in %s", wait.rank, wait.name)

    def judge_wait(self, wait, records):
        if wait.threads is not None:
            self.judge_inside(wait, records)
        if wait.call is None:
            return
        found, truth = set(), wait.ranks()
        if not records and any(words.startswith("what %s waits for" % wait.call) for words in self.verdict.get("unseen", ())):
            return  # it is said that this is not known
        if not records:
            if self.kind == "deadlock" and not wait.of & UNCLEAR and wait.rank not in self.end.seized and wait.thread in self.end.stuck(True, False):
                self.say("missing wait", "rank %d in %s", wait.rank, wait.call)
            return
        for record in records:
            found |= ranks_of(record.get("for"))
            if record.get("call") != wait.call:
                self.say("wrong call", "rank %d waits in %s, not in %s", wait.rank, wait.call,
                         record.get("call"))
        if not found and all("communicator" not in record.get("collective", {"communicator": 0}) for record in records):
            return  # it is said that the communicator is not known
        allowed = truth | wait.absent
        if wait.name in EPOCHS | LOCKS and all(record.get("needs") == "any" for record in records):
            allowed |= self.members(wait)  # any of those that may have to act
        if wait.name in MAKING_PARTLY | ON_FILE:
            allowed |= self.group(wait)  # its messages may go through those that are in it
        if wait.name in LEFT_EARLY and all(record.get("needs") == "any" for record in records):
            allowed |= self.group(wait)  # one of those will do: who has left again cannot be seen
        if all(record.get("needs") == "any" for record in records):  # nor is known which thread of several waits for which
            allowed = allowed.union(*(other.ranks() for other in self.end.waits.values()
                                      if (other.rank, other.call) == (wait.rank, wait.call)))
        if not found <= allowed:
            self.say("wrong wait", "rank %d in %s waits for %s, not for %s", wait.rank, wait.call,
                     sorted(truth), sorted(found))
        elif self.is_core and any("not_seen" in record.get("collective", record) for record in records) and truth - found <= self.dead():
            pass  # who died left no core
        elif found and (wait.name in LEFT_EARLY | MAKING_PARTLY | IN_TURN or wait.partly):
            pass  # the queues name those whose part it waits for now
        elif not found >= truth and not wait.vague and wait.needs_all and \
                all(needs_all for _, needs_all in wait.items):
            self.say("missing wait", "rank %d in %s waits for %s, not only for %s", wait.rank,
                     wait.call, sorted(truth), sorted(found))

    def dead(self):
        threads = self.end.model.order
        return {threads[i][0] for i, what in self.end.activities.items() if what == "dead"}

    def members(self, wait):
        """Of the window that it is on."""
        return set(sided.members(self.end.model, wait.rank, self.end.model.statement(self.end.state, wait.thread)[1]))

    def group(self, wait):
        name, *a = self.end.model.statement(self.end.state, wait.thread)
        return set(self.end.model.meeting(wait.rank, name, a)[1])

    # ---- collectives

    def in_collective(self, rank, name):
        """The rank's waits in this collective."""
        name = {"reduce_scatter_block": "reduce_scatter"}.get(name, name)
        return [wait for wait in self.end.waits.values() if wait.rank == rank and
                (wait.name == name or wait.name in MAKING_PARTLY)]  # these consist of others

    def doing(self, rank):
        """What the rank's threads do apart from waiting in MPI."""
        return {what for thread, what in self.end.activities.items()
                if self.order[thread][0] == rank} | {self.end.seized.get(rank)}

    def judge_collectives(self):
        for told in self.verdict.get("collectives", ()):
            name = told.get("name")
            inside, missing = ranks_of(told.get("in")), ranks_of(told.get("missing"))
            if any("works" in self.doing(rank) for rank in inside):
                continue
            for rank in inside:
                if not self.in_collective(rank, name):
                    self.say("wrong collective", "rank %d is not in %s", rank, name)
            truth = {rank for of in inside for wait in self.in_collective(of, name)
                     for rank in (self.group(wait) if wait.name in MAKING_PARTLY else wait.absent)}
            if not missing <= truth:
                self.say("wrong collective", "ranks %s are not missing in %s, those are %s",
                         sorted(missing - truth), name, sorted(truth))

    # ---- the cause

    def judge_cause(self):
        cause = self.verdict.get("cause")
        if self.kind not in self.end.kinds() or cause is None:
            return
        what, culprits = cause.get("what"), ranks_of(cause.get("ranks"))
        waiting = ranks_of(cause.get("waiting"))
        for rank in waiting:
            if not any(wait.rank == rank for wait in self.end.waits.values()) and \
                    "works" not in self.doing(rank):
                self.say("wrong cause", "%s: rank %d does not wait", what, rank)
        if what in STATES:
            for rank in culprits:
                if not self.doing(rank) & STATES[what]:
                    self.say("wrong cause", "%s: rank %d is not", what, rank)
        elif what in ("collectives", "not entered"):
            self.judge_absent(what, culprits, waiting)
        elif what == "nonblocking collectives":
            for rank in culprits - {wait.rank for wait in self.end.waits.values()}:
                self.say("wrong cause", "%s: rank %d waits for none", what, rank)
        elif what == "message":
            if not any(wait.rank in culprits and not wait.absent
                       for wait in self.end.waits.values()):
                self.say("wrong cause", "message: ranks %s wait for none", sorted(culprits))
        if self.end.kinds() == {"hang"} and what not in ("stopped", "dead", "gone", "traced"):
            self.say("wrong cause", "%s, where ranks %s are stopped or dead", what, [
                rank for rank in range(self.end.model.program.ranks)
                if self.doing(rank) & {"stopped", "traced", "dead", "ended"}])

    def judge_absent(self, what, culprits, waiting):
        """The culprits have not entered what those that wait are in."""
        waits = [wait for wait in self.end.waits.values() if wait.absent]
        if not any(culprits <= wait.absent and (not waiting or wait.rank in waiting)
                   for wait in waits):
            self.say("wrong cause", "%s: ranks %s are not missing for ranks %s", what,
                     sorted(culprits), sorted(waiting))
        if what == "collectives" and not any(wait.rank in culprits for wait in waits):
            self.say("wrong cause", "collectives: ranks %s are in none", sorted(culprits))

    # ---- what texts claim

    def judge_texts(self):
        for text in [self.text] + self.verdict.get("facts", []):
            for pattern, check in CLAIMS:
                for ranks, what in pattern.findall(text):
                    for rank in ranks_of(ranks):
                        if not getattr(self, check)(rank, what):
                            self.say("wrong text", "rank %d, %s: %s", rank, what, text)

            for sender, tag, receiver, other in MESSAGE.findall(text):
                if not self.is_mismatch(*map(int, (sender, tag, receiver, other))):
                    self.say("wrong text", "there are no such messages: %s", text)

    def is_mismatch(self, sender, tag, receiver, other):
        """A message that nobody receives, and a receive that waits."""
        state = self.end.state
        sent = {it for table in (state.channels, state.unexpected)
                for requests in table.values() for it in requests}
        posted = {it for requests in state.posted.values() for it in requests}
        probed = [self.end.model.statement(state, wait.thread)[3] for wait in self.end.waits.values()
                  if wait.rank == receiver and wait.name in ("probe", "mprobe")]
        return any((it.rank, it.peer, it.tag) == (sender, receiver, tag)
                   for it in map(state.requests.get, sent)) and \
            (other in probed or any((it.rank, it.tag) == (receiver, other)
                                    for it in map(state.requests.get, posted)))

    def is_missing(self, rank, call):
        return any(wait.call == call and rank in wait.absent for wait in self.end.waits.values()) or \
            "works" in set(self.end.activities.values())

    def is_in(self, rank, call):
        return any(wait.call == call and wait.rank == rank for wait in self.end.waits.values()) or \
            self.doing(rank) & {"works", "polls"}

    def does(self, rank, what):
        return self.doing(rank) & STATES[what]
