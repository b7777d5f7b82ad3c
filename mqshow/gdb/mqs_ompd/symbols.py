# SPDX-License-Identifier: BSD-3-Clause
"""Symbols and types of the current inferior, as gdb has them."""

import contextlib
import re

import gdb

_NAME = re.compile(r"[A-Za-z0-9_.$@]+\Z")
_AGGREGATES = (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION)
MASK = (1 << 64) - 1
_NESTING = 8


def _is_shadowed(name):
    """Whether a local variable of the selected frame hides the symbol."""
    try:
        symbol = gdb.lookup_symbol(name)[0]
        return symbol is not None and symbol.needs_frame
    except gdb.error:
        return False


def address(name):
    """Address of a variable or function, also of one without debug information; None: there is none."""
    if not _NAME.match(name):
        return None
    try:
        if _is_shadowed(name):
            symbol = gdb.lookup_global_symbol(name)
            value = symbol.value().address if symbol is not None else None
        else:
            value = gdb.parse_and_eval("&'%s'" % name)
        return int(value) & MASK if value is not None else None
    except (gdb.error, TypeError):
        return None


def _look_up(name):
    try:
        found = gdb.lookup_type(name)
        return found, found.strip_typedefs()
    except gdb.error:
        return None, None


def _is_complete(plain):
    return plain is not None and not (plain.code in _AGGREGATES and plain.sizeof == 0)


def find_type(name):
    """A complete type of that name: a typedef, a basic type, or what has it as tag; None: there is
    none. One file may have only the typedef, another the struct behind it."""
    if name.startswith("class "):
        name = "struct " + name[len("class "):]
    has_keyword = name.startswith(("struct ", "union ", "enum "))
    for form in ("%s",) if has_keyword else ("%s", "struct %s", "union %s", "enum %s"):
        found, plain = _look_up(form % name)
        if _is_complete(plain):
            return plain
        tag = plain.tag if found is not None else None
        if tag and tag != name:
            plain = _look_up("struct " + tag)[1]
            if _is_complete(plain):
                return plain
    return None


def field_offset(kind, name, nesting=0):
    """Offset of a field in bytes, also of one in an anonymous struct; -1: there is none, or it is a
    bit field."""
    if kind.code not in _AGGREGATES or nesting > _NESTING:
        return -1
    for field in kind.fields():
        if not hasattr(field, "bitpos"):
            continue
        if field.name == name:
            return field.bitpos // 8 if field.bitsize == 0 and field.bitpos % 8 == 0 else -1
        if not field.name:
            inside = field_offset(field.type.strip_typedefs(), name, nesting + 1)
            if inside >= 0:
                return field.bitpos // 8 + inside
    return -1


def sizeof(name):
    return gdb.lookup_type(name).sizeof


def pointer_size():
    return gdb.lookup_type("char").pointer().sizeof


def is_big_endian():
    return "big endian" in gdb.execute("show endian", to_string=True)


@contextlib.contextmanager
def names_as_they_are():
    """Keeps gdb from taking the compiler's names for names in C++ or Ada."""
    setting = "set print demangle %s"
    was_on = gdb.parameter("print demangle")
    gdb.execute(setting % "off", to_string=True)
    try:
        yield
    finally:
        gdb.execute(setting % ("on" if was_on else "off"), to_string=True)


_WHERE = re.compile(r"(\S.*?)(?: \+ (\d+))? in section ")


def symbol_at(addr):
    """Name of the symbol that an address is in, and how far behind its beginning; (None, 0)."""
    try:
        with names_as_they_are():
            found = _WHERE.match(gdb.execute("info symbol 0x%x" % addr, to_string=True))
    except gdb.error:
        found = None
    return (found.group(1), int(found.group(2) or 0)) if found else (None, 0)


_VARIABLE = re.compile(r"0x([0-9a-f]+) +(\S+)$")


def variables(prefix):
    """Names and addresses of the variables whose names begin so."""
    # What gdb compares may be the name without the first dot.
    with names_as_they_are():
        text = gdb.execute("info variables " + re.escape(prefix.lstrip(".")), to_string=True)
    for line in text.splitlines():
        found = _VARIABLE.match(line)
        if found and found.group(2).startswith(prefix):
            yield found.group(2), int(found.group(1), 16)
