# SPDX-License-Identifier: BSD-3-Clause
"""The arguments of the commands: options, lists of numbers, completion."""

import re

import gdb

_LIST = re.compile(r"\d+(-\d+)?(,\d+(-\d+)?)*\Z")
_MOST = 1000000

# Name, whether it has a value.
COMMON = {"--json": False, "--inferior": True, "--rank": True}


class Arguments:
    """What a command was called with: options by their names."""

    def __init__(self, command, text, options):
        self.command, self.options, self.values = command, dict(COMMON, **options), {}
        try:
            words = gdb.string_to_argv(text)
        except gdb.error as error:
            self._fail(str(error))
        while words:
            self._take(words)

    def _fail(self, problem):
        raise gdb.GdbError("%s: %s; see \"help %s\"" % (self.command, problem, self.command))

    def _take(self, words):
        name, equals, value = words.pop(0).partition("=")
        if name not in self.options:
            self._fail("%s is not an option; these are: %s" %
                       (name, " ".join(sorted(self.options))))
        if not self.options[name]:
            if equals:
                self._fail("%s has no value" % name)
            value = True
        elif not equals:
            if not words:
                self._fail("%s needs a value" % name)
            value = words.pop(0)
        self.values[name] = value

    def has(self, name):
        return name in self.values

    def numbers(self, name):
        """The numbers of a list like 0-3,7 as a set; None when the option is not given."""
        text = self.values.get(name)
        if text is None:
            return None
        if not _LIST.match(text):
            self._fail("%s wants numbers like 0-3,7, not \"%s\"" % (name, text))
        found = set()
        for part in text.split(","):
            first, _, last = part.partition("-")
            first, last = int(first), int(last or first)
            if not first <= last < first + _MOST:
                self._fail("%s: %s is no range" % (name, part))
            found.update(range(first, last + 1))
        return found

    def inferiors(self, all_inferiors):
        wanted = self.numbers("--inferior")
        if wanted is None:
            return all_inferiors
        numbers = {inferior.num for inferior in all_inferiors}
        missing = sorted(wanted - numbers)
        if missing:
            self._fail("there is no process in inferior %d; \"info inferiors\" lists them" % missing[0])
        return [inferior for inferior in all_inferiors if inferior.num in wanted]


def complete(options, text, word):
    """The options that the last word can become. gdb's word begins behind the dashes."""
    last = re.split(r"\s", text)[-1]
    names = sorted(dict(COMMON, **options))
    return [name[len(last) - len(word):] for name in names if name.startswith(last)]
