# SPDX-License-Identifier: BSD-3-Clause
"""What is true where nothing moves any more: who waits for whom, and whether that can end."""
import sided
from rules import (ANY, CALLS, COLLECTIVES, EAGER, EPOCHS, FOREVER, FREEZES, FROM_ROOT, INSIDE, LEFT_EARLY, LOCKS, LOOPS,
                   RESTS, TEAM, UNTIMED, Undetermined)


def call_name(name):
    return CALLS.get(name, "MPI_" + name.capitalize())


SEIZED = {"halt": "stopped", "hold": "traced"}


class Wait:
    """What a thread that does not go on waits for.

    items: (ranks, whether it needs all of them); needs_all: whether it needs all items.
    vague: whether it needs all or any of an item's ranks is not known.
    absent: members of the communicator that have not entered the collective.
    of: names of the collectives that it completes.
    partly: it is a nonblocking collective: which one no queue tells, but whose part is waited for now.
    threads: the threads of its process of which one is needed, all at a barrier, where it waits for these.
    """

    def __init__(self, thread, rank, name, needs_all, items, vague=False, absent=frozenset(), of=(), threads=None):
        self.threads = threads
        self.of, self.partly = frozenset(of), bool(of)
        self.absent = absent
        self.thread, self.rank, self.name = thread, rank, name
        self.call = call_name(name)
        self.needs_all, self.items, self.vague = needs_all, items, vague

    def ranks(self):
        return frozenset().union(*(ranks for ranks, _ in self.items))

    def is_ended_by(self, going):
        """Whether these threads of its process end it."""
        return self.threads <= going if self.name in TEAM else bool(self.threads & going)


