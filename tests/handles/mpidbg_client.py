# SPDX-License-Identifier: BSD-3-Clause
"""A debugger that was written to version 1 of the interface for handles (mpidbg_*): its types, in their published
order, and its calls. It says what it is given in the words of the other client (client.py)."""

import ctypes as c

from client import Client, ADDR, _P, _hex

SUCCESS, NOT_FOUND, NOT_SUPPORTED, OUT_OF_RANGE, UNAVAILABLE, NO_MEMORY = range(6)
INTS = c.POINTER(c.c_int)
HANDLES = c.POINTER(ADDR)


class NameMap(c.Structure):
    _fields_ = [("name", c.c_char_p), ("handle", ADDR)]


class Attribute(c.Structure):
    _fields_ = [("keyval", c.c_int), ("name", c.c_char_p), ("value", c.c_char_p)]


class Comm(c.Structure):
    _fields_ = [("name", c.c_char * 64), ("flags", c.c_int), ("rank", c.c_int), ("size", c.c_int),
                ("locals", c.c_int), ("local", INTS), ("remotes", c.c_int), ("remote", INTS),
                ("n_dims", c.c_int), ("dims", INTS), ("periods", c.POINTER(c.c_int8)),
                ("nodes", c.c_int), ("index", INTS), ("edges", INTS), ("handle", ADDR), ("fortran", c.c_int),
                ("n_attributes", c.c_int), ("attributes", c.POINTER(Attribute)), ("n_requests", c.c_int),
                ("requests", HANDLES), ("n_windows", c.c_int), ("windows", HANDLES), ("n_files", c.c_int),
                ("files", HANDLES)]


class Request(c.Structure):
    _fields_ = [("flags", c.c_int), ("handle", ADDR), ("fortran", c.c_int)]


class Status(c.Structure):
    _fields_ = [("flags", c.c_int)]


class Errhandler(c.Structure):
    _fields_ = [("name", c.c_char * 64), ("flags", c.c_int), ("handle", ADDR), ("fortran", c.c_int),
                ("references", c.c_int16), ("users", HANDLES), ("function", ADDR)]


RECORDS = {"communicator": ("comm", Comm), "errhandler": ("errhandler", Errhandler), "request": ("request", Request),
           "status": ("status", Status)}
# What version 1 can say, of the members that the other one gives.
MEMBERS = {"communicator": ("state name size rank member remote_member intercommunicator dims periods attribute "
                            "attribute_value").split(),
           "errhandler": ["object_kind", "function"], "request": [], "status": []}
STATES = [(0x80, "null"), (0x01, "predefined"), (0x20, "freed"), (0, "live")]
TOPOLOGIES = {0x02: "MPI_Cart", 0x04: "MPI_Graph", 0x400: "MPI_Dist_graph"}


def _array(numbers, count):
    return [numbers[i] for i in range(count)]


def _of_comm(record):
    """Members as {name: {index: value}}."""
    if record.n_requests != NOT_SUPPORTED or record.n_windows != NOT_SUPPORTED or record.n_files != NOT_SUPPORTED:
        raise RuntimeError("lists that are not supported")
    found = {"state": [next(state for flag, state in STATES if record.flags & flag == flag)],
             "name": [record.name.decode(errors="replace")]}
    if found["state"] != ["null"]:
        found.update(size=[record.size], rank=[record.rank], intercommunicator=[int(record.flags & 0x10 != 0)])
    found.update(member=_array(record.local, record.locals), remote_member=_array(record.remote, record.remotes),
                 dims=_array(record.dims, record.n_dims), periods=_array(record.periods, record.n_dims))
    attributes = _array(record.attributes, record.n_attributes)
    found.update(attribute=[_hex(one.keyval & 0xffffffff) for one in attributes],
                 attribute_value=[one.value.decode() for one in attributes],
                 topology=[name for flag, name in TOPOLOGIES.items() if record.flags & flag])
    return found


def _of_errhandler(record):
    if record.references != NOT_SUPPORTED or record.users:
        raise RuntimeError("users of an error handler that are not supported")
    if record.flags & 0x01:
        return {}
    kinds = {0x02: "communicator", 0x04: "file", 0x08: "window"}
    return {"object_kind": [name for flag, name in kinds.items() if record.flags & flag],
            "function": [_hex(record.function)]}


MAKERS = {"communicator": _of_comm, "errhandler": _of_errhandler, "request": lambda record: {},
          "status": lambda record: {}}


class Version1(Client):
    """The library and one process; `self.joined`: also the interface of mqs.h is used, and set up first."""

    def __init__(self, pid, path, joined=False):
        self.joined = joined
        super().__init__(pid, path)

    def _set_up(self):
        if self.joined:
            super()._set_up()
        types = (_P * 30)()
        if (self._call("mpidbg_interface_version_compatibility"), self._call("mpidbg_dll_taddr_width"),
                c.c_char.in_dll(self.library, "mpidbg_dll_bitness").value) != (1, 8, b"\x40"):
            raise RuntimeError("version, width or bitness")
        for name, arguments in (("mpidbg_init_once", (self.basic,)),
                                ("mpidbg_init_per_image", (_P(1), self.image, types)),
                                ("mpidbg_init_per_process", (_P(2), self.process, types))):
            if self._call(name, *arguments) != SUCCESS:
                raise RuntimeError(name)

    def _end(self):
        image, process = _P(self.infos[1]), _P(self.infos[2])
        if self.joined:
            self._call("mqs_destroy_process_info", process)
            self._call("mqs_destroy_image_info", image)
        self._call("mpidbg_finalize_per_process", _P(2), process)
        self._call("mpidbg_finalize_per_image", _P(1), image)

    def names(self, kind):
        """The predefined handles by name."""
        rows, found, i = c.POINTER(NameMap).in_dll(self.library, "mpidbg_%s_name_map" % kind), {}, 0
        while rows[i].name:
            found[rows[i].name.decode()] = _hex(rows[i].handle)
            i += 1
        return found

    def convert(self, kind, integer):
        """@return result, handle"""
        handle = ADDR()
        result = self._call("mpidbg_%s_f2c" % RECORDS[kind][0], _P(1), None, _P(2), None, ADDR(integer), c.byref(handle))
        return result, _hex(handle.value)

    def query(self, kind, value):
        """@return result, {member: {index: value}}, handle, INTEGER"""
        name, record_type = RECORDS[kind]
        record = c.POINTER(record_type)()
        result = self._call("mpidbg_%s_query" % name, _P(1), None, _P(2), None, ADDR(value), c.byref(record))
        if result != SUCCESS:
            return result, {}, None, None
        record = record.contents
        found = {member: dict(enumerate(map(str, values))) for member, values in MAKERS[kind](record).items() if values}
        return result, found, getattr(record, "handle", value), getattr(record, "fortran", UNAVAILABLE)
