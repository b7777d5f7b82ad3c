# SPDX-License-Identifier: BSD-3-Clause
"""Running mqshow on processes that a debugger holds."""

import contextlib
import json
import os
import re
import selectors
import shutil
import socket
import subprocess

from . import installed
from .arguments import Problem
from .stub import Stub

_LIBRARY = "libmqs_ompd.so"


def _program():
    """mqshow: what MQSHOW names, the one that was installed with this, else the one in PATH."""
    named = os.environ.get("MQSHOW")
    if named:
        return named
    own = os.path.join(installed.PROGRAM_FOLDER, "mqshow")
    found = own if os.access(own, os.X_OK) else shutil.which("mqshow")
    if found is None:
        raise Problem("mqshow not found; install it, or set the environment variable MQSHOW to its "
                      "path")
    return found


def library(named):
    """The library that is used. @param named by the user; may be empty"""
    for path in (named, os.environ.get("MQS_OMPD_DLL")):
        if path:
            return path
    path = os.path.join(installed.DLL_FOLDER, _LIBRARY)
    if not os.path.exists(path):
        raise Problem("%s not found; install mqs-ompd, or set the environment variable MQS_OMPD_DLL "
                      "to the path of the library" % path)
    return path


class _Run:
    """mqshow at work: its connections and what it prints."""

    def __init__(self, arguments, processes, errors):
        pairs = [socket.socketpair() for _ in processes]
        self.texts, self.selector = {"out": b"", "err": b""}, selectors.DefaultSelector()
        self.connections = [own for own, _ in pairs]
        theirs = [other for _, other in pairs]
        remote = [word for other in theirs for word in ("--remote", "fd:%d" % other.fileno())]
        environment = dict(os.environ, DEBUGINFOD_URLS=os.environ.get("DEBUGINFOD_URLS", ""))
        try:
            self.child = subprocess.Popen(
                [_program(), "--color=never"] + arguments + remote, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
                pass_fds=[other.fileno() for other in theirs], start_new_session=True)
        except OSError as error:
            raise Problem("cannot run mqshow: %s" % error)
        finally:
            for other in theirs:
                other.close()
        for process, own in zip(processes, self.connections):
            self.selector.register(own, selectors.EVENT_READ, Stub(process, own, errors))
        self.selector.register(self.child.stdout, selectors.EVENT_READ, "out")
        self.selector.register(self.child.stderr, selectors.EVENT_READ, "err")

    def _take(self, key):
        if isinstance(key.data, Stub):
            return key.data.serve()
        data = os.read(key.fd, 1 << 16)
        self.texts[key.data] += data
        return bool(data)

    def finish(self):
        """Serves until mqshow has ended."""
        open_texts = 2
        while open_texts > 0:
            for key, _ in self.selector.select():
                if not self._take(key):
                    self.selector.unregister(key.fileobj)
                    key.fileobj.close()
                    open_texts -= not isinstance(key.data, Stub)
        return self.child.wait()

    def close(self):
        self.selector.close()
        for connection in self.connections:
            connection.close()
        if self.child.poll() is None:
            self.child.kill()
            self.child.wait()
        self.child.stdout.close()
        self.child.stderr.close()


def mqshow(arguments, processes, errors):
    """What mqshow prints about processes.
    @return its text, and lines about what it could not show
    @raise Problem when there is nothing"""
    with contextlib.closing(_Run(arguments, processes, errors)) as run:
        code = run.finish()
    out, said = (run.texts[key].decode("utf-8", "backslashreplace") for key in ("out", "err"))
    lines = [re.sub("^mqshow: ", "", line) for line in said.splitlines()]
    if not out:
        raise Problem("\n".join(lines) or "mqshow ended with status %d" % code)
    return out, lines


def heading(tid, processes, errors, dll):
    """What OpenMP knows of a thread; "" when that is nothing."""
    try:
        text, _ = mqshow(["--dll", dll or library(None), "--only", "threads"], processes, errors)
    except Problem:
        return ""
    found = re.search(r"^ *tid %d +(.*)$" % tid, text, re.MULTILINE)
    return "OpenMP %s\n" % re.sub(" {2,}", ", ", found.group(1)) if found else ""


class Beginning:
    """Where a region was begun."""

    def __init__(self, tid, region):
        function = region.get("function") or {}
        self.tid, self.level = tid, region.get("level")
        place = "%s:%s" % (os.path.basename(function["file"]), function["line"]) if "file" in function else ""
        self.text = "region%s, begun by tid %d:\n" % (" at " + place if place else "", tid)


def beginnings(tid, processes, errors, dll):
    """Where the regions around a thread were begun, innermost first, as far as other threads did."""
    try:
        text, _ = mqshow(["--dll", dll or library(None), "--only", "threads", "--json"], processes, errors)
    except Problem:
        return []
    found = []
    for process in json.loads(text).get("processes", []):
        openmp = process.get("openmp") or {}
        tids = {thread.get("id"): thread.get("tid") for thread in openmp.get("threads") or []}
        regions = {region.get("id"): region for region in openmp.get("regions") or []}
        inner = [thread.get("region") for thread in openmp.get("threads") or [] if thread.get("tid") == tid]
        region = regions.pop(inner[0], None) if inner else None
        while region is not None:
            primary = tids.get(region.get("primary"))
            if primary not in (None, tid):
                tid = primary
                found.append(Beginning(tid, region))
            region = regions.pop(region.get("parent"), None)
    return found


def number_threads(text, processes):
    """The text with the debugger's numbers of processes and threads in it."""
    numbers = {tid: number for process in processes for tid, number in process.numbers().items()}
    pids = [process.pid for process in processes]
    names = {process.pid: process.name for process in processes if pids.count(process.pid) == 1}

    def thread(found):
        number = numbers.get(int(found.group(1)))
        return "%s %s" % (number, found.group(0)) if number else found.group(0)

    def process(found):
        name = names.get(int(found.group(2)))
        return "%s   %s" % (name, found.group(0)) if name else found.group(0)
    text = re.sub(r"\btid (\d+)\b", thread, text)
    return re.sub(r"^((?:rank \d+   )?)pid (\d+)\b", process, text, flags=re.MULTILINE)


def show(command, words, processes, errors, dll):
    """What a command prints. @param processes those that stand still, by their numbers"""
    given = command.read(words)
    command.numbers(given, "--rank")
    wanted = command.numbers(given, "--inferior")
    missing = sorted((wanted or set()) - set(processes))
    if missing:
        command.fail("no process in inferior %d; \"info inferiors\" lists them" % missing[0])
    chosen = [processes[number] for number in sorted(processes) if wanted is None or number in wanted]
    running = ["%s is running; stop it first, with \"interrupt -a\"" % process.full_name()
               for process in chosen if process.runs()]
    chosen = [process for process in chosen if not process.runs()]
    if not chosen:
        command.fail("\n".join(running))
    try:
        text, problems = mqshow(["--dll", library(dll)] + command.for_mqshow(given), chosen, errors)
    except Problem as problem:
        command.fail(problem)
    if "--json" in given:
        return text
    notes = ["note: " + line for line in running + problems]
    return number_threads(text, chosen) + "".join(line + "\n" for line in notes)