class End:
    """A state in which nothing moves any more, and what is true of it."""

    def __init__(self, model, state):
        self.model, self.state = model, state
        self.positions = tuple(self.recorded(model, thread, position) for thread, position in enumerate(state.position))
        self.check_hazards()
        self.seized = {rank: SEIZED[how] for how, rank in model.program.seized}
        self.activities = {}  # thread: what it does that is no wait in MPI
        self.waits = {}  # thread: Wait
        for thread in range(len(model.order)):
            self.describe(thread)
        self.signature = (self.positions, tuple(sorted(
            (t, w.name, w.needs_all, tuple((tuple(sorted(r)), a) for r, a in w.items))
            for t, w in self.waits.items())))

    @staticmethod
    def recorded(model, thread, position):
        """Who leaves its team's region records nothing then, but for the main thread."""
        is_member = thread in model.team_of(thread) and model.order[thread][1] > 0
        return min(position, len(model.scripts[thread]) - 1) + 1 if is_member else position + 1

    def check_hazards(self):
        """A rank outside of MPI moves no messages: whether a transfer ends is not known."""
        model, state = self.model, self.state
        for rank in range(model.program.ranks):
            if not model.is_out(state, rank):
                continue
            for send, receive in state.matched:
                one, other = state.requests[send], state.requests[receive]
                if one.rank == rank and one.bytes > EAGER and send not in state.collected:
                    raise Undetermined("a transfer whose sender has left")
                if other.rank == rank and one.sync and receive not in state.collected:
                    raise Undetermined("a transfer whose receiver has left")
            for channel, messages in state.channels.items():
                posted = state.posted.get((rank, channel[2]), ()) if channel[1] == rank else ()
                for message in messages:
                    it = state.requests[message]
                    if it.sync and any(model.fits(state.requests[p], it) for p in posted):
                        raise Undetermined("a receiver that has left")
            for request, it in state.requests.items():
                if it.kind == "collective" and it.rank == rank and request not in state.collected:
                    raise Undetermined("a collective whose member has left")
        for thread in range(len(model.order)):
            statement = model.statement(state, thread)
            rank = model.rank_of(thread)
            if statement and state.inside[thread] and statement[0] == "win_lock":
                self.check_keeper(sided.target(model, rank, statement[1:]))
            if statement and statement[0] == "finalize":
                for request, it in state.requests.items():
                    if it.rank == rank and request not in state.collected and \
                            request not in state.complete:
                        raise Undetermined("finalize with a pending request")

    def check_keeper(self, rank):
        """Some give a lock only while the rank that it is of is in MPI, before MPI_Finalize."""
        at = [self.model.statement(self.state, t) for t in self.model.threads_of[rank]]
        if self.model.is_out(self.state, rank) or any(it and it[0] == "finalize" for it in at):
            raise Undetermined("a lock whose keeper has left")

    def describe(self, thread):
        model, state = self.model, self.state
        statement, rank = model.statement(state, thread), model.rank_of(thread)
        if statement is None or model.statement(state, model.threads_of[rank][0]) is None:
            self.activities[thread] = "ended"  # with its process, where its main thread has
            return
        name, *a = statement
        if model.frozen(state, rank):
            self.activities[thread] = next(
                FOREVER[model.statement(state, t)[0]] for t in model.threads_of[rank]
                if model.statement(state, t) and model.statement(state, t)[0] in FREEZES)
        elif name in FOREVER:
            self.activities[thread] = FOREVER[name]
        elif name in LOOPS:
            self.activities[thread] = "polls"
        else:
            self.waits[thread] = self.wait(thread, rank, name, a)

    def others(self, rank, comm):
        group = self.model.program.group(comm, rank)
        several = sum(map(self.may_call, self.model.threads_of[rank])) > 1
        return frozenset(of for of in group if of != rank or several)

    def of_request(self, request):
        it = self.state.requests[request]
        if it.kind == "collective":
            return self.model.request_needs(self.state, it), True
        if it.peer == ANY:
            return self.others(it.rank, it.comm), False
        return frozenset({it.peer}), True

    def wait(self, thread, rank, name, a):
        model, state = self.model, self.state
        if name in COLLECTIVES:
            needed, perhaps = model.collective_needs(state, thread, name, a)
            absent = model.missing(state, *state.owned[thread][0])
            if needed:
                return Wait(thread, rank, name, True, [(needed, True)], absent=absent)
            return Wait(thread, rank, name, True, [(perhaps, False)], vague=True, absent=absent)
        if name in EPOCHS | LOCKS:
            return Wait(thread, rank, name, True, [(sided.missing(model, state, rank, name, a), True)])
        if name in ("probe", "mprobe"):
            key = model.key_of(rank, a[0])
            item = (self.others(rank, a[0]), False) if a[1] == ANY else \
                (frozenset({key[1][a[1]]}), True)
            return Wait(thread, rank, name, True, [item])
        if name in INSIDE:
            others = frozenset(model.threads_of[rank]) - {thread}
            threads = {"join": lambda: {model.joined(rank, a[0])},
                       "lock": lambda: {state.mutexes[model.mutex(thread, name, a)]},
                       "omp_lock": lambda: {state.mutexes[model.mutex(thread, name, a)]},
                       "rwlock_wait": lambda: {model.threads_of[rank][0]}}
            threads.update(dict.fromkeys(TEAM, lambda: model.not_come(state, thread)))
            threads = threads.get(name, lambda: others)()
            return Wait(thread, rank, name, True, [(frozenset({rank}), True)], threads=frozenset(threads))
        pending = model.awaited(state, thread, name, a)
        items = [self.of_request(r) for r in pending if not model.is_complete(state, r)]
        begun = [state.requests[r] for r in pending if state.requests[r].kind == "collective"]
        absent = frozenset().union(*(model.request_needs(state, it) for it in begun))
        return Wait(thread, rank, name, name not in ("waitany", "waitsome"), items,
                    absent=absent, of={it.name for it in begun})

    # ---- who can go on

    def may_call(self, thread):
        """Whether it may do what other ranks wait for: nobody else begins a call once MPI_Finalize has begun."""
        main = self.model.threads_of[self.model.rank_of(thread)][0]
        statement = self.model.statement(self.state, main)
        return self.model.program.lets_call(self.model.order[thread][1]) and (
            thread == main or not statement or statement[0] != "finalize" or self.in_call(thread))

    def in_call(self, thread):
        return thread in self.waits and self.waits[thread].call is not None

    def in_mpi(self, rank):
        """Whether the rank has a thread that waits in MPI."""
        return any(map(self.in_call, self.model.threads_of[rank]))

    def resting(self):
        """The threads that rest, and that perhaps do nothing for others: where none of their process waits
        for others, resting is what this does."""
        return {t for t, what in self.activities.items() if what in RESTS and self.in_mpi(self.model.rank_of(t))}

    def guessed(self):
        """The threads of ranks of whose threads no more is known than that another one ends their wait: a
        signal or another process may."""
        live = [[t for t in threads if self.activities.get(t) != "ended"] for threads in self.model.threads_of.values()]
        return {t for threads in live for t in threads
                if all(of in self.waits and self.waits[of].name in UNTIMED for of in threads)}

    def stuck(self, frozen_go_on, vague_all, rooted_all=True, rests_go_on=True, going=frozenset(), by_others=False):
        """The threads that can never go on, as far as others' free will is concerned.

        @param frozen_go_on whether stopped and dead ranks count as able to go on
        @param vague_all whether a wait of which that is not known needs all
        @param rests_go_on whether threads that rest do what is waited for
        @param going threads that go on in any case
        @param rooted_all whether a collective that some leave early needs all that have not entered it
        @param by_others whether what the root of one sends comes by all of these
        """
        model = self.model
        going = set(going) | {t for t, what in self.activities.items()
                              if what not in ("ended", "stopped", "dead") or
                              (frozen_go_on and what != "ended")}
        if not rests_go_on:
            going -= self.resting()
        if not frozen_go_on:
            going -= {t for rank in self.seized for t in model.threads_of[rank]}
            going -= {t for t in going if self.activities.get(t) == "works" and self.works_with_seized(t)}
        ended = {r for r in range(model.program.ranks)
                 if all(self.activities.get(t) == "ended" for t in model.threads_of[r])}
        if frozen_go_on:
            going |= {t for r in ended for t in model.threads_of[r]}

        def acts(rank, thread):
            return any(t in going and self.may_call(t) for t in model.threads_of[rank] if t != thread)

        changed = True
        while changed:
            changed = False
            for thread, wait in self.waits.items():
                if thread in going:
                    continue
                results = []
                for ranks, needs_all in [(wait.absent, True)] if by_others and wait.name in FROM_ROOT else wait.items:
                    needs_all = vague_all if wait.vague else needs_all and (rooted_all or wait.name not in LEFT_EARLY | EPOCHS | LOCKS)
                    found = [acts(rank, thread) for rank in ranks]
                    results.append(all(found) if needs_all else any(found))
                if wait.threads is not None:
                    results = [wait.is_ended_by(going)]
                if (all(results) if wait.needs_all else any(results)):
                    going.add(thread)
                    changed = True
        return {t for t in list(self.waits) + list(self.activities) if t not in going and (
            t in self.waits or self.works_with_seized(t))}

    def needs(self, wait, thread):
        if wait.threads is not None:
            return thread in wait.threads
        return self.may_call(thread) and self.model.rank_of(thread) in (wait.ranks() or {wait.rank})

    def has_cycle(self, stuck):
        """Whether some of these threads wait for each other: not all of them for what rests alone."""
        left, count = [t for t in stuck if t in self.waits], -1
        while len(left) != count:
            count = len(left)
            left = [t for t in left if any(self.needs(self.waits[t], other) for other in left)]
        return count > 0

    def works_alone(self):
        """Some ranks work together, and one that waits for ever in MPI should work with them: then they
        wait for that one, which the model does not follow."""
        working = {self.model.order[t][0] for t, what in self.activities.items() if what == "works"}
        return bool(working) and any(wait.rank not in working for wait in self.waits.values())

    def works_with_seized(self, thread):
        """It works with a rank that the driver has seized: it waits for that one."""
        rank, (name, *a) = self.model.rank_of(thread), self.model.statement(self.state, thread) or ("",)
        return self.activities.get(thread) == "works" and rank not in self.seized and \
            bool(set(self.model.program.group(a[0] if a else 0, rank)) & set(self.seized))

    def kinds(self):
        """The verdicts that are right."""
        return set().union(*(self.kinds_if(vague_all, going) for vague_all in (False, True)
                             for going in {frozenset(), frozenset(self.guessed())}))

    def kinds_if(self, vague_all, going):
        """Of one of the answers to what is not known."""
        ret = set()

        def stuck(frozen_go_on, *args, **named):
            return self.stuck(frozen_go_on, vague_all, *args, going=going, **named)

        if stuck(True):
            ret.add("deadlock")
            if any(self.model.rank_of(thread) in self.seized for thread in stuck(True)):
                ret.add("hang")
            # Of who is elsewhere cannot be seen whether it has left such a collective or not entered it.
            # Nor, always, which of the ranks that use a window must act.
            if not stuck(True, False):
                ret |= {"no deadlock seen"} | ({"hang"} if stuck(False, False) else set())
        elif stuck(False):
            ret.add("hang")
        elif self.has_cycle(stuck(True, rests_go_on=False)):
            ret.add("deadlock unless")
            # The queues may name a rank by which it comes, which is stuck whatever the root's threads do.
            if stuck(True, by_others=True):
                ret.add("deadlock")
            if not self.has_cycle(stuck(True, False, rests_go_on=False)):
                ret.add("no deadlock seen")
        else:
            ret.add("no deadlock seen")
            # Another process must end these: whether that is a hang is a matter of taste.
            if self.waits and {"flock", "pipe"} & set(self.activities.values()):
                ret.add("hang")
        return ret
