# SPDX-License-Identifier: BSD-3-Clause
"""The library that answers: which one it is, and calling it."""

import ctypes
import os

import gdb

from . import abi, installed
from .text import escape

NAME = "libmqs_ompd.so"


class LibraryParameter(gdb.Parameter):
    """Library that answers the commands "mpi" and "omp".

Without it: what the environment variable MQS_OMPD_DLL of gdb names, else libmqs_ompd.so as it is
installed. A change counts from the next start of gdb on when a library is loaded already."""

    set_doc = "Set the library that answers the commands \"mpi\" and \"omp\"."
    show_doc = "Show the library that answers the commands \"mpi\" and \"omp\"."

    def __init__(self):
        super().__init__("mqs-ompd-library", gdb.COMMAND_SUPPORT, gdb.PARAM_OPTIONAL_FILENAME)

    def get_set_string(self):
        return ""

    def get_show_string(self, value):
        return "The library is %s." % (loaded.path if loaded else value or "not loaded yet")


class Library:
    """A loaded library. Functions that it does not have are None."""

    def __init__(self, path):
        self.path = path
        try:
            self._dll = ctypes.CDLL(path, mode=os.RTLD_LOCAL | os.RTLD_NOW)
        except OSError as error:
            raise gdb.GdbError(
                "cannot load %s: %s; name another file with \"set mqs-ompd-library FILE\"" %
                (escape(path), escape(str(error))))
        self._functions = {}
        for name, prototype in list(abi.REQUIRED.items()) + list(abi.OPTIONAL.items()):
            self._functions[name] = self._find(name, prototype)
        missing = [name for name in abi.REQUIRED if self._functions[name] is None]
        if missing:
            raise gdb.GdbError("%s is no library for MPI message queues: it has no %s; name another "
                               "one with \"set mqs-ompd-library FILE\"" % (escape(path), missing[0]))
        # Only our own takes all seven sizes in mqs_target_type_sizes for granted.
        self.is_ours = self._functions["mqs_get_mpi_info"] is not None
        self.interrupted = None

    def _find(self, name, prototype):
        try:
            function = getattr(self._dll, name)
        except AttributeError:
            return None
        function.restype, function.argtypes = prototype[0], prototype[1:]
        return function

    def has(self, *names):
        return all(self._functions[name] is not None for name in names)

    def call(self, name, *args):
        """Calls a function. What the user interrupted in a callback is interrupted here."""
        result = self._functions[name](*args)
        if self.interrupted is not None:
            interrupted, self.interrupted = self.interrupted, None
            raise interrupted
        return result

    def error(self, code):
        return escape(self.call("mqs_dll_error_string", code) or b"unknown error")


parameter = LibraryParameter()
loaded = None


def _wanted():
    for path in (parameter.value, os.environ.get("MQS_OMPD_DLL")):
        if path:
            return path
    path = os.path.join(installed.DLL_FOLDER, NAME)
    if not os.path.exists(path):
        raise gdb.GdbError("%s is not there; install mqs-ompd, or name the library with "
                           "\"set mqs-ompd-library FILE\"" % path)
    return path


def get(callbacks):
    """The library, loaded at the first call and given the basic callbacks."""
    global loaded
    if loaded is None:
        library = Library(_wanted())
        library.call("mqs_setup_basic_callbacks", callbacks)
        loaded = library
    return loaded
