# SPDX-License-Identifier: BSD-3-Clause
"""Which function a call instruction calls, on x86-64: one that ends by jumping to another function
is on no stack."""

import struct

import gdb

_CALL_BYTES, _STUB_BYTES = 6, 16
_STUBS = (b"\xf3\x0f\x1e\xfa\xf2\xff\x25", b"\xf3\x0f\x1e\xfa\xff\x25", b"\xf2\xff\x25", b"\xff\x25")


def _read(addr, size):
    return bytes(gdb.selected_inferior().read_memory(addr, size))


def _destination(addr, data, size):
    """The address that a distance behind `size` bytes of an instruction means."""
    return addr + size + 4 + struct.unpack_from("<i", data, size)[0]


def _slot(addr):
    return struct.unpack("<Q", _read(addr, 8))[0]


def _through_stub(addr):
    """Where a stub of a procedure linkage table leads; what is none stays as it is."""
    data = _read(addr, _STUB_BYTES)
    for stub in _STUBS:
        if data.startswith(stub):
            return _slot(_destination(addr, data, len(stub)))
    return addr


def target(after):
    """The function that the call before an address calls; None: not known."""
    try:
        if gdb.selected_inferior().architecture().name() != "i386:x86-64":
            return None
        start = after - _CALL_BYTES
        data = _read(start, _CALL_BYTES)
        if data.startswith(b"\xff\x15"):
            return _slot(_destination(start, data, 2))
        if data[1:2] == b"\xe8":
            return _through_stub(_destination(start + 1, data[1:], 1))
    except (gdb.error, struct.error):
        pass
    return None
