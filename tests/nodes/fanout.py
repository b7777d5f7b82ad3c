# SPDX-License-Identifier: BSD-3-Clause
"""A job on many made-up machines: each rank of it receives from the next one, and a stand-in for ssh
(answering.c) gives the recorded answers of the machines to the launcher, which is a real one."""
import json
import os
import shutil
import subprocess
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
FIRST_PID = 5000000  # no process of this machine has such an id


class Job:
    """Hosts, by the names of what the stand-in makes of their answers, and the starter of their ranks."""

    def __init__(self, folder, build, hosts, per_host):
        self.hosts, self.per_host, self.folder = hosts, per_host, folder
        self.size = len(hosts) * per_host
        self.ssh_folder, self.answers = os.path.join(folder, "bin"), os.path.join(folder, "answers")
        os.mkdir(self.ssh_folder)
        os.mkdir(self.answers)
        shutil.copy(os.path.join(build, "tests/nodes/answering"), os.path.join(self.ssh_folder, "ssh"))
        self.mqshow = os.path.join(build, "mqshow/mqshow")
        with open(os.path.join(HERE, "answer.json"), encoding="utf-8") as file:
            self.recorded = file.read()
        for number in range(len(hosts)):
            self.record(number)
        table = [word for number, host in enumerate(hosts) for rank in self.ranks(number)
                 for word in (host, str(FIRST_PID + rank))]
        self.starter = subprocess.Popen([os.path.join(build, "tests/nodes/starter")] + table,
                                        stdout=subprocess.PIPE, text=True)
        self.starter.stdout.readline()

    def ranks(self, number):
        return range(number * self.per_host, (number + 1) * self.per_host)

    def process(self, rank):
        process = json.loads(self.recorded)["processes"][0]
        world, own = process["communicators"]
        world.update(size=self.size, local_rank=rank, group=[f"0-{self.size - 1}"])
        own["group"] = [rank]
        peer = (rank + 1) % self.size
        world["receives"][0].update(peer=peer, world_peer=peer)
        process.update(pid=FIRST_PID + rank, rank=rank)
        process["threads"][0]["tid"] = FIRST_PID + rank
        return process

    def record(self, number):
        """A host of the kind "other" gives the answer of the one before it."""
        source = number - 1 if self.hosts[number].startswith("other-") else number
        document = {"schema": "mqs-ompd/1", "processes": [self.process(rank) for rank in self.ranks(source)]}
        with open(os.path.join(self.answers, self.hosts[number]), "w", encoding="utf-8") as file:
            json.dump(document, file, indent=1)
            file.write("\n")

    def start(self, *options, **more):
        path = self.ssh_folder + ":" + os.environ["PATH"]
        return subprocess.Popen([self.mqshow, *options, "--job", str(self.starter.pid)], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                                env=dict(os.environ, PATH=path, MQS_ANSWERS=self.answers), **more)

    def look(self, *options):
        """Status, output, errors and seconds of mqshow, its own MiB, and the most processes and files at a time."""
        begin = time.monotonic()
        child = self.start(*options)
        most = Most(child.pid)
        output, errors = child.communicate()
        most.end()
        return child.returncode, output, errors, time.monotonic() - begin, most

    def end(self):
        self.starter.kill()
        self.starter.wait()


class Most:
    """The most that a process had at any time."""

    def __init__(self, pid):
        self.pid, self.mib, self.files, self.processes, self.is_over = pid, 0, 0, 0, False
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()

    def watch(self):
        while not self.is_over:
            try:
                with open(f"/proc/{self.pid}/status", encoding="utf-8") as file:
                    for line in file:
                        if line.startswith("VmHWM:"):
                            self.mib = max(self.mib, int(line.split()[1]) / 1024)
                self.files = max(self.files, len(os.listdir(f"/proc/{self.pid}/fd")))
                self.processes = max(self.processes, len(descendants(self.pid)))
            except (OSError, ValueError):
                pass
            time.sleep(0.2)

    def end(self):
        self.is_over = True
        self.thread.join()


def descendants(pid):
    """The processes below one."""
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                    parents[int(name)] = int(file.read().rsplit(")", 1)[1].split()[1])
            except (OSError, IndexError):
                pass
    found, size = {pid}, 0
    while len(found) != size:
        size = len(found)
        found |= {child for child, parent in parents.items() if parent in found}
    return found - {pid}
