# SPDX-License-Identifier: BSD-3-Clause
"""What MPI allows a program to do: every order in which its steps can happen is followed to the end.

The rules are MPI's, not mqshow's: messages between two ranks on a communicator stay in order, those
of different ranks may pass each other; a receive takes the first message that fits, a message goes
to the first receive that fits. Messages of at most EAGER bytes are buffered, those from RENDEZVOUS
bytes on wait for their receive. Where MPI leaves free whether a rank may leave a collective, both
are followed.
"""
import collections
import copy

import sided
from ends import End
from rules import (ALONE, ANY, COLLECTIVES, COLLIDE, EAGER, EPOCHS, FOREVER, FREEZES, FROM_ROOT, ISENDS,
                   INSIDE, KEPT, LOCKING, LOCKS, MAX_STATES, NEIGHBOURS, NOBODY, NONBLOCKING, ON_FILE, ON_WINDOW, PERSISTENT,
                   SENDS, SYNCHRONISING, TEAM, TO_ROOT, UNLOCKING, UNTIMED, Undetermined)

# name: of a collective
Request = collections.namedtuple("Request", "kind rank comm group peer tag bytes sync name", defaults=(None,))
IS_NEIGHBOURS = NEIGHBOURS | {"i" + name for name in NEIGHBOURS}


class State:
    """Requests are known by thread and number, which are the same however the steps are ordered."""

    def __init__(self, program, order):
        self.position = [0] * len(order)  # by thread
        self.inside = [False] * len(order)  # the statement has begun
        self.slots = {}  # (thread, slot): request
        self.counts = [0] * len(order)  # of requests
        self.requests = {}
        self.complete, self.collected = frozenset(), frozenset()
        self.channels, self.unexpected, self.posted = {}, {}, {}
        self.entered = {}  # (comm, group, name): for each number, ranks and their arguments
        self.owned = {}  # (thread): what the statement that it is in waits for
        self.mutexes = {}
        self.sided = {}  # sided.py
        self.matched = frozenset()  # pairs of send and receive

    def clone(self):
        ret = copy.copy(self)
        for name in ("position", "inside", "counts"):
            setattr(ret, name, list(getattr(self, name)))
        for name in ("slots", "requests", "channels", "unexpected", "posted", "entered",
                     "owned", "mutexes", "sided"):
            setattr(ret, name, dict(getattr(self, name)))
        return ret

    def key(self):
        def items(table):
            return tuple(sorted((k, v) for k, v in table.items() if v))
        return (tuple(self.position), tuple(self.inside), self.complete, self.collected,
                items(self.channels), items(self.unexpected), items(self.posted),
                items(self.mutexes), items(self.sided),
                tuple(sorted((str(k), tuple(map(tuple, map(sorted, v))))
                             for k, v in self.entered.items())))


