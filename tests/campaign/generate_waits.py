# SPDX-License-Identifier: BSD-3-Clause
"""Random programs of the newer waits from a seed: each has one kind of them, which a rank does not enter, and which
all are in again and again in the twin of such a program, some of them slow.
"""
import random

from generate import MAX_ENDS, NAMES, Maker
from model import Model
from rules import Undetermined

SIDE_TAG = 99
MAX_TRIES = 400


class WaitsMaker(Maker):
    def __init__(self, rng):
        super().__init__(rng, rng.choice((2, 3, 3, 4, 4)))
        self.side = self.program.add_dup(0)  # for what ranks do instead

    def make_comms(self):
        """Few, so that what ranks wait in is one another's."""
        for _ in range(self.rng.choice((0, 1, 1))):
            self.program.add_dup(0, self.rng.choice(NAMES))
        if self.program.ranks > 2 and self.rng.random() < 0.4:
            colors = [0] * 2 + [self.rng.choice((0, 0, -1)) for _ in range(self.program.ranks - 2)]
            self.rng.shuffle(colors)
            self.program.add_split(0, [(color, self.rng.randrange(9)) for color in colors], self.rng.choice(NAMES))

    def make_threads(self):
        pass

    def pick_group(self):
        return self.rng.choice([it for it in self.groups() if it[0] != self.side])

    def all_of(self, comm):
        return self.program.groups[comm][next(i for i, it in enumerate(self.program.groups[comm]) if it)]

    # ---- phases: each is a list of statements for each rank that takes part

    def same(self, group, *statements):
        return {rank: list(statements) for rank in group}

    def wait_for(self, slot):
        return self.rng.choice((("wait", slot), ("wait", slot), ("waitall", 1, slot), ("waitany", 1, slot)))

    def started(self, comm, group, name):
        """A nonblocking collective, and the wait for it."""
        ret = {}
        for rank in group:
            slot = self.slot(rank)
            arguments = () if name == "ibarrier" else (2,)
            ret[rank] = [(name, slot, comm) + arguments, self.wait_for(slot)]
        return ret

    def phase_nonblocking(self):
        comm, group = self.pick_group()
        return self.started(comm, group, self.rng.choice(("ibarrier", "iallreduce", "iallgather", "ialltoall")))

    def phase_persistent(self):
        comm = self.program.add_dup(0, self.rng.choice(NAMES))
        ret, name = {}, self.rng.choice(("barrier_init", "allreduce_init"))
        for rank in range(self.program.ranks):
            slot = self.slot(rank)
            self.init.setdefault(rank, []).append((name, slot, comm) + (() if name == "barrier_init" else (2,)))
            ret[rank] = [("start", slot), self.wait_for(slot)]
        return ret

    def phase_neighbours(self):
        parent, group = self.pick_group()
        comm, name = self.program.add_dup(parent, self.rng.choice(NAMES), "ring"), self.rng.choice(
            ("neighbor_allgather", "neighbor_alltoall", "ineighbor_allgather", "ineighbor_alltoall"))
        if name.startswith("i"):
            return self.started(comm, group, name)
        return self.same(group, (name, comm, 2))

    def phase_making(self):
        comm, group = self.pick_group()
        return self.same(group, (self.rng.choice(("comm_dup", "comm_dup", "comm_split", "comm_split", "comm_create",
                                                  "cart_create")), comm))

    def phase_create_group(self):
        comm, group = self.pick_group()
        count = self.rng.randrange(2, len(group) + 1)
        first = self.rng.randrange(len(group) - count + 1)
        return self.same(group[first:first + count], ("comm_create_group", comm, first, count))

    def phase_intercomm(self):
        ranks = list(range(self.program.ranks))
        colors = [rank % 2 if self.rng.random() < 0.5 else int(rank >= len(ranks) / 2) for rank in ranks]
        colors[0], colors[-1] = 0, 1
        comm = self.program.add_split(0, [(color, 0) for color in colors])
        bridge = self.program.add_dup(0)
        return {rank: [("intercomm_create", comm, bridge, colors.index(1 - colors[rank]))] for rank in ranks}

    def window(self, comm):
        return self.program.add_window(comm, self.rng.choice(("create", "allocate", "shared")))

    def phase_fence(self):
        comm, group = self.pick_group()
        window = self.window(comm)
        return {rank: [("win_fence", window), ("win_put", window, (own + 1) % len(group)), ("win_fence", window)]
                for own, rank in enumerate(group)}

    def phase_epoch(self):
        """Some expose their part of a window to the others; or each to the next."""
        comm, group = self.pick_group()
        window, count = self.window(comm), len(group)
        exposers = self.rng.sample(range(count), self.rng.randrange(1, count))
        accessors = [own for own in range(count) if own not in exposers]
        post, end_post = [("win_post", window, len(accessors), *accessors)], [("win_wait", window)]
        start = [("win_start", window, len(exposers), *exposers)] + \
            [("win_put", window, to) for to in exposers] + [("win_complete", window)]
        if self.rng.random() < 0.3:
            return {rank: [("win_post", window, 1, (own - 1) % count), ("win_start", window, 1, (own + 1) % count),
                           ("win_put", window, (own + 1) % count), ("win_complete", window), ("win_wait", window)]
                    for own, rank in enumerate(group)}
        return {rank: post + end_post if own in exposers else start for own, rank in enumerate(group)}

    def locked(self, window, target, exclusive):
        return [("win_lock", window, target, int(exclusive)), ("win_put", window, target), ("win_flush", window, target)]

    def phase_locks(self):
        """Locks side by side, which are given back before a rank leaves MPI."""
        comm, group = self.pick_group()
        window, target = self.window(comm), self.rng.randrange(len(group))
        shared = self.rng.random() < 0.5
        return {rank: self.locked(window, target, not shared and self.rng.random() < 0.7) + [("nap", 3)] +
                [("win_unlock", window, target), ("barrier", comm)] for rank in group}

    def phase_file(self):
        comm, group = self.pick_group()
        return self.same(group, (self.rng.choice(("file_read_all", "file_write_all", "file_read_at_all",
                                                  "file_write_at_all", "file_set_size")),
                                 self.program.add_file(comm)))

    def phase_ordered(self):
        comm, group = self.pick_group()
        return self.same(group, ("file_write_ordered", self.program.add_file(comm)))

    def phase_probe(self):
        """A message that is looked for before it is received."""
        comm, group = self.pick_group()
        one, other = self.rng.sample(range(len(group)), 2)
        tag, size = self.tag(), self.size()
        send = (self.rng.choice(("send", "ssend")), comm, other, tag, size)
        receive = [("mprobe", comm, one, tag, size)] if self.rng.random() < 0.5 else \
            [(self.rng.choice(("probe", "iprobe")), comm, one, tag), ("recv", comm, one, tag, size)]
        return {group[one]: [send], group[other]: receive}

    def phase_finalize(self):
        """The end of the script, which all but one come to."""
        return {rank: [] for rank in range(self.program.ranks)}

    # ---- what goes wrong

    def instead(self, rank, group):
        """What a rank does that does not enter a phase, and whether its script ends there."""
        others = [other for other in group if other != rank] or [(rank + 1) % self.program.ranks]
        peer = self.rng.choice(others)
        return self.rng.choice((
            ([("recv", self.side, peer, SIDE_TAG, 8)], False), ([("ssend", self.side, peer, SIDE_TAG, 8)], False),
            ([("probe", self.side, peer, SIDE_TAG)], False), ([("mprobe", self.side, peer, SIDE_TAG, 8)], False),
            ([("barrier", self.side)], False), ([], True), ([], True),
            ([(self.rng.choice(("spin", "sleep", "stop", "pipe")),)], True)))

    def fault_absent(self, phase):
        """A rank does something else first, or for ever."""
        rank = self.rng.choice(sorted(phase))
        what, is_end = self.instead(rank, sorted(phase))
        place = 0 if self.rng.random() < 0.7 or not phase[rank] else self.rng.randrange(len(phase[rank]))
        phase[rank][place:] = what + ([] if is_end else phase[rank][place:])
        self.ends |= {rank} if is_end else set()

    def fault_blocking(self, phase):
        """A rank is in the blocking collective of the same name."""
        rank = self.rng.choice(sorted(phase))
        (name, _, comm, *rest), *_ = phase[rank]
        phase[rank] = [(name[1:], comm, *rest)] if name != "ibarrier" else [("barrier", comm)]

    def fault_swapped(self, phase):
        """A rank has it after another one, on another communicator, which for the others comes after it."""
        comm = self.program.add_dup(0, self.rng.choice(NAMES))
        other = self.started(comm, sorted(phase), "iallreduce") if len(phase) == self.program.ranks else \
            self.same(sorted(phase), ("barrier", comm))
        late = self.rng.choice(sorted(phase))
        for rank in phase:
            phase[rank] = other[rank] + phase[rank] if rank == late else phase[rank] + other[rank]

    def fault_lock(self, _):
        """Ranks that have one lock want another; or one has a lock, and waits for who wants it."""
        comm, group = self.pick_group()
        one, other = self.rng.sample(range(len(group)), 2)
        windows, targets = [self.window(comm), self.window(comm)], [self.rng.randrange(len(group)) for _ in range(2)]
        phase = {rank: [("barrier", comm)] for rank in group}
        exclusive = self.rng.random() < 0.7
        phase[group[one]][:0] = self.locked(windows[0], targets[0], exclusive)
        if self.rng.random() < 0.6:
            phase[group[other]][:0] = self.locked(windows[1], targets[1], True)
            phase[group[one]] += [("win_lock", windows[1], targets[1], 1)]
        else:
            phase[group[one]] += [("recv", self.side, group[other], SIDE_TAG, 8)]
        phase[group[other]] += [("win_lock", windows[0], targets[0], 1)]
        for own, rank in enumerate(group):
            if own not in (one, other):
                phase[rank] += self.rng.choice(([("recv", self.side, group[one], SIDE_TAG, 8)], [("barrier", comm)], []))
        return phase

    def add(self, phase):
        for rank in set(phase) - self.ended:
            self.program.threads[rank, 0] += phase[rank]
        self.ended |= self.ends

    def make(self, kind, is_twin):
        phases, faults = KINDS[kind]
        self.init = {}
        self.ends, self.ended = set(), set()  # ranks whose scripts end in this phase, or have
        if is_twin:
            chosen = [phases] + self.rng.sample(HEALTHY, self.rng.randrange(0, 3))
        else:
            chosen = self.rng.sample(HEALTHY, self.rng.choice((0, 0, 1))) + [phases] + \
                self.rng.sample(HEALTHY, self.rng.choice((0, 0, 1)))
        for of in chosen:
            phase = of(self)
            if of is phases and not is_twin:
                phase = self.rng.choice(faults)(self, phase) or phase
            elif is_twin:
                self.slow(phase)
                if self.rng.random() < 0.5:
                    self.surround(phase)
            self.add(phase)
        for (rank, _), script in self.program.threads.items():
            script[:0] = self.init.get(rank, [])
            script += [("again",)] if is_twin else []

    def surround(self, phase):
        """Messages that are on their way while the ranks are in a phase, and are waited for behind it."""
        ranks, tag = sorted(phase), self.tag()
        for rank, following in zip(ranks, ranks[1:] + ranks[:1]):
            before = ranks[ranks.index(rank) - 1]
            slot = self.slot(rank)
            phase[rank].insert(0, ("irecv", slot, self.side, before, tag, 8))
            phase[rank] += [("send", self.side, following, tag, 8), self.wait_for(slot)]

    def slow(self, phase):
        for rank in phase:
            if self.rng.random() < 0.5:
                place = self.rng.randrange(len(phase[rank]) + 1)
                phase[rank].insert(place, self.rng.choice((("nap", 50), ("nap", 500), ("compute", 50), ("compute", 500))))


