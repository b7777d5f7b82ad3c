# SPDX-License-Identifier: BSD-3-Clause
"""The debugger's side of the message queue interface: callbacks on gdb's symbols, types and memory.

An image and a process are one here, as every process has its own addresses. What the library holds
of them, and of types, are numbers: keys of the tables of this file."""

import ctypes
import itertools

import gdb

from . import abi, library, symbols

_INT_MAX = (1 << 31) - 1
_ENVIRONMENT_MAX, _VARIABLE_MAX = 10000, 64
_RANK_VARIABLES = (b"OMPI_COMM_WORLD_RANK=", b"PMI_RANK=", b"PMIX_RANK=")

_handles = itertools.count(0x1000, 16)
_processes = {}
_types = {}


class Process:
    """What the library knows of an inferior. While it is asked, that inferior is the current one."""

    def __init__(self, inferior):
        self.inferior = inferior
        self.handle = next(_handles)
        self.image_info = self.process_info = None
        self.types = []
        self.problems = []
        _processes[self.handle] = self

    def forget(self):
        """Takes back all numbers."""
        for handle in self.types:
            del _types[handle]
        del _processes[self.handle]


def _callback(otherwise):
    """A function that the library can call: it answers `otherwise` when gdb has an error, and when
    the user has interrupted."""
    def decorate(function):
        def guarded(*args):
            if library.loaded is not None and library.loaded.interrupted is not None:
                return otherwise
            try:
                return function(*args)
            except KeyboardInterrupt as interrupt:
                if library.loaded is not None:
                    library.loaded.interrupted = interrupt
            except (gdb.error, KeyError, ValueError, OverflowError, TypeError):
                pass
            return otherwise
        return abi.PROTOTYPES[function.__name__](guarded)
    return decorate


@_callback(None)
def put_image_info(handle, info):
    _processes[handle].image_info = info


@_callback(None)
def get_image_info(handle):
    return _processes[handle].image_info


@_callback(None)
def put_process_info(handle, info):
    _processes[handle].process_info = info


@_callback(None)
def get_process_info(handle):
    return _processes[handle].process_info


@_callback(None)
def get_type_sizes(_handle, sizes):
    word = symbols.pointer_size()
    all_sizes = [symbols.sizeof("short"), symbols.sizeof("int"), symbols.sizeof("long"),
                 symbols.sizeof("long long"), word]
    # Open MPI's header has two more behind those of the interface.
    if library.loaded.is_ours:
        all_sizes += [1, word]
    for i, size in enumerate(all_sizes):
        sizes[i] = size


def _find(name, ret):
    addr = symbols.address(name.decode("ascii")) if name else None
    if addr is None:
        return abi.NO_INFORMATION
    if ret:
        ret[0] = addr
    return abi.OK


@_callback(abi.NO_INFORMATION)
def find_function(_handle, name, _language, ret):
    return _find(name, ret)


@_callback(abi.NO_INFORMATION)
def find_symbol(_handle, name, ret):
    return _find(name, ret)


@_callback(None)
def find_type(handle, name, _language):
    process = _processes[handle]
    found = symbols.find_type(name.decode("ascii")) if name else None
    if found is None:
        return None
    number = next(_handles)
    _types[number] = found
    process.types.append(number)
    return number


@_callback(-1)
def field_offset(handle, name):
    offset = symbols.field_offset(_types[handle], name.decode("ascii")) if name else -1
    return offset if offset <= _INT_MAX else -1


@_callback(-1)
def sizeof(handle):
    size = _types[handle].sizeof
    return size if size <= _INT_MAX else -1


def _variables_of(inferior):
    """The beginnings of the process's environment variables."""
    word = symbols.pointer_size()
    order = "big" if symbols.is_big_endian() else "little"

    def pointer(addr):
        return int.from_bytes(bytes(inferior.read_memory(addr, word)), order)
    addr = symbols.address("environ")
    addr = pointer(addr) if addr is not None else 0
    for i in range(_ENVIRONMENT_MAX if addr else 0):
        text = pointer(addr + i * word)
        if not text:
            return
        yield bytes(inferior.read_memory(text, _VARIABLE_MAX)).split(b"\0")[0]


def rank_of(inferior):
    """The rank that the starter put into the environment; -1: it is not known."""
    try:
        for variable in _variables_of(inferior):
            for prefix in _RANK_VARIABLES:
                if variable.startswith(prefix):
                    return int(variable[len(prefix):])
    except (gdb.error, ValueError):
        pass
    return -1


@_callback(-1)
def get_global_rank(handle):
    return rank_of(_processes[handle].inferior)


@_callback(None)
def get_image(handle):
    return handle


@_callback(abi.NO_INFORMATION)
def fetch_data(handle, addr, size, ret):
    if size <= 0:
        return abi.NO_INFORMATION
    data = bytes(_processes[handle].inferior.read_memory(addr, size))
    ctypes.memmove(ret, data, size)
    return abi.OK


@_callback(None)
def target_to_host(_handle, source, target, size):
    if size <= 0:
        return
    data = ctypes.string_at(source, size)
    ctypes.memmove(target, data[::-1] if symbols.is_big_endian() else data, size)


_C = ctypes.CDLL(None)
# Texts of the interface's own results; they live as long as this module.
_errors = ctypes.create_string_buffer(b"error of the debugger")
_ERRORSTRING = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int)


@_ERRORSTRING
def _errorstring(_code):
    return ctypes.addressof(_errors)


def _named(names):
    return {name: globals()[name] for name in names}


# There is no "dprints": what the library has to say, it says in its messages as well.
BASIC = abi.table(abi.BASIC, dict(
    _named(("put_image_info", "get_image_info", "put_process_info", "get_process_info")),
    malloc=_C.malloc, free=_C.free, errorstring=_errorstring))
IMAGE = abi.table(abi.IMAGE, _named(abi.IMAGE))
PROCESS = abi.table(abi.PROCESS, _named(abi.PROCESS))
