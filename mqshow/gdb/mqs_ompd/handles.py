# SPDX-License-Identifier: BSD-3-Clause
"""MPI handles in gdb: pretty-printers of MPI's types, and the command "mpi handle"."""

import contextlib
import re

import gdb

from . import answers
from .arguments import Problem


class Handles:
    """@param process_of makes of an inferior what mqshow can read; kept restores what is selected"""

    def __init__(self, library, process_of, kept, errors):
        self._library, self._process_of, self._kept, self._errors = library, process_of, kept, errors
        self._answers, self._is_asking = answers.Answers(), False
        for event in (gdb.events.cont, gdb.events.exited, gdb.events.memory_changed, gdb.events.inferior_call,
                      gdb.events.new_objfile):
            event.connect(self._answers.clear)

    def describe(self, kind, value, fortran=False):
        """@raise Problem when it cannot be found out"""
        inferior = gdb.selected_inferior()
        if inferior.pid == 0:
            raise Problem("no process")
        process = self._process_of(inferior)
        if process.runs():
            raise Problem("%s is running" % process.full_name())
        self._is_asking = True
        try:
            with self._kept():
                return self._answers.find(process, self._errors, self._library.value, kind, value, fortran)
        finally:
            self._is_asking = False

    def printer(self, value):
        """gdb asks for the printer of each value that it prints."""
        found = None if self._is_asking else handle_of(value)
        return Printer(self, value, *found) if found else None


def handle_of(value):
    """Kind and number of a handle, and whether it is an INTEGER; None: the type is none of MPI's."""
    name = value.type.name or ""
    kind = answers.KINDS.get(name)
    base = value.type.strip_typedefs()
    with contextlib.suppress(gdb.error, OverflowError):
        if kind == "status" and base.code == gdb.TYPE_CODE_STRUCT and value.address is not None:
            return kind, int(value.address) & answers.WORD, False
        if kind is not None and base.code in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_INT):
            return kind, int(value) & ((1 << 8 * base.sizeof) - 1), False
        kind = answers.FORTRAN.get(re.sub(r"\s", "", name.lower()))
        if kind is not None and base.code == gdb.TYPE_CODE_STRUCT and len(base.fields()) == 1:
            return kind, int(value[base.fields()[0].name]), True
    return None


def is_integer(value):
    """Whether it is an INTEGER of Fortran, as handles are in mpif.h and the module mpi."""
    return (value.type.strip_typedefs().name or "").lower().startswith("integer")


class Printer:
    """A handle: its number, and what it is."""

    def __init__(self, handles, value, kind, number, fortran):
        self._handles, self._value, self._kind, self._number, self._fortran = handles, value, kind, number, fortran

    def to_string(self):
        number = str(self._number) if self._fortran else "%#x" % self._number
        try:
            text = self._handles.describe(self._kind, self._number, self._fortran)
        except (Problem, gdb.error, ValueError):
            text = None
        if self._kind == "status":
            return text or ""
        return "%s %s" % (number, text) if text else number

    def children(self):
        if self._kind == "status":
            for field in self._value.type.strip_typedefs().fields():
                yield field.name, self._value[field]


class Command(gdb.Command):
    __doc__ = answers.HELP % ("\"print\" and\n\"info locals\" show the same of variables; \"disable pretty-printer global "
                              "mqs-ompd\" ends that.")

    def __init__(self, handles):
        super().__init__("mpi handle", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)
        self._handles = handles

    def invoke(self, argument, _from_tty):
        expression, kind = answers.split(argument)
        try:
            value = gdb.parse_and_eval(expression)
            found = (kind, int(value), is_integer(value)) if kind else handle_of(value)
            if not found:
                raise Problem(answers.NO_TYPE % value.type)
            text = self._handles.describe(*found)
        except (Problem, gdb.error) as error:
            raise gdb.GdbError("mpi handle: %s" % error)
        gdb.write(answers.line(*found, text))


class _Collection:
    """gdb's list of pretty-printers has it by this name."""

    name, enabled, subprinters = "mqs-ompd", True, None

    def __init__(self, handles):
        self._handles = handles

    def __call__(self, value):
        return self._handles.printer(value)


def register(library, process_of, kept, errors):
    handles = Handles(library, process_of, kept, errors)
    Command(handles)
    gdb.pretty_printers[:] = [one for one in gdb.pretty_printers if getattr(one, "name", None) != _Collection.name]
    gdb.pretty_printers.append(_Collection(handles))
