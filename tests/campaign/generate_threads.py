# SPDX-License-Identifier: BSD-3-Clause
"""Random programs from a seed whose ranks have threads that are neither MPI's nor OpenMP's, at all levels of threads:
they poll, sleep, wait with a limit and without one, compute, have mutexes, and some of them send.
"""
import random

from generate import MAX_ENDS, Maker
from model import Model
from program import LEVELS
from rules import ANY, EAGER, Undetermined

FIRST_HELPER, HELPERS = 2, 2
SIDE_TAG = 99
MUTEX = 0
KINDS = ("deadlock", "deadlock unless", "no deadlock seen", "hang")
RESTING = (("poll_pipe",), ("poll_loop", 20), ("poll_loop", 500), ("log", 1), ("log", 100), ("log", 1000), ("pipe",))
LATE = (("hour_sem",), ("hour_cond",), ("hour_mutex",), ("hour_poll",), ("hour_sleep",))
OF_ANY = (("sem_wait",), ("cond_wait",), ("barrier_wait",), ("futex_wait",))
UNTIMED = OF_ANY + (("rwlock_wait",),)  # which the main thread has written


class ThreadsMaker(Maker):
    def __init__(self, rng):
        super().__init__(rng, rng.choice((2, 2, 2, 3, 3, 4)))
        self.program.level = rng.choice(LEVELS + ("multiple", "multiple"))
        self.side = self.program.add_dup(0)  # for what helpers send and receive

    def make_threads(self):
        pass

    def pick_group(self):
        return self.rng.choice([it for it in self.groups() if it[0] != self.side])

    def main(self, rank):
        return self.program.threads[rank, 0]

    def any_rank(self):
        return self.rng.randrange(self.program.ranks)

    def insert(self, rank, *statements):
        """One somewhere in the rank's main thread, the others somewhere behind it."""
        place = 0
        for statement in statements:
            place = self.rng.randrange(place, len(self.main(rank)) + 1)
            self.main(rank).insert(place, statement)
            place += 1

    def peer(self, rank):
        return self.rng.choice([other for other in range(self.program.ranks) if other != rank])

    def late(self, rank):
        """What waits for long, and would send then."""
        return [self.rng.choice(LATE), ("send", self.side, self.peer(rank), SIDE_TAG, 8)]

    def pastime(self, rank):
        """What a helper does for ever."""
        return self.rng.choices(([self.rng.choice(RESTING)], self.late(rank), [self.rng.choice(UNTIMED)], [("spin",)]),
                                (4, 4, 4, 1))[0]

    def add_thread(self, rank, script):
        """Its number; None: the rank has as many as it may."""
        number = next((n for n in range(FIRST_HELPER, FIRST_HELPER + HELPERS) if (rank, n) not in self.program.threads),
                      None)
        if number is not None:
            self.program.threads[rank, number] = script
        return number

    # ---- what helpers are for

    def add_helpers(self):
        for rank in range(self.program.ranks):
            for _ in range(self.rng.choice((0, 0, 1, 1, 2))):
                self.add_thread(rank, self.pastime(rank))

    def add_join(self):
        """The main thread waits for the end of one."""
        rank = self.any_rank()
        script = self.pastime(rank)
        if self.program.level == "multiple" and self.rng.random() < 0.5:
            script = [("recv", self.side, self.peer(rank), SIDE_TAG, 8)]
        number = self.add_thread(rank, script)
        if number:
            self.insert(rank, ("join", number))

    def add_receiver(self):
        """One receives with a mutex that the main thread wants, too, from a rank that may send."""
        rank = self.any_rank()
        peer = self.peer(rank)
        number = self.program.level == "multiple" and self.add_thread(
            rank, [("lock", MUTEX), ("recv", self.side, peer, SIDE_TAG, 8), ("unlock", MUTEX)])
        if not number:
            return
        self.insert(rank, ("lock", MUTEX), ("unlock", MUTEX))
        self.main(rank).append(("join", number))
        if self.rng.random() < 0.5:
            self.insert(peer, (self.rng.choice(("send", "ssend")), self.side, rank, SIDE_TAG, 8))

    def add_keeper(self):
        """One keeps a mutex that the main thread wants."""
        rank = self.any_rank()
        if self.add_thread(rank, [("lock", MUTEX)] + self.pastime(rank)):
            self.insert(rank, ("lock", MUTEX), ("unlock", MUTEX))

    def add_sender(self):
        """One does the main thread's send, soon."""
        rank = self.any_rank()
        sends = [i for i, it in enumerate(self.main(rank)) if it[0] in ("send", "ssend", "bsend")]
        if self.program.level != "multiple" or not sends:
            return
        i = self.rng.choice(sends)
        number = self.add_thread(rank, [("nap", self.rng.choice((1, 5, 200))), self.main(rank)[i]])
        if number:
            del self.main(rank)[i]
            self.main(rank).append(("join", number))

    def add_exit(self):
        """A process ends early, and finalizes MPI then."""
        rank = self.any_rank()
        if not any(name in ("lock", "join") for name, *_ in self.main(rank)):
            self.main(rank)[self.rng.randrange(len(self.main(rank)) + 1):] = [("exit",)]

    def add_server(self):
        """One receives what anybody sends to it."""
        if self.program.level == "multiple":
            self.add_thread(self.any_rank(), [("recv", self.side, ANY, SIDE_TAG, 8)])

    def add_pause(self):
        """The main thread itself waits for what only others of its process end, or for long."""
        self.insert(self.any_rank(), self.rng.choice(OF_ANY + LATE))

    def add_fork(self):
        """A process more, which is no rank."""
        self.insert(self.any_rank(), ("fork",))

    def add_all(self):
        for what, share in ((self.add_sender, 0.3), (self.add_join, 0.25), (self.add_receiver, 0.25),
                            (self.add_keeper, 0.2), (self.add_server, 0.2), (self.add_pause, 0.1),
                            (self.add_fork, 0.08)):
            if self.rng.random() < share:
                what()
        self.add_helpers()
        if self.rng.random() < 0.2:
            self.add_exit()


