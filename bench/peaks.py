# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program and measures this run alone: its CPU time, and the memory of it and of its workers.

The peak that wait4() tells is no measure of one run: it is that of the largest process of the whole tree, and begins
with the size of the program that started it. So the peaks are read from /proc while the processes live.
"""
import collections
import os
import subprocess
import threading
import time

INTERVAL = 0.002  # seconds; a worker lives on after its peak until what it found has been passed on

# Bytes: of the process; of its workers, the largest of each generation: one that reads starts others.
Run = collections.namedtuple("Run", "status cpu seconds own workers")


def peak_of(pid):
    """The largest resident size of a process so far, in bytes; 0: it has ended."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as status:
            return next((int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:")), 0)
    except OSError:
        return 0


def children_of(pid):
    """The processes that a process started itself and that live."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as children:
            return [int(child) for child in children.read().split()]
    except OSError:
        return []


def is_copy(pid, of):
    """Whether a process runs the same program, as workers do."""
    try:
        return os.readlink(f"/proc/{pid}/exe") == os.readlink(f"/proc/{of}/exe")
    except OSError:
        return False


def watch(pid, peaks, ended):
    """Notes the largest peak of each generation of a process and its workers until it ends."""
    while not ended.wait(INTERVAL):
        generation, depth = [pid], 0
        while generation:
            peaks[depth] = max([peaks[depth]] + [peak_of(one) for one in generation])
            generation = [child for one in generation for child in children_of(one) if is_copy(child, pid)]
            depth += 1


def run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
    """Runs a program to its end."""
    peaks, ended, begin = collections.Counter(), threading.Event(), time.monotonic()
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr)
    watcher = threading.Thread(target=watch, args=(child.pid, peaks, ended))
    watcher.start()
    try:
        _, status, usage = os.wait4(child.pid, 0)
    except BaseException:
        child.kill()
        raise
    finally:
        ended.set()
        watcher.join()
    child.returncode = os.waitstatus_to_exitcode(status)
    return Run(child.returncode, usage.ru_utime + usage.ru_stime, time.monotonic() - begin, peaks[0],
               sum(peak for depth, peak in peaks.items() if depth > 0))
