# SPDX-License-Identifier: BSD-3-Clause
"""Which pending operations a thread waits for, as its stack tells: what mqshow finds, by the same
rules. A call that waits has the address of the request in a register or on its part of the stack;
earlier calls may have left others there. A request that leads to the thread's stack is certain."""

import fnmatch

import gdb

from . import symbols

_STACK_MAX, _RED_ZONE, _PAGE, _REQUEST_BYTES = 1 << 16, 128, 4096, 256
_ARRAY_MAX, _MISSES_MAX = 1000000, 16
_QUEUES = ("receives", "sends")
# Calls that wait: for which operations, and for how many at most (0: any number).
_CALLS = (("MPI_Recv", "receives", 1), ("MPI_Mrecv", "receives", 1), ("MPI_Probe", "receives", 1),
          ("MPI_Mprobe", "receives", 1), ("MPI_Send", "sends", 1), ("MPI_[BRS]send", "sends", 1),
          ("MPI_Sendrecv*", "receives sends", 2), ("MPI_Wait", "receives sends", 1),
          ("MPI_Wait*", "receives sends", 0))
_ANY = ("MPI_Waitany", "MPI_Waitsome", "MPI_Testany", "MPI_Testsome")


class Part:
    """The part of a thread's stack that is MPI's, and the registers."""

    def __init__(self, start, end, registers):
        self.start, self.end, self.registers = start, end, registers

    def holds(self, addr):
        return self.start <= addr < self.end


def registers():
    """The general registers of the selected frame, as far as they are known."""
    found = []
    frame = gdb.selected_frame()
    for register in frame.architecture().registers("general"):
        try:
            found.append(int(frame.read_register(register)) & symbols.MASK)
        except (gdb.error, TypeError, ValueError, OverflowError):
            pass
    return found


def part(inner_sp, caller_sp, known):
    """The part between the stack pointers of the innermost frame and of the one that called MPI."""
    start = (inner_sp - _RED_ZONE) & ~7
    end = start + _STACK_MAX
    return Part(start, caller_sp if start < caller_sp < end else end, known)


class _Memory:
    def __init__(self, inferior):
        self._inferior, self.width = inferior, symbols.pointer_size()
        self._order = "big" if symbols.is_big_endian() else "little"

    def words(self, addr, size):
        """The words of a piece of memory; none when it cannot be read."""
        try:
            data = bytes(self._inferior.read_memory(addr, size))
        except gdb.error:
            return []
        return [int.from_bytes(data[at:at + self.width], self._order)
                for at in range(0, len(data) - self.width + 1, self.width)]


def _requests(process):
    """The operations that have not completed, by their requests."""
    found = {}
    for comm in process["communicators"]:
        for queue in _QUEUES:
            for op in comm.get(queue, ()):
                if "request" in op and op.get("status") != "complete":
                    found[int(op["request"], 16)] = (queue, op.get("blocked", False))
    return found


def _ask(memory, requests, parts):
    """The requests that lead to a thread's part of the stack, or lie in it, by thread."""
    certain = {}
    for request, (_, blocked) in requests.items():
        words = [request]
        if blocked:
            words += memory.words(request, _REQUEST_BYTES)
        for word in words:
            tid = next((tid for tid, one in parts.items() if one.holds(word)), None)
            if tid is not None:
                certain.setdefault(tid, set()).add(request)
                break
    return certain


def _words(memory, one):
    at = one.start
    while at < one.end:
        size = min((at | _PAGE - 1) + 1, one.end) - at
        yield from memory.words(at, size)
        at += size
    yield from one.registers


def _follow(memory, requests, one, addr):
    """The requests in an array that a word leads to."""
    if not addr or addr % memory.width or one.holds(addr):
        return set()
    found, misses = set(), 0
    for i in range(_ARRAY_MAX):
        word = memory.words(addr + i * memory.width, memory.width)
        if word and word[0] in requests:
            found.add(word[0])
            misses = 0
        elif not word or i == 0 or misses == _MISSES_MAX:
            break
        else:
            misses += 1
    return found


def _search(memory, requests, one):
    words = list(_words(memory, one))
    found = {word for word in words if word in requests}
    if not found:
        for word in set(words):
            found |= _follow(memory, requests, one, word)
    return found


def _rule(call):
    return next((rule for rule in _CALLS if fnmatch.fnmatchcase(call, rule[0])), None)


def _member(call, found, certain):
    return {"needs": "any" if call in _ANY else "all", "certain": certain,
            "requests": ["0x%x" % request for request in sorted(found)]}


def add(inferior, process, parts):
    """Adds member "awaits" to the threads of a process. @param parts Part by thread id"""
    memory, requests = _Memory(inferior), _requests(process)
    certain = _ask(memory, requests, parts)
    all_known = all(queue in comm for comm in process["communicators"] for queue in _QUEUES)
    for thread in process["threads"] if requests else ():
        tid, call = thread["tid"], thread.get("call", "")
        rule = _rule(call)
        if tid in certain:
            thread["awaits"] = _member(call, certain[tid], True)
        elif rule is not None and tid in parts:
            found = {request for request in _search(memory, requests, parts[tid])
                     if requests[request][0] in rule[1]}
            queues = [requests[request][0] for request in found]
            if found:
                alone = all_known and len(set(queues)) == len(queues) <= rule[2]
                thread["awaits"] = _member(call, found, alone)
