# SPDX-License-Identifier: BSD-3-Clause
"""Starts tests/handles/objects, and compares what the library says of each handle (ask.c) with what
MPI has said of it (objects.h).

Lines "KIND MEMBER REASON" of a file of limits name what the library does not know: it must give
nothing else then; "*" is any kind. With "MEMBER=VALUE" it may give that, which stands for not knowing."""

import contextlib
import os
import random
import subprocess
import sys
import tempfile
import time

SECONDS, RANKS, READS = 120, 4, 3
KINDS = ("communicator group datatype request status window file op errhandler info message session "
         "comm_keyval type_keyval win_keyval").split()
ASK = "./tests/handles/ask"
DLL = os.path.abspath(".libs/libmqs_ompd.so")


class Process:
    """The library asked about one process."""

    def __init__(self, pid):
        self.pipe = subprocess.Popen([ASK, DLL, str(pid)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                     text=True, errors="replace")

    def ask(self, question):
        """@return result, reads, lines"""
        self.pipe.stdin.write(question + "\n")
        self.pipe.stdin.flush()
        lines = []
        while True:
            line = self.pipe.stdout.readline()
            if not line:
                raise RuntimeError("the library ended at: %s (%s)" % (question, self.pipe.wait()))
            if line.startswith(". "):
                result, reads = line.split()[1:3]
                return int(result), int(reads), lines
            lines.append(line.rstrip("\n"))

    def close(self):
        self.pipe.stdin.close()
        self.pipe.wait()


def by_object(lines):
    """@return {(kind, handle, fortran): {member: {index: value}}}"""
    found = {}
    for line in lines:
        kind, handle, fortran, member, index, value = line.split(" ", 5)
        found.setdefault((kind, handle, fortran), {}).setdefault(member, {})[int(index)] = value
    return found


def agrees(truth, seen):
    return truth.keys() == seen.keys() and all(seen[i] in truth[i].split("|") for i in truth)


def read_limits(paths):
    """Of files with colons between them."""
    rows = []
    for path in paths.split(":"):
        with open(path, encoding="utf-8") as lines:
            rows += [line.split(None, 2) for line in lines if line.strip() and not line.startswith("#")]
    return {(row[0], row[1].partition("=")[0]): row[1].partition("=")[2] for row in rows}


class Comparison:
    def __init__(self, limits):
        self.limits, self.failed, self.compared, self.unlimited = limits, 0, 0, set()

    def expect(self, good, what):
        self.compared += 1
        if not good:
            print("FAILED:", what, flush=True)
            self.failed += 1

    def limited(self, kind, member):
        return (kind, member) in self.limits or ("*", member) in self.limits

    def compare_members(self, what, kind, truth, seen):
        for member, values in truth.items():
            if not self.limited(kind, member):
                self.expect(agrees(values, seen.get(member, {})),
                            "%s: %s is %s, seen %s" % (what, member, values, seen.get(member)))
            elif agrees(values, seen.get(member, {})):
                self.unlimited.add((kind, member))
            elif member != "state" and seen.get(member) != {0: self.limits.get((kind, member))}:
                wrong = {i: value for i, value in seen.get(member, {}).items()
                         if value not in values.get(i, "").split("|")}
                self.expect(not wrong, "%s: %s is given, and wrong: %s" % (what, member, wrong))

    def compare_one(self, process, key, truth, form, value):
        kind, handle, fortran = key
        question = "%s %s %s" % (kind, form, value)
        process.ask(question)
        result, reads, lines = process.ask(question)
        if truth.get("state") == {0: "none"}:
            # The memory of a request may be one of MPI's own by now.
            self.expect((result == 1 and not lines) or (kind == "request" and result == 0),
                        "%s: no handle, result %d %s" % (question, result, lines[:1]))
            return
        seen = by_object(lines)
        if result != 0 or len(seen) != 1:
            self.expect(self.limited(kind, "state"), "%s: result %d, %s" % (question, result, lines[:3]))
            return
        (seen_key, members), = seen.items()
        self.expect(seen_key[1] == handle, "%s: handle %s" % (question, seen_key[1]))
        if fortran != "-":
            self.expect(seen_key[2] == fortran or self.limited(kind, "fortran"),
                        "%s: INTEGER %s, seen %s" % (question, fortran, seen_key[2]))
        self.expect(reads <= READS, "%s: %d reads" % (question, reads))
        self.compare_members(question, kind, truth, members)

    def compare_objects(self, process, objects):
        for key, truth in objects.items():
            self.compare_one(process, key, truth, "c", key[1])
            if key[2] != "-" and not self.limited(key[0], "fortran"):
                self.compare_one(process, key, truth, "fortran", "%#x" % (int(key[2]) & 0xffffffff))

    def compare_lists(self, process, objects):
        for kind in KINDS:
            made = {key[1] for key, truth in objects.items() if key[0] == kind and truth.get("state") == {0: "live"}}
            result, _, lines = process.ask("list " + kind)
            if kind == "status" or self.limited(kind, "list"):
                self.expect(result == 1, "list %s: result %d" % (kind, result))
                continue
            missing = made - {key[1] for key in by_object(lines)}
            self.expect(not missing and (result == 0 or not made), "list %s: result %d, missing %s" % (kind, result, missing))

    def compare_sweeps(self, process):
        """All values of 16 bits: as INTEGER those that the list has, as a pointer none but by chance."""
        process.ask("sweep communicator c 16")
        for kind in ("communicator", "datatype", "op"):
            numbers = {key[2] for key in by_object(process.ask("list " + kind)[2])} - {"-"}
            small = sum(0 <= int(number) <= 0xffff for number in numbers)
            found = int(process.ask("sweep %s fortran 0" % kind)[2][0])
            self.expect(self.limited(kind, "list") or found == small,
                        "sweep %s: %d INTEGERs are handles, %d are listed" % (kind, found, small))

    def compare_strangers(self, process, objects, seed):
        """Values that are no handles, or handles of other kinds."""
        randomly = random.Random(seed)
        handles = [int(key[1], 16) for key in objects]
        values = handles + [randomly.choice(handles) + randomly.randrange(-64, 64) for _ in range(100)]
        values += [randomly.getrandbits(randomly.choice((8, 16, 31, 32, 47, 64))) for _ in range(200)]
        values += [1 << i for i in range(64)] + [(1 << 64) - 1, 0]
        for value in values:
            kind = randomly.choice(KINDS)
            form = randomly.choice(("c", "c", "fortran", "abi", "address"))
            process.ask("%s %s %#x" % (kind, form, value & (1 << 64) - 1))
            process.ask("text %s %s %#x" % (kind, form, value & (1 << 64) - 1))


    def compare_samples(self, process, objects, seed):
        """Numbers with each value of the upper 16 bits: those that are handles are of their kind only."""
        randomly = random.Random(seed)
        known = {(key[0], int(key[1], 16)) for key in objects if objects[key].get("state") != {0: "none"}}
        live = 0
        for upper in range(1 << 16):
            value = upper << 16 | randomly.choice((0, 1, 2, 5, randomly.getrandbits(16)))
            kind = randomly.choice(KINDS[:4] + KINDS[5:6] + KINDS[7:])
            result, _, lines = process.ask("head %s c %#x" % (kind, value))
            live += result == 0
            self.expect(result == 1 and not lines or result == 0 and len(lines) > 0 and
                        all(line.startswith("%s %#x " % (kind, value)) for line in lines),
                        "%s %#x: result %d, %s" % (kind, value, result, lines[:1]))
            self.expect(result == 0 or (kind, value) not in known, "%s %#x is no handle" % (kind, value))
        self.expect(live < 1 << 12, "%d of the samples are handles" % live)


def wait_for(paths):
    end = time.time() + SECONDS
    while not all(os.path.exists(path) for path in paths):
        if time.time() > end:
            return False
        time.sleep(0.1)
    return True


@contextlib.contextmanager
def records(starter, program, environment=None):
    """Runs the job. @return for each rank its process id and objects; None: the job has not written them"""
    with tempfile.TemporaryDirectory() as folder:
        job = subprocess.Popen(starter + ["-n", str(RANKS), program, folder], stdin=subprocess.DEVNULL,
                               env=dict(os.environ, **(environment or {})))
        paths = [os.path.join(folder, str(rank)) for rank in range(RANKS)]
        try:
            found = [] if wait_for(paths) else None
            for path in paths if found is not None else []:
                with open(path, encoding="utf-8") as record:
                    found.append((record.readline().split()[1], by_object(record.read().splitlines())))
            if found is None:
                print("FAILED: the job has not written its records")
            yield found
        finally:
            job.terminate()
            job.wait()


def run(starter, program, limits, environment=None, numbers=False, ranks=range(RANKS), process_of=Process):
    """@param numbers handles are numbers of 32 bits @param ranks that are compared
    @param process_of makes of a process id what has the functions of Process @return the exit status of the test"""
    comparison = Comparison(read_limits(limits))
    with records(starter, program, environment) as job:
        for rank in ranks if job else ():
            pid, objects = job[rank]
            process = process_of(pid)
            comparison.compare_objects(process, objects)
            comparison.compare_lists(process, objects)
            comparison.compare_strangers(process, objects, rank)
            if numbers and rank == 0:
                comparison.compare_samples(process, objects, rank)
            if rank == 0 and process_of == Process:
                comparison.compare_sweeps(process)
            process.close()
    for kind, member in sorted(comparison.unlimited):
        print("the limit of %s %s could go" % (kind, member))
    print("%d comparisons, %d failed" % (comparison.compared, comparison.failed))
    return 0 if job and comparison.failed == 0 else 1
