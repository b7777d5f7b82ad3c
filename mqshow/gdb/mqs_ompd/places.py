# SPDX-License-Identifier: BSD-3-Clause
"""What lies at an address: a function of the program and its source line, or a variable."""

import contextlib

import gdb

from . import names, symbols
from .abi import OMP
from .text import escape

_CRITICAL = ".gomp_critical_user_"
_DEPTH_MAX, _FRAMES_MAX, _HOPS = 16, 1000, 2


class Place:
    """All texts are harmless; None where nothing is known."""

    def __init__(self, symbol=None, offset=0):
        self.symbol, self.offset = symbol, offset
        self.function = self.file = self.line = None


def _name_at(pc):
    """The innermost function of the user around an address, and else the line of the directive that
    the outermost of those was taken out for."""
    line, block = None, gdb.block_for_pc(pc)
    while block is not None and not block.is_global and not block.is_static:
        name = block.function.name if block.function is not None else None
        if name and names.mark_in(name) < 0:
            return name, line
        if name:
            line = gdb.find_pc_line(block.start).line or line
        block = block.superblock
    return None, line


def _function_of_line(table, line, depth=_DEPTH_MAX):
    """The user's function that the line of a directive stands in: all code of that line belongs to
    it, but for what was taken out of it. A directive within another one's code is in the function
    of that one."""
    around = None
    for entry in (table.line(line) if depth and table.has_line(line) else None) or ():
        name, outer = _name_at(entry.pc)
        if name:
            return name
        around = outer if outer != line else around
    return _function_of_line(table, around, depth - 1) if around else None


def _tell_source(place, addr):
    where = gdb.find_pc_line(addr)
    if where.symtab is None or where.line <= 0:
        return
    place.file, place.line = escape(where.symtab.fullname()), where.line
    # Of several lines that begin here, that of a directive is the first.
    lines = [entry.line for entry in where.symtab.linetable() if entry.pc == addr and entry.line > 0]
    place.line = min(lines, default=place.line)
    if place.function is None:
        with contextlib.suppress(gdb.error, AttributeError):
            name = _function_of_line(where.symtab.linetable(), place.line)
            place.function = names.readable(name) if name else None


def of_code(addr):
    """The place of a function that begins at an address."""
    name, offset = symbols.symbol_at(addr)
    place = Place(escape(name) if name else None, offset)
    if place.symbol and offset == 0:
        place.function = names.readable(place.symbol)
    with contextlib.suppress(gdb.error):
        _tell_source(place, addr)
    return place


def of_data(addr):
    name, offset = symbols.symbol_at(addr)
    return Place(escape(name) if name else None, offset)


def frames(thread):
    """The frames of a thread, innermost first; the end of what can be unwound is the end."""
    thread.switch()
    with contextlib.suppress(gdb.error):
        frame = gdb.newest_frame()
        for _ in range(_FRAMES_MAX):
            if frame is None:
                return
            yield frame
            frame = frame.older()


def _find_criticals(seen, inferior):
    """Which critical construct a lock belongs to: the compiler makes a variable for each name, into
    which the runtime puts the lock, a pointer to it, or to a record that begins with one."""
    awaited = {thread.wait_id for thread in seen.threads
               if thread.known & OMP["WAIT_ID"] and thread.wait_id}
    word = symbols.pointer_size()
    order = "big" if symbols.is_big_endian() else "little"
    for name, addr in symbols.variables(_CRITICAL) if awaited else ():
        for _ in range(_HOPS):
            try:
                addr = int.from_bytes(bytes(inferior.read_memory(addr, word)), order)
            except gdb.error:
                break
            if addr in awaited:
                seen.places.setdefault(addr, Place(escape(name)))


def find(seen, inferior):
    """Finds out what lies at the addresses in the records."""
    from . import regions
    _find_criticals(seen, inferior)
    regions.find_functions(seen, inferior)
    for record in (seen.regions or []) + (seen.tasks or []):
        if record.known & OMP["FUNCTION"] and record.function:
            if record.function not in seen.places:
                seen.places[record.function] = of_code(record.function)
    for thread in seen.threads:
        if thread.known & OMP["WAIT_ID"] and thread.wait_id:
            if thread.wait_id not in seen.places:
                seen.places[thread.wait_id] = of_data(thread.wait_id)
