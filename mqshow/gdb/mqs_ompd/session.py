# SPDX-License-Identifier: BSD-3-Clause
"""What is known of one inferior: asked once, and forgotten when the process may have changed."""

import ctypes

import gdb

from . import abi, host, library, mpi, openmp
from .text import escape, fill_in

_MESSAGES_MAX = 1000


class _Look:
    """One look at a process: the calls of the library for it, and what it has to say."""

    def __init__(self, asked, process, image):
        self.library, self.process, self.image, self.messages = asked, process, image, []
        self.inferior = process.inferior

    def has(self, *names):
        return self.library.has(*names)

    def call(self, name, *args):
        return self.library.call(name, self.process.handle, *args)

    def record(self, name, record):
        """What a function fills in; None when there is none, or it has nothing to say."""
        if not self.has(name):
            return None
        filled = abi.room(record)
        return filled if self.call(name, ctypes.byref(filled)) == abi.OK else None

    def message(self, text):
        if text not in self.messages:
            self.messages.append(text)

    def failure(self, what, code):
        """Notes that a call failed; the end of a list is no failure."""
        if code not in (abi.OK, abi.END_OF_LIST):
            self.message("%s: %s" % (what, self.library.error(code)))

    def ask(self, name, what):
        """Asks a question that comes with a message; whether the answer is yes."""
        message = ctypes.c_char_p(None)
        code = self.call(name, ctypes.byref(message))
        if message.value is not None:
            self.message(fill_in(message.value, self.image))
        elif code != abi.NO_INFORMATION:
            self.failure(what, code)
        return code == abi.OK, code == abi.NO_INFORMATION and message.value is None

    def library_messages(self, name):
        for i in range(_MESSAGES_MAX if self.has(name) else 0):
            text = ctypes.c_char_p(None)
            if self.call(name, i, ctypes.byref(text)) != abi.OK or text.value is None:
                return
            self.message(escape(text.value))


class Session:
    """The look at one inferior that the commands share."""

    def __init__(self, inferior):
        self.inferior = inferior
        self.process = None
        self.has_queues = False
        self.stale = self.image_stale = False
        self.document = {}
        self.openmp = None

    def _image(self):
        return escape(self.inferior.progspace.filename or "?")

    def close(self):
        """Frees what the library keeps; nothing of it is valid any more."""
        asked, process = library.loaded, self.process
        if process is None:
            return
        if process.process_info and asked.has("mqs_destroy_process_info"):
            asked.call("mqs_destroy_process_info", process.process_info)
        if process.image_info and asked.has("mqs_destroy_image_info"):
            asked.call("mqs_destroy_image_info", process.image_info)
        process.forget()
        self.process, self.document, self.openmp = None, {}, None

    def _setup(self, asked):
        """Prepares image and process, which calls for symbols and types."""
        process = self.process = host.Process(self.inferior)
        look = _Look(asked, process, self._image())
        image = ctypes.cast(host.IMAGE, ctypes.c_void_p)
        code = look.call("mqs_setup_image", image)
        if code != abi.OK:
            raise gdb.GdbError("%s: %s" % (look.image, asked.error(code)))
        self.has_queues, self.has_no_mpi = look.ask("mqs_image_has_queues", "image")
        code = look.call("mqs_setup_process", ctypes.cast(host.PROCESS, ctypes.c_void_p))
        if code != abi.OK:
            raise gdb.GdbError("%s: %s" % (look.image, asked.error(code)))
        return look.messages

    def _refresh(self, asked):
        """Forgets what may have changed since the last look."""
        if self.process is not None and (self.stale or self.image_stale):
            self.close()
        self.stale = self.image_stale = False
        if self.process is None:
            try:
                self.document = {"image_messages": self._setup(asked)}
            except BaseException:
                self.close()
                raise

    def _begin(self):
        asked = library.get(ctypes.cast(host.BASIC, ctypes.c_void_p))
        self._refresh(asked)
        return _Look(asked, self.process, self._image())

    def look_at_mpi(self):
        """The members of the document about MPI."""
        look = self._begin()
        if "mpi" in self.document:
            return self.document["mpi"]
        ret = {"messages": list(self.document["image_messages"]), "communicators": []}
        ret["has_mpi"], ret["rank"] = not self.has_no_mpi, host.rank_of(self.inferior)
        if self.has_queues:
            good, silent = look.ask("mqs_process_has_queues", "process")
            ret["has_mpi"] = not silent
            info, transport = mpi.info(look)
            if info is not None:
                ret["mpi"], ret["transport"] = info, transport
            if good:
                ret["rank"] = self._rank(look)
                ret["communicators"] = mpi.communicators(look)
        look.library_messages("mqs_get_process_message")
        ret["messages"] += look.messages
        self.document["mpi"] = ret
        return ret

    def _rank(self, look):
        rank = look.call("mqs_get_global_rank") if look.has("mqs_get_global_rank") else -1
        return rank if rank >= 0 else host.rank_of(self.inferior)

    def rank(self):
        """The rank in MPI_COMM_WORLD, as MPI or else the starter says it; -1: it is not known."""
        self._begin()
        if "mpi" in self.document:
            return self.document["mpi"].get("rank", -1)
        return host.rank_of(self.inferior)

    def look_at_openmp(self, icvs=False):
        """The OpenMP side, an openmp.Seen; None in a process without it."""
        look = self._begin()
        if "openmp" not in self.document:
            self.openmp = openmp.look(look)
            look.library_messages("mqs_omp_get_message")
            self.document["openmp"] = look.messages
        if icvs and self.openmp is not None and self.openmp.icvs is None:
            self.openmp.look_at_icvs(look)
            self.document["openmp"] += look.messages
        return self.openmp

    def openmp_messages(self):
        return self.document.get("openmp", [])


_sessions = {}


def get(inferior):
    found = _sessions.get(inferior.num)
    if found is None or not found.inferior.is_valid() or found.pid != inferior.pid:
        if found is not None:
            found.close()
        found = _sessions[inferior.num] = Session(inferior)
        found.pid = inferior.pid
    return found


# The events only mark what is stale: the library may be at work while gdb reads symbols.

def _mark(wanted):
    for session in _sessions.values():
        if wanted(session):
            session.stale = True


def _on_continue(event):
    inferior = getattr(event.inferior_thread, "inferior", None)
    _mark(lambda session: inferior is None or session.inferior is inferior)


def _on_exit(event):
    _mark(lambda session: session.inferior is event.inferior)


def _on_objfile(_event):
    _mark(lambda session: True)


_EVENTS = (("cont", _on_continue), ("exited", _on_exit), ("new_objfile", _on_objfile),
           ("clear_objfiles", _on_objfile), ("memory_changed", _on_objfile),
           ("register_changed", _on_objfile))


def connect():
    for name, handler in _EVENTS:
        getattr(gdb.events, name).connect(handler)


def disconnect():
    for name, handler in _EVENTS:
        getattr(gdb.events, name).disconnect(handler)
