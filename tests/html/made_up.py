#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Documents "mqs-ompd/1" of jobs that never ran, with the verdict that they deserve.

Usage: made_up.py [--no-verdict] [--ops N] SCENE [RANKS]

  ring     ranks 0, 1 and 2 receive from each other in a cycle, the last one computes, all others are in
           a barrier that these four have not entered
  hybrid   a rank holds a lock in MPI_Recv while its other thread, whose message is missing elsewhere,
           waits for the lock; another rank sends with the wrong tag
  cycle    each rank receives from the next one, and the last one from the first
  healthy  rank 0 computes, all others wait for it
  hostile  names that try to leave their places: markup, escape sequences, quotes, marks of direction

The same arguments give the same text. Each rank has N pending operations (10).
"""

import argparse
import json
import sys

HOSTILE = ("</script><img src=x onerror=\"document.title='ran'\">", "\x1b[31mred\x1b]0;title\x07",
           "quote\"s 'and' `ticks` \\ &amp; <b>", "\u202egnp.exe\u202c \u2066\u200f", "]]><!-- \u2028 \u2029 ${x}",
           "javascript:document.title='ran'")
SIZES = (4, 80, 400, 1000, 8192, 65536)


def ranges(ranks):
    """Ranks as a text, "[0-3,7]"."""
    parts, ranks = [], sorted(ranks)
    for rank in ranks:
        if parts and parts[-1][1] == rank - 1:
            parts[-1][1] = rank
        else:
            parts.append([rank, rank])
    return "[%s]" % ",".join("%d" % a if a == b else "%d-%d" % (a, b) for a, b in parts)


def receive(peer, tag, size, request, **more):
    return dict({"status": "pending", "peer": peer, "world_peer": peer, "tag": tag, "bytes": size,
                 "count": size // 4, "datatype": "MPI_INT", "buffer": "0x7f00%08x" % (request * 64),
                 "system_buffer": False, "kind": "receive", "persistent": False,
                 "request": "0x55%08x" % (request * 256)}, **more)


def send(peer, tag, size, request, **more):
    return dict(receive(peer, tag, size, request), kind="send", rendezvous=size > 4096, **more)


def unexpected(peer, tag, size):
    return {"status": "complete", "peer": peer, "world_peer": peer, "tag": tag, "bytes": size, "kind": "message"}


def frame(function, line, file="/home/user/src/ring.c"):
    return {"function": function, "file": file, "line": line}


def stack(call, users):
    inner = [dict(frame(name, line, "/usr/src/mpi/" + file), module="/usr/lib/libmpi.so.40")
             for name, file, line in (("opal_progress", "progress.c", 231), ("ompi_request_default_wait", "wait.c", 42))]
    inner += [{"module": "/usr/lib/libmpi.so.40"}, {"function": call, "module": "/usr/lib/libmpi.so.40"}] if call else []
    frames = (inner if call else []) + [dict(users, module="/home/user/bin/ring")]
    frames += [dict(frame("main", 91, users["file"]), module="/home/user/bin/ring"),
               {"function": "__libc_start_call_main", "module": "/usr/lib/libc.so.6"}]
    return [dict(one, address="0x%x" % (0x401000 + 64 * i)) for i, one in enumerate(frames)]


def thread(tid, call, users, **more):
    ret = {"tid": tid, "frame": users, "stack": stack(call, users), "stack_complete": True}
    return dict(ret, **dict({"call": call} if call else {}, **more))


class Job:
    """A job of equal processes that wait for nothing yet."""

    def __init__(self, size, ops):
        self.size, self.waits, self.more = size, [], {"messages": []}
        self.ops = ops
        self.processes = [self._process(rank) for rank in range(size)]
        self.verdict = {"kind": "no deadlock seen", "text": "", "cycles": [], "waits": self.waits, "unmatched": [],
                        "collectives": [], "groups": [], "unseen": []}

    def _group(self):
        return list(range(self.size)) if self.size < 4 else ["0-%d" % (self.size - 1)]

    def _communicator(self, name, number, rank):
        return {"name": name, "id": number, "size": self.size, "local_rank": rank, "inter": False,
                "group": self._group(), "receives": [], "unexpected": [], "sends": []}

    def _process(self, rank):
        world, solver = (self._communicator(name, number, rank) for name, number in (("MPI_COMM_WORLD", 0), ("solver", 5)))
        alone = dict(self._communicator("MPI_COMM_SELF", 1, 0), size=1, group=[rank])
        for i in range(self.ops):
            peer, size = (rank + 1 + i // 3) % self.size, SIZES[(rank + i) % len(SIZES)]
            queue = ("receives", "sends", "unexpected")[i % 3]
            made = (unexpected(peer, 100 + i, size) if queue == "unexpected" else
                    (receive if queue == "receives" else send)(peer, 100 + i, size, rank * 64 + i))
            solver[queue].append(made)
        return {"pid": 4000 + rank, "rank": rank, "host": "node%d" % (rank // 64), "image": "/home/user/bin/ring",
                "stopped_ms": 1.5, "mpi": {"implementation": "Open MPI", "version": "4.1.4", "layout": "built-in 4.1"},
                "communicators": [world, alone, solver], "threads": [], "messages": [], "settled": True}

    def tid(self, rank, number=0):
        return 4000 + rank + number * 100000

    def comm(self, rank, name="solver"):
        return next(one for one in self.processes[rank]["communicators"] if one["name"] == name)

    def blocks(self, rank, call, users, targets, operation=None, queue="receives", number=0, needs="all",
               collective=None, **more):
        """A thread waits for these ranks, in an operation if there is one."""
        wait = {"rank": rank, "tid": self.tid(rank, number), "call": call, "for": targets, "needs": needs}
        if operation:
            operation["blocked"] = True
            self.comm(rank)[queue].append(operation)
            wait["operation"] = dict(operation, communicator="solver", communicator_id=5, queue=queue)
            more["awaits"] = {"needs": needs, "certain": True, "requests": [operation["request"]]}
        elif collective:
            wait["collective"] = {"name": collective, "communicator": "solver", "communicator_id": 5}
        self.waits.append(wait)
        self.processes[rank]["threads"].append(thread(self.tid(rank, number), call, users, **more))

    def computes(self, rank, users, number=0, **more):
        self.processes[rank]["threads"].append(thread(self.tid(rank, number), None, users, **more))

    def group(self, ranks, situation):
        if ranks:
            self.verdict["groups"].append({"ranks": ranges(ranks), "count": len(ranks), "situation": situation})

    def document(self, with_verdict):
        ret = {"schema": "mqs-ompd/1", "processes": self.processes, "verdict": self.verdict, **self.more}
        if not with_verdict:
            del ret["verdict"]
        return ret


def barrier(job, inside, missing, call="MPI_Barrier", line=140):
    for rank in inside:
        job.comm(rank)["collectives"] = [{"name": "barrier", "active": True}]
        job.blocks(rank, call, frame("step", line), missing, collective="barrier")
    job.verdict["collectives"].append({"communicator": "solver", "communicator_id": 5, "name": "barrier",
                                       "in": inside, "missing": missing, "other": []})
    job.group(inside, "MPI_Barrier on solver in step at ring.c:%d" % line)


def ring(size, ops):
    job = Job(max(size, 4), ops)
    last, cycle = job.size - 1, [0, 1, 2]
    for rank in cycle:
        peer = cycle[(rank + 1) % 3]
        operation = receive(peer, 42, 4, rank * 64 + 63)
        job.blocks(rank, "MPI_Recv", frame("exchange", 17), [peer], operation)
        job.verdict["unmatched"].append({"rank": rank, "communicator": "solver", "communicator_id": 5,
                                         "queue": "receives", "operation": operation, "near_misses": []})
    job.computes(last, frame("compute", 88, "/home/user/src/solve.c"))
    job.verdict.update(kind="deadlock", cycles=[cycle], text="DEADLOCK: ranks 0 -> 1 -> 2 -> 0, all in MPI_Recv in "
                       "exchange at ring.c:17\nrank %d computes in compute at solve.c:88" % last)
    job.group(cycle, "MPI_Recv in exchange at ring.c:17")
    job.group([last], "computes in compute at solve.c:88")
    barrier(job, list(range(3, last)), cycle + [last])
    return job


def cycle(size, ops):
    job = Job(max(size, 2), ops)
    for rank in range(job.size):
        peer = (rank + 1) % job.size
        job.blocks(rank, "MPI_Recv", frame("exchange", 17), [peer], receive(peer, 42, 4, rank * 64 + 63))
    every = list(range(job.size))
    job.verdict.update(kind="deadlock", cycles=[every], text="DEADLOCK: ranks %s -> 0, each in MPI_Recv in exchange at "
                       "ring.c:17" % " -> ".join(map(str, every[:16])))
    job.group(every, "MPI_Recv in exchange at ring.c:17")
    return job


def healthy(size, ops):
    job = Job(max(size, 2), ops)
    job.computes(0, frame("compute", 88, "/home/user/src/solve.c"))
    job.verdict["text"] = "no deadlock seen: rank 0 computes in compute at solve.c:88, all others wait for it"
    job.verdict["unseen"] = ["messages of up to 256 bytes leave no send request behind"]
    job.group([0], "computes in compute at solve.c:88")
    barrier(job, list(range(1, job.size)), [0])
    return job


def openmp(job, rank, states):
    """A region with a thread for each state; its primary thread executes a task."""
    names = ["%x" % (0x55bb00 + 64 * i) for i in range(len(states))]
    function = dict(frame("work", 51), name="work", symbol="work._omp_fn.0", address="0x401136")
    threads = [dict({"id": name, "tid": job.tid(rank, i), "region": "55aa40", "thread_num": i,
                     "team_size": len(states), "level": 1, "state": state, "tasks": []},
                    **({"waits_for": {"symbol": ".gomp_critical_user_a.var", "offset": 0, "name": "critical (a)"}} if state == "wait_lock" else {}))
               for i, (name, state) in enumerate(zip(names, states))]
    threads[0]["tasks"] = [{"id": "55cc00", "region": "55aa40", "thread": names[0], "implicit": False, "current": True,
                            "generating": "55cc40", "function": dict(function, line=44, address="0x401200")}]
    job.processes[rank]["openmp"] = {
        "runtime": "LLVM OpenMP", "release": "14", "backend": "libomp table", "state_tracking": True,
        "regions": [{"id": "55aa00", "parent": None, "primary": names[0], "team_size": 1, "level": 0},
                    {"id": "55aa40", "parent": "55aa00", "primary": names[0], "team_size": len(states), "level": 1,
                     "active_level": 1, "function": function}],
        "threads": threads, "tasks": [], "other_threads": [job.tid(rank, 9), job.tid(rank, 10)]}
    return names


def hybrid(size, ops):
    job = Job(max(size, 6), ops)
    names = openmp(job, 0, ["work_parallel", "wait_lock", "work_parallel", "work_parallel"])
    job.blocks(0, "MPI_Recv", frame("exchange", 17), [1], receive(1, 42, 4, 63), openmp=names[0], name="main")
    job.computes(0, frame("send_halo", 66), 1, openmp=names[1], name="comm")
    job.blocks(1, "MPI_Recv", frame("exchange", 17), [2], receive(2, 42, 4, 127), name="main")
    job.blocks(2, "MPI_Recv", frame("send_halo", 71), [0], receive(0, 7, 65536, 191), name="main")
    job.blocks(3, "MPI_Recv", frame("gather_any", 112), [2, 4], receive("any", 51, 80, 255), name="main")
    job.computes(4, frame("compute", 88, "/home/user/src/solve.c"), name="main")
    openmp(job, 4, ["work_parallel"] * 4)
    wrong_tag = send(0, 8, 65536, 320)
    job.comm(5)["sends"].append(wrong_tag)
    missed = {"rank": 5, "communicator": "solver", "why": "other tag",
              "operation": dict(wrong_tag, queue="sends")}
    for rank in (0, 1, 2):
        operation = job.comm(rank)["receives"][-1]
        job.verdict["unmatched"].append({"rank": rank, "communicator": "solver", "communicator_id": 5, "queue": "receives",
                                         "operation": operation, "near_misses": [missed] if rank == 0 else []})
    job.group([0, 1], "MPI_Recv in exchange at ring.c:17")
    job.group([2], "MPI_Recv in send_halo at ring.c:71")
    job.group([3], "MPI_Recv in gather_any at ring.c:112")
    job.group([4], "computes in compute at solve.c:88")
    barrier(job, list(range(5, job.size)), [0, 1, 2, 3, 4])
    job.verdict.update(kind="deadlock", cycles=[[0, 1, 2]], text="DEADLOCK: ranks 0 -> 1 -> 2 -> 0\n"
                       "rank 0 receives tag 42 from 1 in exchange at ring.c:17 with the lock that its thread 1 waits for")
    job.verdict["unseen"] = ["messages of up to 256 bytes leave no send request behind"]
    job.processes[4].update(messages=["thread 104009 could not be stopped"], incomplete=True)
    job.more = {"messages": ["node7 does not answer"], "looks": {"count": 3, "seconds": 1.5, "moved": False}}
    return job


def hostile(size, ops):
    job = ring(size, ops)
    for i, process in enumerate(job.processes):
        name = HOSTILE[i % len(HOSTILE)]
        process.update(host=name, image=name, messages=[name])
        for one in process["communicators"]:
            one["name"] += name
        for one in process["threads"]:
            one.update(name=name, frame=frame(name, 17, name))
            one["stack"].append(dict(frame(name, 1, name), module=name))
        process["communicators"][2]["receives"].append(dict(receive(0, 7, 4, 1), datatype=name, text=[name]))
        openmp(job, i, ["work_parallel"])[0]
        process["openmp"].update(runtime=name, backend=name)
        process["openmp"]["regions"][1]["function"].update(name=name, file=name)
    for wait, name in zip(job.waits, HOSTILE):
        wait["call"] = name
    job.verdict["text"] += "\n" + "\n".join(HOSTILE)
    job.verdict["unseen"] = list(HOSTILE)
    for one in job.verdict["groups"]:
        one["situation"] += HOSTILE[0]
    return job


SCENES = {"ring": ring, "hybrid": hybrid, "cycle": cycle, "healthy": healthy, "hostile": hostile}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--no-verdict", action="store_true")
    parser.add_argument("--ops", type=int, default=10)
    parser.add_argument("scene", choices=sorted(SCENES))
    parser.add_argument("ranks", type=int, nargs="?", default=6)
    given = parser.parse_args()
    json.dump(SCENES[given.scene](given.ranks, given.ops).document(not given.no_verdict), sys.stdout,
              separators=(",", ":"))
    print()


if __name__ == "__main__":
    main()
