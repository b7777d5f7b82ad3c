# SPDX-License-Identifier: BSD-3-Clause
"""Jobs to measure: on which MPI they run, and how they are started and ended."""
import glob
import json
import os
import signal
import subprocess
import tempfile
import time

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MPIRUN = os.path.join(SOURCE, "tests", "mpirun")
START_SECONDS = 300  # a job may take to post 100,000 operations


class Failure(Exception):
    """What the user is to read."""


class Mpi:
    """A build of an MPI to run on. `target` is its name in tests/targets, None for the stock package."""

    def __init__(self, name, target=None, vendor=None):
        self.name = name
        self.prefix = None
        if target is not None:
            script = os.path.join(SOURCE, "tests", "targets", "target")
            self.prefix = subprocess.run([script, target], check=True, stdout=subprocess.PIPE,
                                         text=True).stdout.strip()
        self.vendor = vendor and os.path.join(self.prefix, vendor)
        if vendor and not os.path.exists(self.vendor):
            raise Failure(f"{self.vendor} is not there: remove {self.prefix} to have it built anew")

    def starter(self, name):
        """Command that starts two ranks."""
        return [name if self.prefix is None else os.path.join(self.prefix, "bin", name)]


class OpenMpi(Mpi):
    """Open MPI."""
    # On its command line the starter of Open MPI 5 refuses that interface.
    owner, programs, variables = "Open MPI's own", "programs", {"OMPI_MCA_oob_tcp_if_include": "lo"}
    # Bytes of one object and its gap in its chunk, what must be seen of each operation: fl_frag_size of
    # the free list (744 for a request, 784 for a message) rounded up to fl_frag_alignment (128).
    strides = {"receives": 768, "unexpected": 896}
    seen = "768 for a receive, 896 for an unexpected message, the distances of these objects in Open MPI's pools"

    def command(self):
        """Two ranks on this machine, through shared memory."""
        return (self.starter("mpirun") + ["--oversubscribe", "--mca", "btl", "vader,self", "-np", "2"]
                + (["--allow-run-as-root"] if os.geteuid() == 0 else []))


class Mpich(Mpi):
    """MPICH; `receive` and `unexpected` are the bytes that must be seen of an operation, `seen` says of what."""
    owner, programs, variables = "MPICH's own", "programs-mpich", {"UCX_TLS": "tcp,self,sysv"}

    def __init__(self, name, receive, unexpected, seen, **arguments):
        super().__init__(name, **arguments)
        self.strides = {"receives": receive, "unexpected": unexpected}
        self.seen = seen

    def command(self):
        """Two ranks on this machine."""
        return self.starter("mpiexec.mpich" if self.prefix is None else "mpiexec.hydra") + ["-n", "2"]


class Started:
    """A job that stops when it is left: its `process` is the starter, with a `folder` of its own."""

    def __enter__(self):
        try:
            self.await_ready()
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, *_):
        self.end()

    def await_file(self, there):
        """Until something is there that the job makes."""
        deadline = time.monotonic() + START_SECONDS
        while not there():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise Failure(f"the job does not start: try {self.command}")
            time.sleep(0.1)

    def end(self):
        """Ends the starter, which ends its ranks, and removes the folder."""
        try:
            os.killpg(self.process.pid, signal.SIGTERM)
        except ProcessLookupError:
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.folder.cleanup()


class Parked(Started):
    """Ranks that sleep, with receives that nothing sends."""

    def __init__(self, options, program, starter):
        self.folder = tempfile.TemporaryDirectory()
        self.program = os.path.join(options.build, "bench", program)
        self.command = " ".join(starter + [self.program, "FILE"])
        self.process = subprocess.Popen(starter + [self.program, os.path.join(self.folder.name, "ready")], process_group=0,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def await_ready(self):
        """All ranks sleep, or nearly."""
        self.await_file(lambda: os.path.exists(os.path.join(self.folder.name, "ready")))
        time.sleep(1)


class Job(Started):
    """Two ranks with many operations."""

    def __init__(self, options, mpi, receives, communicators, unexpected):
        program = os.path.join(options.build, "tests", "live", mpi.programs, "many")
        if not os.access(program, os.X_OK):
            raise Failure(f"{program} is not there: run make live-programs first")
        self.folder = tempfile.TemporaryDirectory()
        environment = dict(os.environ, MQS_TRUTH_DIR=self.folder.name, TMPDIR=self.folder.name,
                           **mpi.variables)
        command = mpi.command() + [program, str(receives), str(communicators), str(unexpected)]
        shown = [f"{name}={value}" for name, value in mpi.variables.items()]
        if mpi.prefix is not None:
            environment["LD_LIBRARY_PATH"] = os.path.join(mpi.prefix, "lib")
            shown.append(f"LD_LIBRARY_PATH={mpi.prefix}/lib")
        self.command = " ".join(shown + command)
        self.process = subprocess.Popen(command, env=environment, process_group=0,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.pid = None

    def await_ready(self):
        """Both ranks write their records when they have posted everything."""
        self.await_file(lambda: len(glob.glob(os.path.join(self.folder.name, "*.json"))) >= 2)
        with open(os.path.join(self.folder.name, "rank-0.json"), encoding="utf-8") as record:
            self.pid = json.load(record)["pid"]
