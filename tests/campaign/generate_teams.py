# SPDX-License-Identifier: BSD-3-Clause
"""Random programs from a seed one or two ranks of which have a team of OpenMP: its members meet at barriers, have locks,
call MPI, rest and compute, and some of them skip a barrier, as one does that an exception has taken out of it.
"""
import random

from generate import MAX_ENDS
from generate_threads import LATE, RESTING, SIDE_TAG, ThreadsMaker, add_fault
from model import Model
from rules import Undetermined

KINDS = ("deadlock", "deadlock unless", "no deadlock seen")
LOCKS = (("lock", "unlock"), ("omp_lock", "omp_unlock"))
BARRIER = ("team_barrier",)


class TeamsMaker(ThreadsMaker):
    def __init__(self, rng):
        super().__init__(rng)
        self.program.level = rng.choice(("funneled", "serialized", "multiple", "multiple"))

    def make_team(self, rank):
        """Its members are the rank's first threads; all come to as many barriers."""
        size, rng = self.rng.choice((2, 2, 3, 3, 4)), self.rng
        self.program.teams[rank] = size
        barriers = rng.randrange(0, 4)
        for number in range(size):
            script = self.program.threads.setdefault((rank, number), [])
            if number > 0:
                script += [("compute", rng.choice((0, 1, 5))) for _ in range(rng.randrange(0, 2))]
            for _ in range(barriers):
                script.insert(rng.randrange(len(script) + 1), BARRIER)

    def member(self, rank, but=None):
        return self.rng.choice([number for number in self.program.members(rank) if number != but])

    def script(self, rank, number):
        return self.program.threads[rank, number]

    def put(self, rank, number, *statements):
        """All of them, at one place."""
        script = self.script(rank, number)
        place = self.rng.randrange(len(script) + 1)
        script[place:place] = statements

    # ---- what members do beside barriers

    def add_locks(self, rank):
        """Some have a lock for a while, which a barrier may be a part of."""
        lock, unlock = self.rng.choice(LOCKS)
        for number in self.program.members(rank):
            script = self.script(rank, number)
            if self.rng.random() < 0.7:
                place = self.rng.randrange(len(script) + 1)
                end = self.rng.choice((place, place, place, self.rng.randrange(place, len(script) + 1)))
                script.insert(end, (unlock, 0))
                script.insert(place, (lock, 0))

    def add_crossed(self, rank):
        """Two have two locks, in different order perhaps."""
        lock, unlock = self.rng.choice(LOCKS)
        one = self.member(rank)
        for number, order in ((one, (1, 2)), (self.member(rank, one), self.rng.choice(((1, 2), (2, 1))))):
            self.put(rank, number, (lock, order[0]), ("nap", 200), (lock, order[1]), (unlock, order[1]), (unlock, order[0]))

    def add_message(self, rank):
        """One receives from another rank, which may send."""
        if self.program.level != "multiple":
            return
        peer, number = self.peer(rank), self.member(rank)
        self.put(rank, number, ("recv", self.side, peer, SIDE_TAG, 8))
        if self.rng.random() < 0.5:
            self.insert(peer, (self.rng.choice(("send", "ssend")), self.side, rank, SIDE_TAG, 8))

    # ---- what goes wrong

    def skip_barriers(self, rank):
        """One leaves what it does, and goes to the end of the region."""
        script = self.script(rank, self.member(rank))
        del script[self.rng.randrange(len(script) + 1):]

    def add_pastime(self, rank):
        """One does for ever, or for long, what nobody waits for."""
        self.put(rank, self.member(rank, 0), self.rng.choice(RESTING + LATE + (("spin",), ("sem_wait",), ("barrier_wait",))))

    def add_teams(self):
        for rank in self.rng.sample(range(self.program.ranks), self.rng.choice((1, 1, 2))):
            self.make_team(rank)
            for what, share in ((self.add_locks, 0.4), (self.add_crossed, 0.2), (self.add_message, 0.3),
                                (self.skip_barriers, 0.35), (self.add_pastime, 0.25)):
                if self.rng.random() < share:
                    what(rank)


def make(rng, kind):
    """A program and its ends; None if they are not determined or not of this kind."""
    maker = TeamsMaker(rng)
    for _ in range(rng.randrange(1, 4)):
        maker.add_phase()
    if kind != "no deadlock seen" and rng.random() < 0.3:
        add_fault(maker, kind)
    if rng.random() < (0.4 if kind == "no deadlock seen" else 0.1):
        maker.add_work()
    maker.add_teams()
    if rng.random() < 0.3:
        maker.add_helpers()
    try:
        ends = Model(maker.program).explore()
    except Undetermined:
        return None
    if len({end.positions for end in ends}) < len(ends) or len(ends) > MAX_ENDS or any(
            end.kinds() != {kind} or end.works_alone() or set(end.activities.values()) == {"ended"} for end in ends):
        return None
    return maker.program, ends


def generate(seed):
    """The first program of the seed that is worth a look, and the ends it can come to."""
    rng = random.Random("teams %d" % seed)
    kind = rng.choices(KINDS, (55, 20, 25))[0]
    while True:
        made = make(rng, kind)
        if made:
            made[0].remarks.append("teams %d" % seed)
            return made
