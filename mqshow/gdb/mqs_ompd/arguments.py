# SPDX-License-Identifier: BSD-3-Clause
"""The commands, what each asks mqshow for, and their options."""

import re

# Name, whether it has a value.
_COMMON = {"--json": False, "--inferior": True, "--rank": True}
_COMM, _ALL = {"--comm": True}, {"--all": False}
_LIST = re.compile(r"\d+(-\d+)?(,\d+(-\d+)?)*\Z")
_MOST = 1000000
_USAGE = "\n\nUsage: %s %s[--rank LIST] [--inferior LIST] [--json]\n\n"


class Problem(Exception):
    """What a user did wrong, or what cannot be shown, in words."""


class Command:
    """A command that mqshow answers."""

    def __init__(self, name, only, options, brief, details=""):
        self.name, self.only, self.options = name, only, dict(_COMMON, **options)
        words = "".join("[%s%s] " % (word, " LABEL|ID" if options[word] else "")
                        for word in options)
        self.help = (brief + _USAGE % (name, words) + details).strip()

    def fail(self, problem):
        raise Problem("%s: %s" % (self.name, problem))

    def read(self, words):
        """The options that were given, by their names."""
        given, words = {}, list(words)
        while words:
            name, equals, value = words.pop(0).partition("=")
            if name not in self.options:
                self.fail("unknown option %s; options: %s; see \"help %s\"" % (
                    name.encode("ascii", "backslashreplace").decode(), " ".join(sorted(self.options)), self.name))
            if not self.options[name]:
                if equals:
                    self.fail("%s takes no value" % name)
                value = True
            elif not equals:
                if not words:
                    self.fail("%s needs a value" % name)
                value = words.pop(0)
            given[name] = value
        return given

    def numbers(self, given, name):
        """The numbers of a list like 0-3,7 as a set; None when the option is not given."""
        text = given.get(name)
        if text is None:
            return None
        if not _LIST.match(text):
            self.fail("%s needs numbers like 0-3,7, not \"%s\"" % (name, text))
        found = set()
        for part in text.split(","):
            first, _, last = part.partition("-")
            first, last = int(first), int(last or first)
            if not first <= last < first + _MOST:
                self.fail("%s: %s is not a range" % (name, part))
            found.update(range(first, last + 1))
        return found

    def complete(self, text, word):
        """The options that the last word can become. gdb's word begins behind the dashes."""
        last = re.split(r"\s", text)[-1]
        return [name[len(last) - len(word):] for name in sorted(self.options)
                if name.startswith(last)]

    def for_mqshow(self, given):
        """The arguments of mqshow."""
        ret = ["--only", self.only]
        for name in given:
            if name == "--rank" or name == "--comm":
                ret += ["%s=%s" % (name, given[name])]
            elif name != "--inferior":
                ret.append(name)
        return ret


_OF_ALL = """

All processes that the debugger holds are shown, live or from cores. They must stand still.
Options of all these commands%s:
  --json            print JSON as mqshow does
  --inferior LIST   only these inferiors, like 1-3,5
  --rank LIST       only these ranks in MPI_COMM_WORLD"""
GROUPS = {
    "mpi": "MPI of the debugged processes: communicators, message queues, who waits for whom." + _OF_ALL % "",
    "omp": "OpenMP of the debugged processes: threads, parallel regions, tasks, control variables." +
           _OF_ALL % " but omp bt",
}

COMMANDS = [
    Command("mpi comms", "comms", _COMM, "List the communicators of the processes.",
            """A line for each communicator: its label, its size, the rank of the process in it, and how
many operations are pending on it."""),
    Command("mpi queues", "queues", _COMM,
            "List the pending receives, unexpected messages and pending sends.",
            """A line for each operation: its kind, the rank of the other process in the communicator
(and in MPI_COMM_WORLD), the tag, the data, its size, and its state. Receives are in the order in
which they will match."""),
    Command("mpi handles", "handles", _ALL, "List the MPI objects that the program has made and not freed.",
            """Communicators, groups, datatypes, requests, windows, files, ...: a line for each, with its handle and
what it is. With --all those that MPI has made are listed as well."""),
    Command("mpi group", "groups", {}, "Group the ranks by what they do.",
            """Ranks whose threads are in the same MPI calls, made from the same places, are one group.
Idle threads of OpenMP do not count."""),
    Command("mpi waitfor", "waits", {}, "Show who waits for whom, and whether that can end.",
            """Only ranks that the debugger holds count: with some ranks of a job it can be but a part of
the truth."""),
    Command("omp threads", "threads", {}, "List the threads of the OpenMP runtime.",
            """A line for each: the debugger's number of it, its id in the operating system, its number
in its team, the parallel region, its state, the lock or critical construct that it waits for, and
the explicit task that it executes."""),
    Command("omp regions", "regions", _ALL,
            "Show the parallel regions as a tree with the threads of their teams.",
            """A region that a thread of the team has started stands below that thread. With --all the
region around the whole program is shown as well."""),
    Command("omp tasks", "tasks", _ALL,
            "List the explicit tasks that threads execute or have interrupted.",
            "What generated them is shown, too. With --all the implicit tasks are listed as well."),
    Command("omp icvs", "icvs", {},
            "List OpenMP's internal control variables of the process, the regions, threads and tasks."),
]
