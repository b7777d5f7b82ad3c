# SPDX-License-Identifier: BSD-3-Clause
"""What all commands share: the way from the arguments to the output, and what users see of errors."""

import inspect
import json

import gdb

from . import arguments, document, inferiors, text


class Prefix(gdb.Command):
    """A word before other commands; without one of them it lists what there is."""

    name = None

    def __init__(self):
        self.__doc__ = inspect.getdoc(type(self))
        super().__init__(self.name, gdb.COMMAND_STATUS, gdb.COMPLETE_NONE, True)

    def invoke(self, argument, _from_tty):
        if argument.strip():
            raise gdb.GdbError("\"%s %s\" is no command; \"help %s\" lists those there are" %
                               (self.name, text.escape(argument.strip().split()[0]), self.name))
        gdb.execute("help " + self.name)


class Command(gdb.Command):
    """A command that looks at processes and shows them as text or JSON."""

    name = None
    options = {}
    wanted = None
    subject = advice = ""

    def __init__(self):
        self.__doc__ = inspect.getdoc(type(self))
        super().__init__(self.name, gdb.COMMAND_STATUS)

    def complete(self, line, word):
        return arguments.complete(self.options, line, word)

    def invoke(self, argument, _from_tty):
        given = arguments.Arguments(self.name, argument, self.options)
        chosen = given.inferiors(inferiors.with_process())
        ranks = given.numbers("--rank")
        entries, problems = document.gather(chosen, ranks, self.want(given))
        entries = self._keep(entries, problems, ranks)
        self.narrow(given, entries)
        if given.has("--json"):
            text.write(json.dumps(self.json(entries, problems), indent=1) + "\n")
            return
        self.show(entries, given)
        text.write_lines(["note: " + problem for problem in problems])

    def _keep(self, entries, problems, ranks):
        """The entries that the command has something to show of; an error when there are none."""
        kept = [entry for entry in entries if self.has_subject(entry)]
        if kept:
            return kept
        if ranks is not None and not entries and not problems:
            raise gdb.GdbError("%s: no process has rank %s; \"mpi comms\" shows the ranks" %
                               (self.name, text.ranges(ranks)))
        reasons = problems + [self._lack(entry) for entry in entries]
        raise gdb.GdbError("%s: %s" % (self.name, "\n".join(reasons)))

    def _lack(self, entry):
        said = "; ".join(entry.process["messages"]) or self.advice
        return "%s has no %s that can be shown: %s" % (inferiors.name(entry.inferior), self.subject, said)

    def notes(self, entry):
        text.write_lines(["  note: " + message for message in entry.process["messages"]])

    # What commands differ in.

    def want(self, _given):
        return self.wanted

    def narrow(self, given, entries):
        """Leaves out what was not asked for."""

    def has_subject(self, entry):
        raise NotImplementedError

    def json(self, entries, problems):
        return document.whole(entries, problems)

    def show(self, entries, given):
        raise NotImplementedError
