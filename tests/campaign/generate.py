# SPDX-License-Identifier: BSD-3-Clause
"""Random programs from a seed: correct ones, into which one or two faults are put."""
import random

from model import Model
from program import Program
from rules import ANY, NOBODY, Undetermined

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
        self.second = None  # communicator of the second threads
        if rng.random() < 0.15:
            self.make_threads()

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

    def make_threads(self):
        """Some ranks have a second thread, which mostly keeps to a communicator of these ranks."""
        rng, program = self.rng, self.program
        count = rng.randrange(1, min(program.ranks, 3) + 1)
        chosen = rng.sample(range(program.ranks), count)
        program.level = "multiple"
        self.second = program.add_split(0, [(0 if rank in chosen else -1, 0)
                                            for rank in range(program.ranks)], rng.choice(NAMES))
        for rank in chosen:
            program.threads[rank, 1] = []

    def second_phases(self):
        """Before the first threads' phases, which may then use all communicators."""
        self.thread = 1
        for _ in range(self.rng.randrange(1, 4)):
            self.add_phase()
        if self.rng.random() < 0.7:
            self.add_fault()
        self.thread = 0

    def groups(self):
        """(comm, members) of at least two ranks"""
        if self.thread == 1:
            group = next(group for group in self.program.groups[self.second] if group)
            return [(self.second, group)] if len(group) > 1 else []
        ret = []
        for comm, groups in enumerate(self.program.groups):
            for group in sorted({group for group in groups if group and len(group) > 1}):
                if comm != self.second or self.rng.random() < 0.1:
                    ret.append((comm, group))
        return ret

    def pick_group(self):
        groups = self.groups()
        return self.rng.choice(groups + groups[:1]) if groups else (0, ())

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
        how = self.rng.choice(("wait", "wait", "waitall", "waitany", "waitsome", "test", "testall"))
        if len(slots) == 1 and how in ("wait", "test"):
            self.add(rank, how, slots[0])
        elif how in ("waitany", "waitsome"):
            for _ in slots:
                self.add(rank, how, len(slots), *slots)
        else:
            name = "testall" if how == "testall" else "waitall"
            self.add(rank, name, len(slots), *slots)

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
        if not group:
            return
        one, other = self.rng.sample(range(len(group)), 2)
        tag, size = self.tag(), self.size()
        self.add_send(group[one], comm, other, tag, size)
        self.add_receive(group[other], comm, one, tag, size)

    def phase_exchange(self):
        """Several receives and sends at once between two ranks."""
        comm, group = self.pick_group()
        if not group:
            return
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

    def phase_line(self):
        """Ranks in a row, whose first and last have a neighbour less."""
        comm, group = self.pick_group()
        tag, size = self.tag(), self.size()
        for own, rank in enumerate(group):
            following = own + 1 if own + 1 < len(group) else NOBODY
            self.add(rank, "sendrecv", comm, following, tag, size, own - 1 if own else NOBODY, tag,
                     size)

    def phase_ready(self):
        """A receive that is there when the message is sent."""
        comm, group = self.pick_group()
        if not group:
            return
        one, other = self.rng.sample(range(len(group)), 2)
        tag, size, slot = self.tag(), self.size(), self.slot(group[other])
        self.add(group[other], "irecv", slot, comm, one, tag, size)
        for rank in group:
            self.add(rank, "barrier", comm)
        self.add(group[one], "rsend", comm, other, tag, size)
        self.add_wait(group[other], [slot])

    def phase_many_to_one(self):
        comm, group = self.pick_group()
        if not group:
            return
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
                          self.phase_many_to_one, self.phase_collective, self.phase_ibarrier,
                          self.phase_line, self.phase_ready), (5, 2, 1, 1, 6, 0.1, 1, 0.5))[0]()

    # ---- faults

    def pick(self, names):
        """A statement of one of these names: its thread's list and place."""
        found = [(key, i) for key, script in sorted(self.program.threads.items())
                 for i, statement in enumerate(script)
                 if statement[0] in names and key[1] == self.thread]
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
            name = self.rng.choice([name for name in ALL_TO_ALL + ROOTED if name != statement[0]])
            arguments = () if name == "barrier" else (0, 8) if name in ROOTED else (8,)
            return [(name, statement[1]) + arguments]
        self.change(ALL_TO_ALL + ROOTED, other)

    def fault_order(self):
        script = self.program.threads[self.rng.choice(sorted(self.program.threads))]
        if len(script) > 1:
            i = self.rng.randrange(len(script) - 1)
            script[i], script[i + 1] = script[i + 1], script[i]

    def fault_cycle(self):
        """Each waits for the next."""
        comm, group = self.pick_group()
        if not group:
            return
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
        rank, thread = self.rng.choice(sorted(self.program.threads))
        script = self.program.threads[rank, thread]
        place = self.rng.randrange(len(script) + 1)
        name = self.rng.choice(("spin", "sleep", "stop", "stop", "flock", "pipe", "finish", "finish"))
        script[place:] = [] if name == "finish" else [(name,)]

    def fault_stop(self):
        script = self.program.threads[self.rng.randrange(self.program.ranks), 0]
        script[self.rng.randrange(len(script) + 1):] = [("stop",)]

    def fault_seize(self):
        """The driver stops one of those that work, or holds it as a debugger."""
        if self.rng.random() < 0.8:
            self.add_work()
        self.program.seized.append((self.rng.choice(("halt", "hold")),
                                    self.rng.randrange(self.program.ranks)))

    def fault_die(self):
        """A rank dies after all have met, so that nothing of it is on its way."""
        if self.second is not None:
            return
        for rank in range(self.program.ranks):
            self.add(rank, "barrier", 0)
        dies = self.rng.randrange(self.program.ranks)
        self.add(dies, "compute", 100)
        self.add(dies, "die")
        for _ in range(self.rng.randrange(1, 4)):
            self.add_phase()
        script = self.program.threads[dies, 0]
        del script[script.index(("die",)) + 1:]

    def fault_lock(self):
        """Both threads of a rank hold a lock during some statements."""
        ranks = [rank for rank, thread in self.program.threads if thread == 1]
        if not ranks:
            return
        rank = self.rng.choice(ranks)
        for thread in (0, 1):
            script = self.program.threads[rank, thread]
            place = self.rng.randrange(len(script) + 1)
            end = self.rng.randrange(place, len(script) + 1)
            script.insert(end, ("unlock", 0))
            script.insert(place, ("lock", 0))

    def add_fault(self):
        self.rng.choices((self.fault_tag, self.fault_peer, self.fault_comm, self.fault_missing,
                          self.fault_skip, self.fault_other_collective, self.fault_order,
                          self.fault_cycle, self.fault_leave, self.fault_die, self.fault_lock),
                         (4, 2, 3, 4, 4, 4, 2, 4, 4, 1.5, 1.5))[0]()

    def add_work(self):
        """Some ranks work for ever once they are all there."""
        comm, group = self.pick_group()
        name = self.rng.choice(("work_ring", "work_reduce", "work_serve"))
        size, pause = self.rng.choice((8, 800, 300000)), self.rng.choice((0, 0, 1, 10))
        for rank in group:
            self.add(rank, "barrier", comm)
            self.add(rank, name, comm, size, pause)