M = WaitsMaker
ABSENT, SWAPPED, BLOCKING = M.fault_absent, M.fault_swapped, M.fault_blocking
# phase, and what may go wrong with it
KINDS = {
    "collective here, nonblocking there": (M.phase_nonblocking, (BLOCKING,)),
    "communicators in another order": (M.phase_nonblocking, (SWAPPED,)),
    "nonblocking": (M.phase_nonblocking, (ABSENT,)),
    "persistent": (M.phase_persistent, (ABSENT, ABSENT, SWAPPED)),
    "neighbours": (M.phase_neighbours, (ABSENT,)),
    "fence": (M.phase_fence, (ABSENT, ABSENT, SWAPPED)),
    "epochs": (M.phase_epoch, (ABSENT,)),
    "locks": (M.phase_locks, (M.fault_lock,)),
    "files": (M.phase_file, (ABSENT, ABSENT, SWAPPED)),
    "ordered": (M.phase_ordered, (ABSENT, ABSENT, SWAPPED)),
    "probes": (M.phase_probe, (ABSENT,)),
    "making": (M.phase_making, (ABSENT, ABSENT, SWAPPED)),
    "create_group": (M.phase_create_group, (ABSENT,)),
    "intercomm": (M.phase_intercomm, (ABSENT,)),
    "finalize": (M.phase_finalize, (ABSENT,)),
}
HEALTHY = sorted({phase for phase, _ in KINDS.values() if phase != M.phase_finalize}, key=lambda phase: phase.__name__)
del M


def make(rng, kind, is_twin):
    maker = WaitsMaker(rng)
    maker.make(kind, is_twin)
    if len(maker.program.comms) > 15 or len(maker.program.windows) > 8 or len(maker.program.files) > 4:
        return None
    try:
        ends = Model(maker.program).explore()
    except Undetermined:
        return None
    if len({end.positions for end in ends}) < len(ends) or len(ends) > MAX_ENDS or any(
            end.works_alone() or set(end.activities.values()) == {"ended"} or
            (not is_twin and not end.waits) for end in ends):
        return None
    return maker.program, ends


def generate(seed):
    """The first program of the seed that is determined: kinds one after the other, each third one a twin."""
    rng, names = random.Random("waits %d" % seed), sorted(KINDS)
    kind, is_twin = names[seed % len(names)], (seed + seed // len(names)) % 3 == 0
    for _ in range(MAX_TRIES):
        made = make(rng, kind, is_twin)
        if made:
            made[0].remarks.append("waits %d: %s%s" % (seed, kind, ", all in it" if is_twin else ""))
            return made
    raise Undetermined("no program of waits %d: %s" % (seed, kind))