def add_fault(maker, kind):
    if kind == "hang":
        maker.rng.choice((maker.fault_stop, maker.fault_die, maker.fault_seize))()
    elif kind != "no deadlock seen" or maker.rng.random() < 0.5:
        maker.rng.choice((maker.fault_cycle, maker.add_fault))()


def stops_long(program):
    """Whether a rank is stopped in the middle of long messages, which is not what this is about."""
    return bool(program.seized) and any(name.startswith("work_") and a[1] > EAGER
                                        for script in program.threads.values() for name, *a in script)


def make(rng, kind):
    """A program and its ends; None if they are not determined or not of this kind."""
    maker = ThreadsMaker(rng)
    for _ in range(rng.randrange(1, 5)):
        maker.add_phase()
    add_fault(maker, kind)
    if rng.random() < (0.4 if kind == "no deadlock seen" else 0.1):
        maker.add_work()
    maker.add_all()
    if all(thread == 0 for _, thread in maker.program.threads) or stops_long(maker.program):
        return None
    try:
        ends = Model(maker.program).explore()
    except Undetermined:
        return None
    allowed = {kind, "hang"} if kind == "no deadlock seen" else {kind}
    if len({end.positions for end in ends}) < len(ends) or len(ends) > MAX_ENDS or any(
            kind not in end.kinds() or not end.kinds() <= allowed or end.works_alone() or
            set(end.activities.values()) == {"ended"} for end in ends):
        return None
    return maker.program, ends


def generate(seed):
    """The first program of the seed that is worth a look, and the ends it can come to."""
    rng = random.Random("threads %d" % seed)
    kind = rng.choices(KINDS, (35, 35, 20, 10))[0]
    while True:
        made = make(rng, kind)
        if made:
            made[0].remarks.append("threads %d" % seed)
            return made
