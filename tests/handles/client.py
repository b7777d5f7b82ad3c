# SPDX-License-Identifier: BSD-3-Clause
"""A client of the interface for handles, written from doc/handle-introspection.md and MQD alone: its types,
numbers and calls are those of the documents. Nothing of mqshow is used."""

import ctypes as c
import os
import re
import subprocess

OK, NO_INFORMATION, END, OTHER = 0, 1, 2, 100
KINDS = ["communicator", "group", "datatype", "request", "status", "window", "file", "op", "errhandler", "info", "message",
         "session", "comm keyval", "type keyval", "win keyval"]
FORMS = {"c": 0, "fortran": 1, "abi": 2, "address": 3}
STATES = ["null", "predefined", "live", "freed"]
HANDLE, FORTRAN, ADDRESS, NAME, REFERENCES = 1, 2, 4, 8, 16
INTEGER, TRUTH, AN_ADDRESS, A_HANDLE, TEXT = range(5)
ADDR = c.c_uint64


class Object(c.Structure):
    _fields_ = [("known", c.c_uint32), ("kind", c.c_int), ("state", c.c_int), ("fortran", c.c_int), ("handle", c.c_uint64),
                ("address", ADDR), ("references", c.c_int64), ("name", c.c_char * 128)]


class Member(c.Structure):
    _fields_ = [("member", c.c_int), ("type", c.c_int), ("index", c.c_int), ("kind", c.c_int), ("value", c.c_int64),
                ("text", c.c_char * 256)]


assert c.sizeof(Object) == 168 and c.sizeof(Member) == 280

_P, _S, _I = c.c_void_p, c.c_char_p, c.c_int
_BASIC = [c.CFUNCTYPE(_P, c.c_size_t), c.CFUNCTYPE(None, _P), c.CFUNCTYPE(None, _S), c.CFUNCTYPE(_P, _I),
          c.CFUNCTYPE(None, _P, _P), c.CFUNCTYPE(_P, _P), c.CFUNCTYPE(None, _P, _P), c.CFUNCTYPE(_P, _P)]
_IMAGE = [c.CFUNCTYPE(None, _P, c.POINTER(_I)), c.CFUNCTYPE(_I, _P, _S, _I, c.POINTER(ADDR)),
          c.CFUNCTYPE(_I, _P, _S, c.POINTER(ADDR)), c.CFUNCTYPE(_P, _P, _S, _I), c.CFUNCTYPE(_I, _P, _S), c.CFUNCTYPE(_I, _P)]
_PROCESS = [c.CFUNCTYPE(_I, _P), c.CFUNCTYPE(_P, _P), c.CFUNCTYPE(_I, _P, ADDR, _I, _P), c.CFUNCTYPE(None, _P, _P, _P, _I)]


def _table(types, functions):
    """A table of callbacks, as an array of pointers; the functions are kept with it."""
    kept = [kind(function) for kind, function in zip(types, functions)]
    table = (_P * len(kept))(*[c.cast(one, _P) for one in kept])
    table.kept = kept
    return table


def _symbols(pid):
    """Addresses of all names in the files that the process has mapped: variables, functions."""
    variables, functions, bases = {}, {}, {}
    with open("/proc/%d/maps" % pid, encoding="utf-8") as maps:
        for row in (line.split(None, 5) for line in maps):
            if len(row) == 6 and row[5].startswith("/") and row[2] == "00000000" and row[5].strip() not in bases:
                bases[row[5].strip()] = int(row[0].split("-")[0], 16)
    for path, base in bases.items():
        text = subprocess.run(["readelf", "-W", "-h", "-l", "--syms", "--dyn-syms", path], capture_output=True, text=True,
                              check=False).stdout
        first = re.search(r"^ +LOAD +0x0+ (0x[0-9a-f]+)", text, re.MULTILINE)
        start = base - int(first.group(1), 16) if first and "DYN" in text else 0
        for value, kind, name in re.findall(r"^ *\d+: ([0-9a-f]+) +\d+ (OBJECT|FUNC|TLS) +\S+ +\S+ +(?:[0-9]+|COM) (\S+)", text, re.MULTILINE):
            if kind != "TLS":
                (variables if kind == "OBJECT" else functions).setdefault(name.split("@")[0], start + int(value, 16))
    return variables, functions


def _hex(value):
    """As C prints it."""
    return "%#x" % (value & (1 << 64) - 1) if value else "0"