def add_faults(maker, kind):
    if kind == "hang":
        maker.rng.choice((maker.fault_stop, maker.fault_stop, maker.fault_die, maker.fault_seize))()
    elif kind == "deadlock" or maker.rng.random() < 0.7:
        for _ in range(maker.rng.choice((1, 1, 1, 2))):
            maker.add_fault()


def make(rng, kind):
    """A program and its ends; None if they are not determined or not of this kind."""
    maker = Maker(rng, rng.choice((2, 2, 2, 3, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 6, 8)))
    if maker.second is not None:
        maker.second_phases()
    for _ in range(rng.randrange(1, 7)):
        maker.add_phase()
    add_faults(maker, kind)
    if rng.random() < (0.6 if kind == "no deadlock seen" else 0.15):
        maker.add_work()
    program = maker.program
    program.threads = {key: script for key, script in program.threads.items() if script or not key[1]}
    try:
        ends = Model(program).explore()
    except Undetermined:
        return None
    if len({end.positions for end in ends}) < len(ends) or len(ends) > MAX_ENDS:
        return None
    allowed = {kind, "hang"} if kind == "no deadlock seen" else {kind}
    if any(kind not in end.kinds() or not end.kinds() <= allowed or end.works_alone() or
           set(end.activities.values()) == {"ended"} for end in ends):
        return None
    return program, ends


def generate(seed):
    """The first program of the seed that is worth a look, and the ends it can come to."""
    rng = random.Random("campaign %d" % seed)
    kind = rng.choices(("deadlock", "hang", "no deadlock seen"), (72, 12, 16))[0]
    while True:
        made = make(rng, kind)
        if made:
            made[0].remarks.append("seed %d" % seed)
            return made
