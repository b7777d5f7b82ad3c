# SPDX-License-Identifier: BSD-3-Clause
"""A job that performs a script: starting it, waiting until it is where it ends, and ending it."""
import ctypes
import fcntl
import glob
import os
import shutil
import signal
import struct
import subprocess
import tempfile
import time

THREADS, RANKS, RECORD = 4, 8, struct.Struct("iiii")
START_SECONDS, LOOK_SECONDS, CORE_SECONDS, GIVEN_WAY = 180, 120, 180, 10
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER, PTRACE_ATTACH = 1, 36, 16
STILL_SECONDS, STUCK_SECONDS = 1, 45
libc = ctypes.CDLL(None, use_errno=True)


class Failure(Exception):
    pass


class NotThere(Failure):
    """The job has not come to where its script says."""


def adopt_orphans():
    """Makes all processes of jobs descendants of this one; and ends it with the one that started it."""
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


def parents():
    ret = {}
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path) as file:
                words = file.read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        ret[int(path.split("/")[2])] = (int(words[1]), words[0])
    return ret


def descendants():
    table, found = parents(), {os.getpid()}
    more = True
    while more:
        more = {pid for pid, (parent, _) in table.items() if parent in found} - found
        found |= more
    return {pid for pid in found if pid != os.getpid() and table.get(pid, (0, "Z"))[1] != "Z"}


def state(pid):
    """As /proc has it; X: there is no such process."""
    try:
        with open("/proc/%d/stat" % pid) as file:
            return file.read().rsplit(")", 1)[1].split()[0]
    except OSError:
        return "X"


class Variant:
    """How a program is built and run."""

    def __init__(self, mpi, level, stripped, transport, yields, runtime):
        self.mpi, self.level, self.stripped = mpi, level, stripped
        self.transport, self.yields, self.runtime = transport, yields, runtime

    def __str__(self):
        return "%s-%s-%s-%s-%s%s" % (self.mpi, self.level, "stripped" if self.stripped else "symbols",
                                     self.transport, "yield" if self.yields else "poll", self.runtime and "-" + self.runtime)

    def program(self):
        return "%s%s%s-%s" % ("stripped-" if self.stripped else "", self.runtime and self.runtime + "-", self.mpi, self.level)


TRANSPORTS = {
    "openmpi": {"shm": ["--mca", "pml", "ob1", "--mca", "btl", "vader,self"],
                "tcp": ["--mca", "pml", "ob1", "--mca", "btl", "tcp,self"],
                "ucx": ["--mca", "pml", "ucx", "--mca", "osc", "ucx", "--mca", "pml_ucx_tls", "any", "--mca", "pml_ucx_devices", "any"]},  # its queues cannot be read
    "mpich": {"shm": "posix,self", "tcp": "tcp,self,sysv"},
}


RUNTIMES = ("gomp", "llvm")  # of OpenMP, where a program has teams


# Ranks that wait poll: what works goes first.
PRIORITY = 10