class Model:
    def __init__(self, program):
        self.program = program
        self.order = sorted(program.threads)
        self.threads_of = {rank: [i for i, (of, _) in enumerate(self.order) if of == rank]
                           for rank in range(program.ranks)}
        self.scripts = [self.whole_script(key) for key in self.order]
        self.wild = self.find_wild()
        self.shares = [self.shares_comms(rank) for rank in range(program.ranks)]

    # ---- what is known before

    def whole_script(self, key):
        """With what main() does at last. A process that exits is in MPI_Finalize before it ends."""
        script = list(self.program.threads[key])
        if ("exit",) in script:
            return script[:script.index(("exit",))] + [("finalize", 0)]
        is_member = key[1] in self.program.members(key[0])
        end = [("team_end",)] if is_member else [("join", 1)] if key[1] == 0 else []
        return script + end + ([("finalize", 0)] if key[1] == 0 else [])

    def find_wild(self):
        ret = set()
        for (rank, _), script in zip(self.order, self.scripts):
            for name, *a in script:
                if (name in ("recv", "probe", "iprobe", "mprobe") and a[1] == ANY) or \
                   (name in ("sendrecv", "sendrecv_replace") and a[4] == ANY):
                    ret.add((rank, a[0]))
                elif name in ("irecv", "recv_init") and a[2] == ANY:
                    ret.add((rank, a[1]))
        return ret

    def shares_comms(self, rank):
        """Whether what the rank's threads do depends on their order."""
        used = []
        for thread in self.threads_of[rank]:
            comms = set()
            for name, *a in self.scripts[thread]:
                if name in SENDS | COLLECTIVES | {"recv", "probe", "iprobe", "mprobe", "sendrecv",
                                                  "sendrecv_replace"} and name != "finalize":
                    comms.add(a[0])
                elif name in ISENDS | NONBLOCKING | {"irecv", "recv_init", "send_init", "ssend_init"}:
                    comms.add(a[1])
                elif name in LOCKING | UNLOCKING:
                    comms.add("mutex")
                elif name in FREEZES:
                    comms.add("all")
            used.append(comms)
        return len(used) > 1 and ("all" in frozenset().union(*used) or any(
            one & other for i, one in enumerate(used) for other in used[:i]))

    # ---- messages

    def rank_of(self, thread):
        return self.order[thread][0]

    def key_of(self, rank, comm):
        group = self.program.group(comm, rank)
        if group is None:
            raise Undetermined("no member of the communicator")
        return (comm, group)

    @staticmethod
    def world_peer(key, peer):
        if peer >= len(key[1]):
            raise Undetermined("no such rank")
        return peer if peer < 0 else key[1][peer]

    def add_request(self, state, thread, kind, comm, peer, tag, size, sync):
        rank = self.rank_of(thread)
        key = self.key_of(rank, comm)
        world = self.world_peer(key, peer)
        ret = (thread, state.counts[thread])
        state.counts[thread] += 1
        state.requests[ret] = Request(kind, rank, key[0], key[1], world, tag, size, sync)
        return ret

    def start_send(self, state, request):
        it = state.requests[request]
        if it.peer == NOBODY:
            state.complete |= {request}
            return
        channel = (it.rank, it.peer, it.comm)
        state.channels[channel] = state.channels.get(channel, ()) + (request,)
        if not it.sync:
            state.complete |= {request}

    @staticmethod
    def fits(receive, message):
        return receive.peer in (ANY, message.rank) and receive.tag in (ANY, message.tag)

    def match(self, state, send, receive):
        if state.requests[send].bytes > state.requests[receive].bytes:
            raise Undetermined("truncation")
        state.complete |= {send, receive}
        state.matched |= {(send, receive)}

    def start_receive(self, state, request):
        it = state.requests[request]
        if it.peer == NOBODY:
            state.complete |= {request}
            return
        place = (it.rank, it.comm)
        for message in state.unexpected.get(place, ()):
            if self.fits(it, state.requests[message]):
                state.unexpected[place] = tuple(m for m in state.unexpected[place] if m != message)
                self.match(state, message, request)
                return
        state.posted[place] = state.posted.get(place, ()) + (request,)

    def arrive(self, state, channel):
        message, place = state.channels[channel][0], (channel[1], channel[2])
        state.channels[channel] = state.channels[channel][1:]
        for request in state.posted.get(place, ()):
            if self.fits(state.requests[request], state.requests[message]):
                state.posted[place] = tuple(r for r in state.posted[place] if r != request)
                self.match(state, message, request)
                return
        if message in self.ready:
            raise Undetermined("no receive is there for a ready send")
        state.unexpected[place] = state.unexpected.get(place, ()) + (message,)

    # ---- statements

    def statement(self, state, thread):
        script, position = self.scripts[thread], state.position[thread]
        return script[position] if position < len(script) else None

    def begin(self, state, thread):
        """Does what the statement does at once; true: it may have to wait."""
        name, *a = self.statement(state, thread)
        if name in SENDS | ISENDS | {"send_init", "ssend_init", "recv", "irecv", "recv_init",
                                     "sendrecv", "sendrecv_replace", "start"}:
            return self.begin_message(state, thread, name, a)
        if name in COLLECTIVES:
            state.owned[thread] = (self.enter(state, thread, name, a),)
        elif name in NONBLOCKING:
            state.slots[thread, a[0]] = self.start_collective(state, thread, name, a[1:])
            return False
        elif name in PERSISTENT:
            state.slots[thread, a[0]] = request = self.add_collective(state, thread, name, a[1], None)
            state.collected |= {request}
            return False
        elif name in EPOCHS | LOCKS:
            return sided.begin(self, state, self.rank_of(thread), name, a)
        elif name in ("compute", "nap", "fork", "win_put", "win_flush"):
            return False
        elif name in UNLOCKING:
            state.mutexes[self.mutex(thread, name.replace("unlock", "lock"), a)] = None
            return False
        return True

    def add_collective(self, state, thread, name, comm, number):
        ret = self.add_request(state, thread, "collective", comm, NOBODY, number, 0, True)
        state.requests[ret] = state.requests[ret]._replace(name=name)
        return ret

    def start_collective(self, state, thread, name, a):
        _, number = self.enter(state, thread, name, a)
        return self.add_collective(state, thread, name, a[0], number)

    def begin_message(self, state, thread, name, a):
        slot = None
        if name in ISENDS | {"irecv", "send_init", "ssend_init", "recv_init", "start"}:
            slot, a = (thread, a[0]), a[1:]
        if name == "start":
            old = state.slots.get(slot)
            if old not in state.collected:
                raise Undetermined("no inactive request")
            it = state.requests[old]
            if it.kind == "collective":
                state.slots[slot] = self.start_collective(state, thread, it.name, (it.comm,))
                return False
            request = (thread, state.counts[thread])
            state.counts[thread] += 1
            state.requests[request] = it
            started = [request]
        elif name in ("recv", "irecv", "recv_init"):
            started = [self.add_request(state, thread, "receive", *a, False)]
        elif name in ("sendrecv", "sendrecv_replace"):
            started = [self.add_request(state, thread, "receive", a[0], *a[4:7], False),
                       self.add_request(state, thread, "send", *a[:4], a[3] > EAGER)]
        else:
            sync = name in ("ssend", "issend", "ssend_init") or \
                (name not in ("bsend", "ibsend") and a[3] > EAGER)
            started = [self.add_request(state, thread, "send", *a, sync)]
            if name in ("rsend", "irsend"):
                self.ready.add(started[0])
        if slot:
            state.slots[slot] = started[0]
        for request in started:
            if name.endswith("_init"):  # inactive
                state.complete |= {request}
                state.collected |= {request}
            elif state.requests[request].kind == "send":
                self.start_send(state, request)
            else:
                self.start_receive(state, request)
        if slot:
            return False
        state.owned[thread] = tuple(started)
        return True

    def meeting(self, rank, name, a):
        """What a collective of the rank is on, with whom, and in which order of collectives there."""
        if name == "finalize":
            return "finalize", tuple(range(self.program.ranks)), name
        if name in ON_WINDOW | ON_FILE:
            comm = self.program.files[a[0]] if name in ON_FILE else self.program.windows[a[0]][0]
            return "%s %d" % ("file" if name in ON_FILE else "window", a[0]), self.key_of(rank, comm)[1], name
        comm, group = self.key_of(rank, a[0])
        if name == "comm_create_group":
            group = group[a[1]:a[1] + a[2]]
        elif name == "intercomm_create":
            group = tuple(sorted(group + self.program.group(a[0], self.program.group(a[1], rank)[a[2]])))
        return comm, group, "nonblocking" if name in NONBLOCKING | PERSISTENT else name

    @staticmethod
    def arguments(name, a):
        """What all that meet have to say."""
        if name in NONBLOCKING | PERSISTENT:
            return (name,) + tuple(a[1:])
        return () if name == "intercomm_create" else tuple(a[1:])

    def enter(self, state, thread, name, a):
        """The n-th barrier of a rank on a communicator matches the others' n-th barrier there."""
        rank = self.rank_of(thread)
        key, arguments = self.meeting(rank, name, a), self.arguments(name, a)
        rounds = list(state.entered.get(key, ()))
        number = sum(any(of == rank for of, _ in there) for there in rounds)
        if len(rounds) == number:
            rounds.append(frozenset())
        if name in FROM_ROOT | TO_ROOT:
            self.world_peer(key, a[1])
        if any(others != arguments for _, others in rounds[number]):
            raise Undetermined("different arguments of a collective")
        rounds[number] |= {(rank, arguments)}
        state.entered[key] = tuple(rounds)
        self.check_collisions(state, key)
        return key, number

    def check_collisions(self, state, key):
        if not self.is_partial(state, key):
            return
        for other in state.entered:
            one, two = key[2], other[2]
            if other[0] == key[0] and other != key and self.is_partial(state, other) and \
                    ({one, two} & ALONE or (one, two) in COLLIDE or (two, one) in COLLIDE):
                raise Undetermined("collectives that may take each other's messages")

    @staticmethod
    def is_partial(state, key):
        return any(len(there) < len(key[1]) for there in state.entered.get(key, ()))

    @staticmethod
    def missing(state, key, number):
        return frozenset(key[1]) - {of for of, _ in state.entered[key][number]}

    @staticmethod
    def neighbours(group, rank):
        """Of a ring."""
        own = group.index(rank)
        return frozenset({group[own - 1], group[(own + 1) % len(group)]})

    def request_needs(self, state, it):
        """The ranks that a collective waits for, of its request."""
        missing = self.missing(state, (it.comm, it.group, "nonblocking"), it.tag)
        return missing & self.neighbours(it.group, it.rank) if it.name in IS_NEIGHBOURS else missing

    def collective_needs(self, state, thread, name, a):
        """Ranks that must enter before the thread may leave, and those that perhaps must."""
        (key, number), = state.owned[thread]
        group, rank, none = key[1], self.rank_of(thread), frozenset()
        missing = self.missing(state, key, number)
        if name in NEIGHBOURS:
            return missing & self.neighbours(group, rank), none
        if name in SYNCHRONISING:
            return missing, none
        if name in ON_FILE:  # whose data goes by another rank need not wait for it
            return none, missing
        root = group[a[1]] if name in FROM_ROOT | TO_ROOT else None
        if name in TO_ROOT:
            return (missing, none) if rank == root else (none, missing - {rank})
        if name in FROM_ROOT:
            return (frozenset({root}) if root in missing else none), missing
        return missing & frozenset(group[:group.index(rank)]), missing

    def may_leave(self, state, thread):
        """None: not yet. Else how: a list of sets of requests that are then collected; and whether
        it is sure to leave."""
        name, *a = self.statement(state, thread)
        rank = self.rank_of(thread)
        if name in FOREVER:
            return None
        if name in COLLECTIVES:
            needed, perhaps = self.collective_needs(state, thread, name, a)
            return None if needed else ([frozenset()], not perhaps)
        if name in EPOCHS | LOCKS:
            return sided.may_leave(self, state, rank, name, a)
        if name in ("probe", "iprobe", "mprobe"):
            return self.find_message(state, thread, name, a)
        if name == "join":
            joined = self.joined(rank, a[0])
            return ([frozenset()], True) if joined is None or self.statement(state, joined) is None else None
        if name in UNTIMED | KEPT:
            return None
        if name in LOCKING:
            return ([frozenset()], True) if state.mutexes.get(self.mutex(thread, name, a)) is None else None
        if name in TEAM:
            return None if self.not_come(state, thread) else ([frozenset()], True)
        pending = self.awaited(state, thread, name, a)
        done = frozenset(r for r in pending if self.is_complete(state, r))
        if name in ("waitany", "waitsome"):
            if not pending:
                return [frozenset()], True
            if not done:
                return None
            choices = [frozenset({r}) for r in sorted(done)]
            return (choices + ([done] if name == "waitsome" and len(done) > 1 else []), True)
        return ([done], True) if len(done) == len(pending) else None

    def mutex(self, thread, name, a):
        return self.rank_of(thread), name, a[0]

    def team_of(self, thread):
        rank = self.rank_of(thread)
        return [t for t in self.threads_of[rank] if self.order[t][1] in self.program.members(rank)]

    def barriers(self, state, thread):
        """How many of the team's barriers a thread has come to, and whether it has come to the region's end."""
        come = self.scripts[thread][:state.position[thread] + state.inside[thread]]
        return sum(name == "team_barrier" for name, *_ in come), ("team_end",) in come

    def not_come(self, state, thread):
        """The members of its team that have not come to the barrier that a thread is at."""
        own, at_end = self.barriers(state, thread)
        come = {t: self.barriers(state, t) for t in self.team_of(thread)}
        return frozenset(t for t, (number, is_end) in come.items() if (not is_end if at_end else number < own))

    def joined(self, rank, number):
        """The rank's thread of this number; None: it has none."""
        return next((t for t in self.threads_of[rank] if self.order[t][1] == number), None)

    def is_complete(self, state, request):
        it = state.requests[request]
        if it.kind == "collective":
            return it.tag is not None and not self.request_needs(state, it)
        return request in state.complete

    def awaited(self, state, thread, name, a):
        """The requests that are not collected yet."""
        if name in ("wait", "test"):
            requests = [state.slots.get((thread, a[0]))]
        elif name in ("waitall", "waitany", "waitsome", "testall"):
            requests = [state.slots.get((thread, slot)) for slot in a[1:1 + a[0]]]
        else:
            requests = state.owned.get(thread, ())
        return [r for r in requests if r is not None and r not in state.collected]

    def find_message(self, state, thread, name, a):
        rank = self.rank_of(thread)
        key = self.key_of(rank, a[0])
        if a[1] == NOBODY:
            return [frozenset()], True
        source = self.world_peer(key, a[1])
        wanted = Request("probe", rank, *key, source, a[2], 0, False)
        for message in state.unexpected.get((rank, key[0]), ()):
            if self.fits(wanted, state.requests[message]):
                return [frozenset({message})] if name == "mprobe" else [frozenset()], True
        return None

    def leave(self, state, thread, taken):
        name, *a = self.statement(state, thread)
        rank = self.rank_of(thread)
        if name == "mprobe" and taken:
            message, = taken
            place = (rank, a[0])
            if state.requests[message].bytes > a[3]:
                raise Undetermined("truncation")
            state.unexpected[place] = tuple(m for m in state.unexpected[place] if m != message)
            state.complete |= {message}
        else:
            state.collected |= taken
        if name in LOCKING:
            state.mutexes[self.mutex(thread, name, a)] = thread
        elif name in EPOCHS | LOCKS:
            sided.leave(self, state, rank, name, a)
        state.position[thread] += 1
        state.inside[thread] = False
        state.owned.pop(thread, None)

    # ---- steps

    def frozen(self, state, rank):
        return any(state.inside[t] and self.statement(state, t)[0] in FREEZES
                   for t in self.threads_of[rank])

    def is_out(self, state, rank):
        """Nobody makes the rank's messages go on."""
        return self.frozen(state, rank) or all(
            self.statement(state, t) is None or
            (state.inside[t] and (self.statement(state, t)[0] in FOREVER and
                                  FOREVER[self.statement(state, t)[0]] != "works" or
                                  self.statement(state, t)[0] in INSIDE))
            for t in self.threads_of[rank])

    def steps(self, state):
        """(function of a clone, whether it is safe to look at no other step, whether it is sure)"""
        for thread in range(len(self.order)):
            rank = self.rank_of(thread)
            if self.statement(state, thread) is None or self.frozen(state, rank):
                continue
            if not state.inside[thread]:
                yield (lambda s, t=thread: self.do_begin(s, t)), not self.shares[rank], True
                continue
            how = self.may_leave(state, thread)
            if how:
                choices, sure = how
                name = self.statement(state, thread)[0]
                safe = sure and len(choices) == 1 and not self.shares[rank] and \
                    name not in LOCKING | {"waitany", "waitsome", "win_lock"}
                for taken in choices:
                    yield (lambda s, t=thread, c=taken: self.leave(s, t, c)), safe, sure
        for channel, messages in state.channels.items():
            if messages and not self.is_out(state, channel[1]):
                safe = (channel[1], channel[2]) not in self.wild and not self.shares[channel[1]]
                yield (lambda s, c=channel: self.arrive(s, c)), safe, True

    def do_begin(self, state, thread):
        state.inside[thread] = True
        if not self.begin(state, thread):
            state.position[thread] += 1
            state.inside[thread] = False

    def explore(self):
        """All states in which nothing moves any more. @raise Undetermined"""
        self.ready = set()
        stack, seen, ends = [State(self.program, self.order)], set(), {}
        while stack:
            state = stack.pop()
            key = state.key()
            if key in seen:
                continue
            seen.add(key)
            if len(seen) > MAX_STATES:
                raise Undetermined("too many orders")
            steps = list(self.steps(state))
            safe = next((step for step in steps if step[1]), None)
            if safe:
                steps = [safe]
            elif not any(sure for _, _, sure in steps):
                end = End(self, state)
                ends.setdefault(end.signature, end)
            for step, _, _ in steps:
                following = state.clone()
                step(following)
                stack.append(following)
        return list(ends.values())
