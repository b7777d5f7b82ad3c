# SPDX-License-Identifier: BSD-3-Clause
"""Random programs from a seed: correct ones, into which one or two faults are put."""
import random

from model import ANY, Model, Undetermined
from program import Program

SHORT, LONG = (0, 1, 8, 200, 1000), (300000, 1000000)
NAMES = ("solver", "halo", "rows", "columns", "io", "-", "-", "-")
ALL_TO_ALL = ("barrier", "barrier", "allreduce", "allgather", "alltoall", "reduce_scatter")
ROOTED = ("bcast", "scatter", "reduce", "gather")
MAX_ENDS = 8


class Maker:
    def __init__(self, rng, ranks):
        self.rng = rng
        self.program = Program(ranks)
        self.slots = {}  # the next free one of each thread
        self.thread = 0  # that phases are added to
        self.make_comms()

    # ---- communicators

    def make_comms(self):
        rng, program = self.rng, self.program
        everyone = list(range(program.ranks))
        for _ in range(rng.choice((0, 1, 1, 2, 3))):
            name = rng.choice(NAMES)
            if rng.random() < 0.4:
                program.add_dup(rng.randrange(len(program.comms)), name)
                continue
            keys = rng.sample(everyone, len(everyone))
            colors = [rng.choice((0, 0, 1, 1, -1)) for _ in everyone]
            if rng.random() < 0.4:
                colors = [0] * len(everyone)  # the same ranks in another order
            program.add_split(0, list(zip(colors, keys)), name)

    def groups(self):
        """(comm, members) of at least two ranks"""
        ret = []
        for comm, groups in enumerate(self.program.groups):
            for group in sorted({group for group in groups if group and len(group) > 1}):
                ret.append((comm, group))
        return ret

    def pick_group(self):
        groups = self.groups()
        return self.rng.choice(groups + groups[:1])

    # ---- phases: each ends in every rank that takes part if all take part

    def add(self, rank, *statement):
        self.program.add(rank, *statement, thread=self.thread)

    def slot(self, rank):
        key = (rank, self.thread)
        self.slots[key] = (self.slots.get(key, -1) + 1) % 16
        return self.slots[key]

    def size(self, is_long=0.3):
        return self.rng.choice(LONG if self.rng.random() < is_long else SHORT)

    def tag(self):
        return self.rng.randrange(1, 40)

    def add_send(self, rank, comm, peer, tag, size):
        """A send that has ended, or a list of slots to wait for."""
        how = self.rng.choice(("send", "send", "send", "ssend", "bsend", "isend", "issend", "ibsend",
                               "send_init", "ssend_init"))
        if how in ("bsend", "ibsend") and size > 1000:
            how = "send"
        if how in ("send", "ssend", "bsend"):
            self.add(rank, how, comm, peer, tag, size)
            return
        slot = self.slot(rank)
        self.add(rank, how, slot, comm, peer, tag, size)
        if how.endswith("_init"):
            self.add(rank, "start", slot)
        self.add_wait(rank, [slot])

    def add_wait(self, rank, slots):
        how = self.rng.choice(("wait", "wait", "waitall", "waitany", "waitsome", "test"))
        if len(slots) == 1 and how in ("wait", "test"):
            self.add(rank, how, slots[0])
        elif how in ("waitany", "waitsome"):
            for _ in slots:
                self.add(rank, how, len(slots), *slots)
        else:
            self.add(rank, "waitall", len(slots), *slots)

    def add_receive(self, rank, comm, peer, tag, size):
        rng = self.rng
        tag = ANY if rng.random() < 0.15 else tag
        peer = ANY if rng.random() < 0.15 else peer
        how = rng.choice(("recv", "recv", "recv", "irecv", "recv_init", "probe", "iprobe", "mprobe"))
        if how in ("recv", "mprobe"):
            self.add(rank, how, comm, peer, tag, size)
        elif how in ("probe", "iprobe"):
            self.add(rank, how, comm, peer, tag)
            self.add(rank, "recv", comm, peer, tag, size)
        else:
            slot = self.slot(rank)
            self.add(rank, how, slot, comm, peer, tag, size)
            if how == "recv_init":
                self.add(rank, "start", slot)
            self.add_wait(rank, [slot])

    def phase_message(self):
        comm, group = self.pick_group()
        one, other = self.rng.sample(range(len(group)), 2)
        tag, size = self.tag(), self.size()
        self.add_send(group[one], comm, other, tag, size)
        self.add_receive(group[other], comm, one, tag, size)

    def phase_exchange(self):
        """Several receives and sends at once between two ranks."""
        comm, group = self.pick_group()
        pair = self.rng.sample(range(len(group)), 2)
        messages = [(self.tag(), self.size()) for _ in range(self.rng.randrange(1, 4))]
        for own, peer in (pair, pair[::-1]):
            slots = []
            for name in ("irecv", "isend"):
                for tag, size in messages:
                    slots.append(self.slot(group[own]))
                    self.add(group[own], name, slots[-1], comm, peer, tag, size)
            self.add_wait(group[own], slots)

    def phase_shift(self):
        comm, group = self.pick_group()
        name = self.rng.choice(("sendrecv", "sendrecv", "sendrecv_replace"))
        tag, size, count = self.tag(), self.size(), len(group)
        for own, rank in enumerate(group):
            self.add(rank, name, comm, (own + 1) % count, tag, size, (own - 1) % count, tag, size)

    def phase_many_to_one(self):
        comm, group = self.pick_group()
        root, tag, size = self.rng.randrange(len(group)), self.tag(), self.size()
        for own, rank in enumerate(group):
            if own != root:
                self.add(rank, self.rng.choice(("send", "ssend")), comm, root, tag, size)
        for own in range(len(group)):
            if own != root:
                self.add(group[root], "recv", comm, ANY, tag, size)

    def phase_collective(self):
        comm, group = self.pick_group()
        name = self.rng.choice(ALL_TO_ALL + ROOTED + ("scan",))
        for rank in group:
            self.add_collective(rank, name, comm, 0 if name not in ROOTED else comm % len(group))

    def add_collective(self, rank, name, comm, root=0):
        arguments = () if name == "barrier" else (root, 8) if name in ROOTED else (8,)
        self.add(rank, name, comm, *arguments)

    def phase_ibarrier(self):
        comm, group = self.pick_group()
        for rank in group:
            slot = self.slot(rank)
            self.add(rank, "ibarrier", slot, comm)
            self.add(rank, "wait", slot)

    def add_phase(self):
        self.rng.choices((self.phase_message, self.phase_exchange, self.phase_shift,
                          self.phase_many_to_one, self.phase_collective, self.phase_ibarrier),
                         (5, 2, 1, 1, 6, 0.2))[0]()

    # ---- faults

    def pick(self, names):
        """A statement of one of these names: its thread's list and place."""
        found = [(key, i) for key, script in sorted(self.program.threads.items())
                 for i, statement in enumerate(script) if statement[0] in names]
        if not found:
            return None, None
        key, i = self.rng.choice(found)
        return self.program.threads[key], i

    def change(self, names, how):
        script, i = self.pick(names)
        if script is not None:
            script[i:i + 1] = how(list(script[i]))

    def fault_tag(self):
        def other(statement):
            statement[-2] = statement[-2] + 40 if statement[-2] >= 0 else 3
            return [tuple(statement)]
        self.change(("recv", "irecv", "mprobe", "send", "ssend", "isend"), other)

    def fault_peer(self):
        def other(statement):
            statement[-3] = self.rng.randrange(2)
            return [tuple(statement)]
        self.change(("recv", "irecv", "mprobe"), other)

    def fault_comm(self):
        def other(statement):
            place = 2 if statement[0] in ("irecv", "isend") else 1
            statement[place] = self.rng.randrange(len(self.program.comms))
            return [tuple(statement)]
        self.change(("recv", "irecv", "mprobe", "ssend", "isend", "barrier", "allreduce"), other)

    def fault_missing(self):
        self.change(("send", "ssend", "bsend", "recv", "start"), lambda _: [])

    def fault_skip(self):
        self.change(ALL_TO_ALL + ROOTED, lambda _: [])

    def fault_other_collective(self):
        def other(statement):
            name = self.rng.choice(ALL_TO_ALL + ROOTED)
            arguments = () if name == "barrier" else (0, 8) if name in ROOTED else (8,)
            return [(name, statement[1]) + arguments]
        self.change(ALL_TO_ALL + ROOTED, other)

    def fault_order(self):
        key = self.rng.choice(sorted(self.program.threads))
        script = self.program.threads[key]
        if len(script) > 1:
            i = self.rng.randrange(len(script) - 1)
            script[i], script[i + 1] = script[i + 1], script[i]

    def fault_cycle(self):
        """Each waits for the next."""
        comm, group = self.pick_group()
        length = self.rng.randrange(2, len(group) + 1)
        members, tag = self.rng.sample(range(len(group)), length), self.tag()
        name = self.rng.choice(("recv", "recv", "ssend", "send", "mprobe", "wait", "mixed"))
        for i, own in enumerate(members):
            peer, rank = members[(i + 1) % length], group[own]
            chosen = self.rng.choice(("recv", "mprobe", "wait")) if name == "mixed" else name
            if chosen == "wait":
                slot = self.slot(rank)
                self.add(rank, "irecv", slot, comm, peer, tag, 8)
                self.add_wait(rank, [slot])
            else:
                self.add(rank, chosen, comm, peer, tag, 300000 if chosen == "send" else 8)

    def fault_leave(self):
        """A rank does something else for ever, from some place on."""
        rank = self.rng.randrange(self.program.ranks)
        script = self.program.threads[rank, 0]
        place = self.rng.randrange(len(script) + 1)
        name = self.rng.choice(("spin", "sleep", "stop", "stop", "flock", "pipe", "finish", "finish"))
        script[place:] = [] if name == "finish" else [(name,)]

    def add_fault(self):
        self.rng.choices((self.fault_tag, self.fault_peer, self.fault_comm, self.fault_missing,
                          self.fault_skip, self.fault_other_collective, self.fault_order,
                          self.fault_cycle, self.fault_leave), (4, 2, 3, 4, 4, 4, 2, 4, 4))[0]()

    def add_work(self):
        """Some ranks work for ever once they are all there."""
        comm, group = self.pick_group()
        name = self.rng.choice(("work_ring", "work_reduce", "work_serve"))
        size, pause = self.rng.choice((8, 800, 300000)), self.rng.choice((0, 0, 1, 10))
        for rank in group:
            self.add(rank, "barrier", comm)
            self.add(rank, name, comm, size, pause)


def make(rng):
    """A program, its ends; None if they are not determined or not worth a look."""
    maker = Maker(rng, rng.choice((2, 2, 3, 3, 3, 4, 4, 5, 6)))
    kind = rng.choices(("fault", "work", "both"), (10, 1, 2))[0]
    for _ in range(rng.randrange(1, 7)):
        maker.add_phase()
    if kind != "work":
        for _ in range(rng.choice((1, 1, 1, 2))):
            maker.add_fault()
    if kind != "fault":
        maker.add_work()
    program = maker.program
    try:
        ends = Model(program).explore()
    except Undetermined:
        return None
    is_over = any(set(end.activities.values()) == {"ended"} for end in ends)
    if is_over or len({end.positions for end in ends}) < len(ends) or len(ends) > MAX_ENDS:
        return None
    return program, ends


def generate(seed):
    """The first program of the seed that is worth a look, and the ends it can come to."""
    rng = random.Random("campaign %d" % seed)
    wants_deadlock = rng.random() < 0.7
    while True:
        made = make(rng)
        if made is None:
            continue
        program, ends = made
        if wants_deadlock and not all(end.kinds() == {"deadlock"} for end in ends):
            continue
        program.remarks.append("seed %d" % seed)
        return program, ends