class Job:
    def __init__(self, paths, variant, program):
        self.paths, self.variant, self.program = paths, variant, program
        self.order = sorted(program.threads)
        self.folder = tempfile.mkdtemp(prefix="mqs-campaign-")
        self.launcher = self.lock = None

    def path(self, name):
        return os.path.join(self.folder, name)

    # ---- starting and ending

    def command(self):
        words = [os.path.join(self.paths["programs"], self.variant.program()), self.path("script"),
                 self.path("progress")]
        count = ["-np", str(self.program.ranks)]
        transport = TRANSPORTS[self.variant.mpi][self.variant.transport]
        if self.variant.mpi == "mpich":
            return [self.paths["mpiexec"], "-disable-auto-cleanup"] + count + words
        root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
        return [self.paths["mpirun"], "--oversubscribe"] + root + transport + [
            "--mca", "mpi_yield_when_idle", "1" if self.variant.yields else "0",
            "--mca", "orte_abort_on_non_zero_status", "0"] + count + words

    def environment(self):
        ret = dict(os.environ, TMPDIR=self.folder)
        if self.variant.mpi == "mpich":
            ret["UCX_TLS"] = TRANSPORTS["mpich"][self.variant.transport]
        else: # on its command line the starter of Open MPI 5 refuses that interface
            ret.update(OMPI_MCA_oob_tcp_if_include="lo", OMPI_MCA_btl_tcp_if_include="lo",
                       OMPI_MCA_btl_vader_backing_directory=self.folder)
        if self.variant.transport == "ucx" and self.variant.mpi != "mpich":
            ret["UCX_TLS"] = "tcp,self,sysv"
        return ret

    def start(self):
        with open(self.path("script"), "w") as file:
            file.write(self.program.text())
        with open(self.path("progress"), "wb") as file:
            file.write(bytes(RECORD.size * THREADS * RANKS))
        self.lock = open(self.path("script"))
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        with open(self.path("output"), "wb") as output:
            self.launcher = subprocess.Popen(
                self.command(), env=self.environment(), cwd=self.folder, stdin=subprocess.DEVNULL,
                stdout=output, stderr=output, process_group=0,
                preexec_fn=lambda: os.nice(PRIORITY))

    def stop(self):
        if self.launcher and self.variant.mpi == "mpich":
            self.launcher.terminate()  # it removes the shared memory of its ranks
            self.wait_for_launcher(2)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            left = descendants()
            if not left:
                break
            for pid in left:
                try:
                    os.kill(pid, signal.SIGKILL)
                except OSError:
                    pass
            self.reap()
            time.sleep(0.01)
        self.reap()
        if self.lock:
            self.lock.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def wait_for_launcher(self, seconds):
        deadline = time.monotonic() + seconds
        while self.launcher.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)

    def reap(self):
        try:
            while os.waitpid(-1, os.WNOHANG)[0] > 0:
                pass
        except OSError:
            pass

    # ---- where it is

    def records(self):
        """(pid, tid, position, rounds) of each thread of the program"""
        with open(self.path("progress"), "rb") as file:
            content = file.read()
        return [RECORD.unpack_from(content, RECORD.size * (rank * THREADS + thread))
                for rank, thread in self.order]

    def pids(self):
        return sorted({record[0] for record in self.records()})

    def output(self):
        with open(self.path("output"), errors="replace") as file:
            return file.read()[-2000:]

    def at(self, ends):
        """The end that all threads have come to; None: none."""
        records = self.records()
        positions = tuple(record[2] for record in records)
        end = next((end for end in ends if end.positions == positions), None)
        for thread, what in (end.activities.items() if end else ()):
            now = state(records[thread][0])
            if (what == "stopped" and now not in "Tt") or \
                    (what == "dead" and now not in "ZX"):
                return None
        return end

    def wait_for_end(self, ends):
        """Until nothing has moved for a while."""
        deadline, since, last = time.monotonic() + START_SECONDS, 0, None
        settle = 0.25 if len(ends) == 1 else 1.5
        where, arrived = None, time.monotonic()
        while time.monotonic() < deadline:
            end = self.at(ends)
            here = [record[2] for record in self.records()]
            if here != where:
                where, arrived = here, time.monotonic()
            elif not end and any(here) and time.monotonic() - arrived > STUCK_SECONDS:
                break
            if end is not last:
                since, last = time.monotonic(), end
            elif end and time.monotonic() - since > settle:
                self.give_way()
                self.seize(deadline)
                return end
            if self.launcher.poll() is not None:
                raise NotThere("the job has ended: " + self.output())
            time.sleep(0.02)
        raise NotThere("the job is at %s, not at %s: %s" % (
            where, [end.positions for end in ends], self.output()))

    def seize(self, deadline):
        """Does to ranks what the script says, and waits until nobody who works with them moves."""
        records = dict(zip(self.order, self.records()))
        for how, rank in self.program.seized:
            pid = records[rank, 0][0]
            if how == "halt":
                os.kill(pid, signal.SIGSTOP)
            elif libc.ptrace(PTRACE_ATTACH, pid, None, None) != 0:
                raise Failure("cannot trace process %d" % pid)
            while state(pid) not in "Tt" and time.monotonic() < deadline:
                time.sleep(0.02)
        since, last = time.monotonic(), None
        while self.program.seized and time.monotonic() - since < STILL_SECONDS:
            now = [record for key, record in zip(self.order, self.records())
                   if self.program.threads[key][-1:] != [("spin",)]]  # works with nobody
            if now != last:
                since, last = time.monotonic(), now
            if time.monotonic() > deadline:
                return  # others work on
            time.sleep(0.02)

    def give_way(self):
        """Ranks that hang poll: whoever looks at them goes first."""
        for pid in self.pids():
            for path in glob.glob("/proc/%d/task/*" % pid):
                try:
                    os.setpriority(os.PRIO_PROCESS, int(os.path.basename(path)), GIVEN_WAY)
                except OSError:
                    pass

    # ---- looking at it

    def look(self, words):
        environment = dict(os.environ, MQS_OMPD_DLL=self.paths["dll"], DEBUGINFOD_URLS="")
        try:
            done = subprocess.run([self.paths["mqshow"], "--json"] + words, env=environment,
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  errors="replace", timeout=LOOK_SECONDS)
        except subprocess.TimeoutExpired:
            raise Failure("mqshow does not end")
        if done.returncode not in (0, 1) or not done.stdout:
            raise Failure("mqshow fails with %d: %s" % (done.returncode, done.stderr[-1000:]))
        return done.stdout

    def look_live(self):
        return self.look(["--job", str(self.launcher.pid)])

    def write_core(self, pid, path):
        try:
            done = subprocess.run(["gdb", "-nx", "-batch", "-p", str(pid), "-ex", "gcore " + path],
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  errors="replace", timeout=CORE_SECONDS)
        except subprocess.TimeoutExpired:
            raise Failure("gdb writes no core in time")
        if not os.path.exists(path):
            raise Failure("gdb has not written a core: " + done.stderr[-500:])

    def look_core(self):
        cores = []
        for pid in self.pids():
            if state(pid) in "ZX":
                continue
            cores.append(self.path("core.%d" % pid))
            self.write_core(pid, cores[-1])
        return self.look(["--core"] + cores)