class Client:
    """The library and one process."""

    def __init__(self, pid, path):
        self.library = c.CDLL(path)
        self.memory = os.open("/proc/%d/mem" % pid, os.O_RDONLY)
        self.variables, self.functions = _symbols(pid)
        self.reads, self.infos = 0, {}
        libc = c.CDLL(None)
        libc.malloc.restype, libc.malloc.argtypes, libc.free.argtypes = _P, [c.c_size_t], [_P]
        self.basic = _table(_BASIC, [libc.malloc, libc.free, lambda text: None, lambda code: None, self._put, self._get,
                                     self._put, self._get])
        self.image = _table(_IMAGE, [self._sizes, self._function, self._symbol, lambda *names: None, lambda *names: -1,
                                     lambda kind: -1])
        self.process = _table(_PROCESS, [lambda process: -1, lambda process: 1, self._fetch, self._to_host])
        self.library.mqs_dll_error_string.restype = _S
        self.library.mqs_member_name.restype = _S
        self._set_up()

    def _set_up(self):
        self._call("mqs_setup_basic_callbacks", self.basic)
        message = _P()
        for name, arguments in (("mqs_setup_image", (_P(1), self.image)), ("mqs_image_has_queues", (_P(1), c.byref(message))),
                                ("mqs_setup_process", (_P(2), self.process)),
                                ("mqs_process_has_queues", (_P(2), c.byref(message)))):
            if self._call(name, *arguments) != OK:
                raise RuntimeError(name)

    def _call(self, name, *arguments):
        return getattr(self.library, name)(*arguments)

    def _put(self, key, info):
        self.infos[key] = info

    def _get(self, key):
        return self.infos.get(key)

    @staticmethod
    def _sizes(_process, sizes):
        for i, size in enumerate((2, 4, 8, 8, 8)):  # short, int, long, long long, pointer
            sizes[i] = size

    def _find(self, names, name, ret):
        if name.decode() not in names:
            return NO_INFORMATION
        ret[0] = names[name.decode()]
        return OK

    def _symbol(self, _image, name, ret):
        return self._find(self.variables, name, ret)

    def _function(self, _image, name, _language, ret):
        return self._find(self.functions, name, ret)

    def _fetch(self, _process, addr, size, to):
        self.reads += 1
        try:
            data = os.pread(self.memory, size, addr)
        except (OSError, OverflowError):
            return OTHER
        c.memmove(to, data, len(data))
        return OK if len(data) == size else OTHER

    @staticmethod
    def _to_host(_process, data, to, size):
        c.memmove(to, data, size)

    @staticmethod
    def _lines_of(found):
        handle = found.handle if found.known & HANDLE else found.address
        head = "%s %s %s " % (KINDS[found.kind].replace(" ", "_"), _hex(handle),
                               found.fortran if found.known & FORTRAN else "-")
        yield head + "state 0 " + STATES[found.state]
        if found.known & NAME:
            yield head + "name 0 " + found.name.decode(errors="replace")
        if found.known & REFERENCES:
            yield head + "references 0 %d" % found.references

    def _members_of(self, found):
        head = next(self._lines_of(found)).rsplit("state", 1)[0]
        member, result = Member(), self._call("mqs_setup_member_iterator", _P(2), c.byref(found))
        while result == OK:
            result = self._call("mqs_next_member", _P(2), c.byref(member))
            if result == OK:
                name = self.library.mqs_member_name(member.member).decode().replace(" ", "_")
                value = (member.text.decode(errors="replace") if member.type == TEXT else _hex(member.value)
                         if member.type in (AN_ADDRESS, A_HANDLE) else str(member.value))
                yield "%s%s %d %s" % (head, name, member.index, value)

    def ask(self, question):
        """Answers as tests/handles/ask.c does. @return result, reads, lines"""
        before, found, lines = self.reads, Object(), []
        words = question.split()
        if words[0] == "list":
            result = self._call("mqs_setup_object_iterator", _P(2), KINDS.index(words[1].replace("_", " ")))
            while result == OK:
                result = self._call("mqs_next_object", _P(2), c.byref(found))
                lines += self._lines_of(found) if result == OK else []
            result = OK if result == END else result
        elif words[0] == "refresh":
            result = self._call("mqs_process_has_queues", _P(2), c.byref(_P()))
        else:
            kind, form, value = words[-3:]
            result = self._call("mqs_query_handle", _P(2), KINDS.index(kind.replace("_", " ")), FORMS[form],
                                c.c_uint64(int(value, 0)), c.byref(found))
            if result == OK:
                lines = list(self._lines_of(found))
                lines += self._members_of(found) if words[0] != "head" else []
        return result, self.reads - before, lines

    def close(self):
        self._end()
        os.close(self.memory)

    def _end(self):
        self._call("mqs_destroy_process_info", _P(self.infos.pop(2)))
        self._call("mqs_destroy_image_info", _P(self.infos.pop(1)))
