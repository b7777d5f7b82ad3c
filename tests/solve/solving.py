# SPDX-License-Identifier: BSD-3-Clause
"""Finds offsets of members by the values that they must have in known objects.

Nothing here knows a process: objects are bytes with an address, facts are values. An offset is
believed for what agrees with it, and the answer says how much that was.
"""
import re
import struct
from dataclasses import dataclass, field

WIDTHS = {"POINTER": 8, "LONG": 8, "ULONG": 8, "SIZE": 8, "INT64": 8, "UINT64": 8, "INT": 4, "UINT": 4,
          "INT32": 4, "UINT32": 4, "INT16": 2, "UINT16": 2, "INT8": 1, "UINT8": 1, "BOOL": 1}
CONTEXT_STEP = 16  # numbers of MPICH's contexts that belong to one communicator


class Text(bytes):
    """A text that must be somewhere; other bytes are a number, aligned as its width asks for."""


@dataclass
class Object:
    """An object of the target: where it is, what is there, and what its members must be."""
    address: int
    data: bytes
    facts: dict = field(default_factory=dict)  # of a path, the bytes that must be there
    process: int = 0                           # which one it is of


@dataclass
class Answer:
    """What was found of a member."""
    path: str
    offsets: list   # that agree with all values
    values: int     # that were compared
    different: int  # of these
    nearest: tuple = None  # where none agrees: the offset with most, and how many

    @property
    def verdict(self):
        """In a word. One value alone is found everywhere."""
        if not self.offsets:
            return "refuted"
        if len(self.offsets) > 1:
            return "ambiguous"
        return "unique" if self.different > 1 else "weak"

    def __str__(self):
        if self.offsets:
            where = " ".join(map(str, self.offsets[:8])) + (" ..." if len(self.offsets) > 8 else "")
        else:
            where = "no offset" + (f", {self.nearest[0]} has {self.nearest[1]}" if self.nearest else "")
        return (f"{self.path}: {where}: {self.verdict}, "
                f"{self.values} values, {self.different} different")


def places(data, wanted):
    """Offsets at which a value is."""
    step = 1 if isinstance(wanted, Text) else len(wanted)
    at = data.find(wanted)
    while at >= 0:
        if at % step == 0:
            yield at
        at = data.find(wanted, at + 1)


def solve(path, objects):
    """Where a member is, of the objects that have a fact about it."""
    votes, judged = {}, [o for o in objects if path in o.facts]
    for known in judged:
        for offset in places(known.data, known.facts[path]):
            votes[offset] = votes.get(offset, 0) + 1
    agreeing = sorted(o for o, count in votes.items() if count == len(judged))
    best = max(votes.items(), key=lambda item: item[1], default=None)
    return Answer(path, agreeing, len(judged), len({o.facts[path] for o in judged}),
                  None if agreeing else best)


def solve_own_pointer(path, objects):
    """Where an object has a pointer to a place in itself, the same in all; `cc_ptr` is one."""
    distances = {}
    for known in objects:
        for offset in range(0, len(known.data) - 7, 8):
            distance = int.from_bytes(known.data[offset:offset + 8], "little") - known.address
            distances.setdefault(offset, []).append(distance)
    agreeing = [offset for offset, found in distances.items()
                if len(found) == len(objects) and len(set(found)) == 1 and
                0 < found[0] < len(objects[0].data)]
    return Answer(path, agreeing, len(objects), len(objects))


def is_contexts(objects, offset, width):
    """Whether two neighbours are the two context ids: equal but between two groups, of world and self
    the known ones, of all others different ones."""
    seen = set()
    for known in objects:
        pair = [int.from_bytes(known.data[at:at + width], "little")
                for at in (offset, offset + width)]
        handle = known.facts["handle"]
        inter = known.facts.get("comm_kind", b"\0")[0] == 1
        if pair[0] != pair[1] and not inter or any(value % CONTEXT_STEP for value in pair):
            return False
        if handle == struct.pack("<I", 0x44000000) and pair != [0, 0]:
            return False
        if handle == struct.pack("<I", 0x44000001) and pair != [CONTEXT_STEP] * 2:
            return False
        seen.add((known.process, pair[1]))
    return len(seen) == len(objects)


