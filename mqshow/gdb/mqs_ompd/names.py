# SPDX-License-Identifier: BSD-3-Clause
"""Names of functions and variables as people write them, out of those that compilers make. The rules
are those of mqshow/symbols/names.c."""

import contextlib
import functools
import re

import gdb

from .text import escape

# What compilers put into the names of functions that they make of OpenMP regions and tasks.
_MARKS = (".omp_", ".omp.", "._omp_")
_SUFFIX = re.compile(r"\.(constprop\.|part\.|isra\.|cold|lto_priv\.|llvm\.|[0-9])")
_MODULE = re.compile(r"__(.+?)_MOD_(.+)", re.DOTALL)
_OPERATOR = re.compile(r"operator(<=>|<<=|>>=|->\*|\(\)|\[\]|<<|>>|<=|>=|->|<|>)")
_QUALIFIERS = re.compile(r"( const| volatile| &&| &)*")
_ANONYMOUS = "(anonymous namespace)"
_CLOSING = {"<": ">", "(": ")", "[": "]", "{": "}"}
_SYMBOL_MAX, _SHOWN_MAX = 1024, 1000


def mark_in(name):
    """Where the compiler's addition to a name begins; -1: there is none."""
    return next((at for at in map(name.find, _MARKS) if at >= 0), -1)


def _skip_bracket(name, at):
    awaited = []
    while at < len(name):
        found = _OPERATOR.match(name, at)
        if found or name.startswith("->", at):
            at = found.end() if found else at + 2
            continue
        if awaited and name[at] == awaited[-1]:
            awaited.pop()
        elif name[at] in _CLOSING:
            awaited.append(_CLOSING[name[at]])
        at += 1
        if not awaited:
            break
    return at


def _shorten(name):
    """A name without the arguments of functions and templates, and the type of a result."""
    ret, at = "", 0
    while at < len(name):
        is_inside = ret[-1:].isalnum() or ret[-1:] in ("_", "$")
        found = None if is_inside and ret else _OPERATOR.match(name, at)
        if found or name.startswith(_ANONYMOUS, at):
            end = found.end() if found else at + len(_ANONYMOUS)
            ret, at = ret + name[at:end], end
        elif name[at] in "<([":
            ret += "<...>" if name[at] == "<" else ""
            at = _QUALIFIERS.match(name, _skip_bracket(name, at)).end()
        elif name[at] == " " and not ret.endswith("operator"):
            ret, at = "", at + 1
        else:
            ret, at = ret + name[at], at + 1
    return ret[:-len("::operator()")] if ret.endswith("}::operator()") else ret


@functools.lru_cache(maxsize=4096)
def readable(symbol):
    """The short name that a symbol, or gdb's name for one, stands for; None: the name is the
    compiler's from its beginning on."""
    cut = mark_in(symbol)
    plain = symbol[:cut] if cut >= 0 else symbol
    suffix = _SUFFIX.search(plain)
    plain = plain[:suffix.start()] if suffix else plain
    if not plain:
        return None
    if len(plain) > _SYMBOL_MAX and plain.startswith("_Z"):
        return escape(symbol[:_SHOWN_MAX])
    found = _MODULE.fullmatch(plain)
    if found:
        plain = found.group(1) + "::" + found.group(2)
    elif plain.startswith("_Z"):
        with contextlib.suppress(gdb.error):
            plain = gdb.execute("demangle -l c++ -- " + plain, to_string=True).strip()
    return escape(_shorten(plain)[:_SHOWN_MAX])
