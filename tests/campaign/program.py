# SPDX-License-Identifier: BSD-3-Clause
"""A script that tests/campaign/perform.c performs: communicators, and the statements of each thread."""


LEVELS = ("single", "funneled", "serialized", "multiple")  # of threads, as MPI knows them


class Program:
    """README.md documents the text. Statements are tuples: the operation's name and numbers."""

    def __init__(self, ranks):
        self.ranks = ranks
        self.level = "single"
        self.remarks = []  # for people
        self.seized = []  # (how, rank): what the driver does to ranks at last: "halt", "hold"
        self.comms = [("dup", 0, "MPI_COMM_WORLD", [])]
        self.groups = [[tuple(range(ranks))] * ranks]  # by communicator and rank; None: no member
        self.windows = []  # (comm, kind)
        self.files = []  # comm
        self.teams = {}  # rank: the size of its team of OpenMP, whose members are its first threads
        self.threads = {(rank, 0): [] for rank in range(ranks)}

    def add_dup(self, parent, name="-", kind="dup"):
        self.comms.append((kind, parent, name, []))
        self.groups.append(list(self.groups[parent]))
        return len(self.comms) - 1

    def add_split(self, parent, pairs, name="-"):
        """@param pairs color and key of each rank of the parent"""
        self.comms.append(("split", parent, name, pairs))
        groups = [None] * self.ranks
        for group in {group for group in self.groups[parent] if group}:
            colors = [pairs[i][0] for i in range(len(group))]
            for color in {color for color in colors if color >= 0}:
                order = sorted((pairs[i][1], i) for i in range(len(group)) if colors[i] == color)
                members = tuple(group[i] for _, i in order)
                for member in members:
                    groups[member] = members
        self.groups.append(groups)
        return len(self.comms) - 1

    def add_window(self, comm, kind):
        self.windows.append((comm, kind))
        return len(self.windows) - 1

    def add_file(self, comm):
        self.files.append(comm)
        return len(self.files) - 1

    def group(self, comm, rank):
        return self.groups[comm][rank]

    def members(self, rank):
        """Numbers of the threads of the rank's team."""
        return range(self.teams.get(rank, 0))

    def lets_call(self, thread):
        """Whether MPI's level lets a thread call it."""
        return thread == 0 or LEVELS.index(self.level) >= LEVELS.index("serialized")

    def add(self, rank, *statement, thread=0):
        self.threads.setdefault((rank, thread), []).append(statement)

    def text(self):
        lines = ["# " + remark for remark in self.remarks] + ["ranks %d" % self.ranks]
        if self.level != "single":
            lines.append(self.level)
        for kind, parent, name, pairs in self.comms[1:]:
            numbers = [str(number) for pair in pairs for number in pair]
            lines.append(" ".join(["comm", kind, str(parent), name] + numbers))
        lines += ["win %d %s" % it for it in self.windows] + ["file %d" % it for it in self.files]
        lines += ["team %d %d" % it for it in sorted(self.teams.items())]
        for (rank, thread), statements in sorted(self.threads.items()):
            for statement in statements:
                lines.append(" ".join(str(word) for word in (rank, thread) + tuple(statement)))
        lines += ["%s %d" % it for it in self.seized]
        return "\n".join(lines) + "\n"


def parse(text):
    program, remarks = None, []
    for line in text.splitlines():
        words = line.split()
        if line.startswith("#"):
            remarks.append(line[1:].strip())
        elif not words:
            continue
        elif words[0] == "ranks":
            program = Program(int(words[1]))
        elif words[0] in LEVELS:
            program.level = words[0]
        elif words[0] in ("halt", "hold"):
            program.seized.append((words[0], int(words[1])))
        elif words[0] == "comm" and words[1] in ("dup", "ring"):
            program.add_dup(int(words[2]), words[3], words[1])
        elif words[0] == "comm":
            numbers = [int(word) for word in words[4:]]
            program.add_split(int(words[2]), list(zip(numbers[::2], numbers[1::2])), words[3])
        elif words[0] == "win":
            program.add_window(int(words[1]), words[2])
        elif words[0] == "file":
            program.add_file(int(words[1]))
        elif words[0] == "team":
            program.teams[int(words[1])] = int(words[2])
            for thread in program.members(int(words[1])):
                program.threads.setdefault((int(words[1]), thread), [])
        else:
            program.add(int(words[0]), words[2], *(int(word) for word in words[3:]),
                        thread=int(words[1]))
    program.remarks = remarks
    return program
