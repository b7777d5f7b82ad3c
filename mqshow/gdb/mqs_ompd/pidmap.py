# SPDX-License-Identifier: BSD-3-Clause
"""Threads of a process in another PID namespace: their numbers there, and those that gdb has."""

import os


def _status(folder):
    """The values of /proc/PID/status; none when it cannot be read."""
    try:
        with open(folder + "/status", encoding="utf-8", errors="replace") as file:
            return dict(line.rstrip("\n").split(":", 1) for line in file if ":" in line)
    except OSError:
        return {}


def of_threads(inferior):
    """Maps numbers that the process's own threads have for it; None when they are the same."""
    folder = "/proc/%d" % inferior.pid
    status = _status(folder)
    # A core, or a process of another machine, may have the number of one that runs here.
    if status.get("TracerPid", "").strip() != str(os.getpid()) or len(status.get("NSpid", "").split()) < 2:
        return None
    ret = {}
    for thread in inferior.threads():
        numbers = _status("%s/task/%d" % (folder, thread.ptid[1])).get("NSpid", "").split()
        if numbers:
            ret[int(numbers[-1])] = thread.ptid[1]
    return ret
