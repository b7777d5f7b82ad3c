# SPDX-License-Identifier: BSD-3-Clause
"""Jobs to look at, and whether looking has left something behind."""
import glob
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

START_SECONDS, SETTLE_SECONDS = 180, 20


def end_on_signals():
    """Whoever ends a test, its jobs end with it."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: sys.exit(128 + number))


def lines(path):
    try:
        with open(path, errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def stat(path):
    """The fields of a stat file behind the name; [] when it is gone."""
    text = lines(path)
    return text.rsplit(")", 1)[1].split() if ")" in text else []


def value(path, key):
    return next((line.split()[1] for line in lines(path).splitlines() if line.startswith(key)), None)


def session(sid):
    """The processes of a session that have not ended: (pid, state)."""
    ret = []
    for path in glob.glob("/proc/[0-9]*/stat"):
        fields = stat(path)
        if fields and int(fields[3]) == sid and fields[0] not in "ZX":
            ret.append((int(path.split("/")[2]), fields[0]))
    return ret


class Job:
    """A job of a program of tests/live, in a session of its own."""

    def __init__(self, mpi, ranks, words, mpirun=("tests/mpirun",), priority="10"):
        self.folder = tempfile.mkdtemp(prefix="mqs-faults-")
        self.mpi, self.ranks, self.words, self.mpirun = mpi, ranks, words, mpirun
        launcher = [os.environ.get("MPICH_MPIEXEC") or "mpiexec.mpich"] if mpi == "mpich" else list(mpirun)
        passed = [] if mpi == "mpich" else ["-x", "OMP_DEBUG", "-x", "MQS_TRUTH_DIR", "--mca", "mpi_yield_when_idle", "1"]
        variables = dict(os.environ, OMP_DEBUG="enabled", MQS_TRUTH_DIR=self.folder, UCX_TLS="tcp,self,sysv", TMPDIR=self.folder)
        with open(os.path.join(self.folder, "output"), "wb") as output:
            # What looks at those that hang and poll is to have the processors.
            self.starter = subprocess.Popen(
                ["nice", "-n", priority] + launcher + ["-np", str(ranks)] + passed + words, env=variables,
                stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True)
        self.await_records()

    def await_records(self):
        deadline = time.monotonic() + START_SECONDS
        while len(glob.glob(self.folder + "/rank-*")) < self.ranks:
            if self.starter.poll() is not None or time.monotonic() > deadline:
                text = lines(self.folder + "/output")
                self.end()
                raise SystemExit("%s does not start: %s" % (" ".join(self.words), text))
            time.sleep(0.05)
        time.sleep(1)

    def pids(self):
        name = os.path.basename(self.words[0])
        return sorted(pid for pid, _ in session_below(self.starter.pid) if lines("/proc/%d/comm" % pid).strip() == name[:15])

    def end(self):
        for pid in [self.starter.pid] + [pid for pid, _ in session_below(self.starter.pid)]:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        self.starter.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def session_below(root):
    """All processes below one: (pid, state)."""
    parents = {}
    for path in glob.glob("/proc/[0-9]*/stat"):
        fields = stat(path)
        if fields:
            parents[int(path.split("/")[2])] = (int(fields[1]), fields[0])
    found, more = {root}, True
    while more:
        more = {pid for pid, (parent, _) in parents.items() if parent in found} - found
        found |= more
    return [(pid, parents[pid][1]) for pid in found if pid != root and parents[pid][1] not in "ZX"]


def held(pid):
    """What is wrong with a process that was looked at; None: nothing."""
    tasks = glob.glob("/proc/%d/task/[0-9]*" % pid)
    if not tasks:
        return "process %d is dead" % pid
    for task in tasks:
        fields = stat(task + "/stat")
        if fields and (fields[0] in "tT" or fields[0] in "ZX"):
            return "thread %s is in state %s" % (task, fields[0])
        if value(task + "/status", "TracerPid:") not in ("0", None):
            return "thread %s is traced by %s" % (task, value(task + "/status", "TracerPid:"))
    return None


def aftermath(pids, sid, seconds=SETTLE_SECONDS):
    """What a look in a session has left behind, when it has had time to go; None: nothing."""
    deadline = time.monotonic() + seconds
    while True:
        left = session(sid)
        problems = ["process %d of mqshow still runs" % pid for pid, _ in left] + [
            problem for problem in map(held, pids) if problem]
        if not problems:
            return None
        if time.monotonic() > deadline:
            return "; ".join(problems)
        time.sleep(0.01)
