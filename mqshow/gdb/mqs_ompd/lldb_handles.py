# SPDX-License-Identifier: BSD-3-Clause
"""MPI handles in lldb: summaries of variables of MPI's types, and the command "mpi handle"."""

import contextlib
import re

import lldb

from . import answers
from .arguments import Problem

CATEGORY = "mqs-ompd"
_answers, _stops = answers.Answers(), {}


def handle_of(value):
    """Kind and number of a handle, and whether it is an INTEGER; None: the type is none of MPI's."""
    name, base = value.GetTypeName() or "", value.GetType().GetCanonicalType()
    kind, number = answers.KINDS.get(name), value.GetValueAsUnsigned()
    if kind == "status":
        address = value.GetLoadAddress()
        return None if address == lldb.LLDB_INVALID_ADDRESS else (kind, address, False)
    if kind is not None:
        return kind, number & ((1 << 8 * base.GetByteSize()) - 1), False
    kind = answers.FORTRAN.get(re.sub(r"\s", "", name.lower()))
    if kind is not None and value.GetNumChildren() == 1:
        return kind, value.GetChildAtIndex(0).GetValueAsSigned(), True
    return None


def _describe(process_of, errors, target, kind, number, fortran):
    """@raise Problem when it cannot be found out"""
    process, stop = process_of(0, target), target.GetProcess().GetStopID()
    if target.GetProcess().GetNumThreads() == 0:
        raise Problem("no process")
    if process.runs():
        raise Problem("%s is running" % process.full_name())
    if _stops.get(process.pid) != stop:
        _answers.clear()
        _stops[process.pid] = stop
    return _answers.find(process, errors, None, kind, number, fortran)


def summary(value, _internal):
    """lldb asks for the text behind each value of MPI's types."""
    from . import with_lldb
    found = handle_of(value)
    with contextlib.suppress(Problem, OSError, ValueError):
        return _describe(with_lldb.Process, with_lldb.ERRORS, value.GetTarget(), *found) if found else None
    return None


def command(debugger, argument, process_of, errors):
    """What "mpi handle EXPRESSION [KIND]" prints."""
    expression, kind = answers.split(argument)
    target = debugger.GetSelectedTarget()
    frame = target.GetProcess().GetSelectedThread().GetSelectedFrame()
    value = frame.EvaluateExpression(expression) if frame.IsValid() else target.EvaluateExpression(expression)
    if value.GetError().Fail():
        raise Problem("mpi handle: %s" % value.GetError())
    is_integer = value.GetType().GetCanonicalType().GetName().lower().startswith("integer")
    found = (kind, value.GetValueAsUnsigned(), is_integer) if kind else handle_of(value)
    if not found:
        raise Problem("mpi handle: " + answers.NO_TYPE % value.GetTypeName())
    return answers.line(*found, _describe(process_of, errors, target, *found))


def register(debugger):
    names = " ".join(answers.KINDS)
    debugger.HandleCommand("type summary add -w %s -F %s.summary %s" % (CATEGORY, __name__, names))
    debugger.HandleCommand("type category enable %s" % CATEGORY)