def solve_contexts(objects):
    """Where the two context ids are, and how wide."""
    objects = [o for o in objects if "handle" in o.facts]
    answers = []
    for width in (2, 4):
        size = min((len(o.data) for o in objects), default=0)
        found = [offset for offset in range(0, size - 2 * width + 1, width)
                 if objects and is_contexts(objects, offset, width)]
        answers.append(Answer(f"context_id of {8 * width} bits", found, len(objects), len(objects)))
    return answers


def find_array(search, read, handles, smallest=64, largest=8192):
    """Address of the first of some objects that lie side by side, and their size, by the handles that
    they begin with. @return all that are possible"""
    found = []
    firsts = search(struct.pack("<I", handles[0]))
    seconds = sorted(search(struct.pack("<I", handles[1])))
    for first in firsts:
        for second in seconds:
            size = second - first
            if not smallest <= size <= largest or size % 8 != 0 or first % 8 != 0:
                continue
            heads = [read(first + i * size, 4) for i in range(len(handles))]
            if heads == [struct.pack("<I", handle) for handle in handles]:
                found.append((first, size))
    return found


class Needs:
    """A needs.def: kinds of members, and which struct is within which."""

    def __init__(self, text):
        rows = re.findall(r"^(?:FIELD|READING)\(([^()]*(?:\([^()]*\))?[^()]*)\)", text, re.M)
        self.kinds = {}
        for row in rows:
            parts = [part.strip() for part in row.split(",")]
            self.kinds[parts[0], parts[1]] = parts[-2]

    def width(self, owner, member):
        """Bytes of a number; 0 for what is none."""
        return WIDTHS.get(self.kinds.get((owner, member), ""), 0)

    def steps(self, owner, path):
        """The members that a path goes through, as (struct, member), and what is added to the end."""
        path, _, more = path.partition("#")[0].partition("+")
        steps = []
        for member in path.split("."):
            member, _, cast = member.partition(":")
            steps.append((owner, member))
            embeds = re.match(r"EMBEDS\((\w+)\)", self.kinds.get((owner, member), ""))
            owner = cast or (embeds.group(1) if embeds else "")
        return steps, int(more or 0)


class Block:
    """A block of a builtin.def."""

    def __init__(self, text, label):
        parts = re.split(r"^BLOCK \(\"([^\"]*)\", \d+\)$", text, flags=re.M)
        blocks = dict(zip(parts[1::2], parts[2::2]))
        if label not in blocks:
            raise KeyError(f"no block \"{label}\"; there are: {', '.join(blocks)}")
        rows = blocks[label]
        for like in re.findall(r"^LIKE \(\"([^\"]*)\"\)", rows, re.M):
            rows = Block.rows(blocks, like) + rows
        self.offsets = {(owner, member): int(value) for owner, member, value in
                        re.findall(r"^OFFSET \((\w+), (\w+), (\d+)\)", rows, re.M)}
        self.sizes = {owner: int(value) for owner, value in
                      re.findall(r"^SIZE \((\w+), (\d+)\)", rows, re.M)}

    @staticmethod
    def rows(blocks, label):
        """Rows of a block, those of the ones that it is like first."""
        text = blocks[label]
        earlier = re.findall(r"^LIKE \(\"([^\"]*)\"\)", text, re.M)
        return "".join(Block.rows(blocks, like) for like in earlier) + text

    def offset(self, needs, owner, path):
        """Of a path from the start of its struct; None where the block does not say."""
        steps, more = needs.steps(owner, path)
        parts = [self.offsets.get(step) for step in steps]
        return None if None in parts else sum(parts) + more


def judge(answer, offset):
    """What an answer says of an offset of a block, in a word."""
    if offset is None or answer.values == 0:
        return "not judged"
    if offset in answer.offsets:
        return "agrees" if answer.verdict == "unique" else "possible"
    return "refuted"
