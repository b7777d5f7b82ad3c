# SPDX-License-Identifier: BSD-3-Clause
"""The statements of scripts, and what MPI says of them."""
EAGER, RENDEZVOUS = 1000, 300000
ANY, NOBODY = -1, -2
MAX_STATES = 1500

# Statements that never end, and what the rank does: whether others may hope that it goes on.
FOREVER = {"spin": "computes", "sleep": "sleeps", "flock": "flock", "pipe": "pipe", "stop": "stopped",
           "die": "dead", "work_ring": "works", "work_reduce": "works",
           "work_serve": "works", "again": "works", "poll_pipe": "rests", "poll_loop": "rests", "log": "rests",
           "hour_sem": "rests", "hour_cond": "rests", "hour_mutex": "rests", "hour_poll": "rests",
           "hour_sleep": "rests"}
RESTS = {"sleeps", "flock", "pipe", "rests"}  # what ends by itself, or from outside of the job
# What only other threads of the process end: which one is known of the former; what is kept, its main thread has for ever.
KEPT = {"rwlock_wait"}
OWNED = {"join", "lock"} | KEPT
UNTIMED = {"sem_wait", "cond_wait", "barrier_wait", "futex_wait"}
LOCKING, UNLOCKING = {"lock", "omp_lock"}, {"unlock", "omp_unlock"}
TEAM = {"team_barrier", "team_end"}  # nobody leaves before all members are there
INSIDE = OWNED | LOCKING | UNTIMED | TEAM
FREEZES = {"stop", "die"}  # all threads of the rank
SENDS = {"send", "ssend", "bsend", "rsend"}
ISENDS = {"isend", "issend", "ibsend", "irsend"}
# These make communicators; the latter meet others than the members of the one that they are given.
MAKING = {"comm_dup", "comm_split", "comm_create", "cart_create"}
MAKING_PARTLY = {"comm_create_group", "intercomm_create"}
NEIGHBOURS = {"neighbor_allgather", "neighbor_alltoall"}  # on rings
ON_WINDOW = {"win_fence"}
ON_FILE = {"file_read_all", "file_write_all", "file_read_at_all", "file_write_at_all",
           "file_write_ordered", "file_set_size"}
SYNCHRONISING = {"barrier", "allreduce", "allgather", "alltoall", "reduce_scatter", "finalize"} | \
    MAKING | MAKING_PARTLY | ON_WINDOW
FROM_ROOT, TO_ROOT = {"bcast", "scatter"}, {"reduce", "gather"}
ROOTED = FROM_ROOT | TO_ROOT | {"scan"}
# Of who is not in one of these cannot be seen whether it has left it again.
LEFT_EARLY = ROOTED | NEIGHBOURS | ON_WINDOW | ON_FILE
COLLECTIVES = SYNCHRONISING | ROOTED | NEIGHBOURS | ON_FILE
# Started, and completed by another statement.
NONBLOCKING = {"ibarrier", "iallreduce", "iallgather", "ialltoall", "ineighbor_allgather",
               "ineighbor_alltoall"}
PERSISTENT = {"barrier_init", "allreduce_init"}
# Some libraries build one of them from the other.
COLLIDE = [("allreduce", "reduce"), ("allreduce", "bcast"), ("reduce_scatter", "reduce"),
           ("reduce_scatter", "scatter"), ("allgather", "gather"), ("allgather", "bcast")]
ALONE = MAKING | MAKING_PARTLY | NEIGHBOURS | ON_FILE  # with what else is not known
EPOCHS = {"win_post", "win_start", "win_complete", "win_wait"}
LOCKS = {"win_lock", "win_unlock"}
# Of these mqshow cannot always say whom they wait for: Open MPI's consist of collectives that are like the user's,
# and of who is not in a persistent collective cannot be seen whether it has been.
UNCLEAR = MAKING_PARTLY | PERSISTENT
IN_TURN = {"sendrecv", "sendrecv_replace"}  # some libraries wait for one part, then for the other
LOOPS = {"test", "testall", "iprobe"}
CALLS = dict({"sendrecv_replace": "MPI_Sendrecv_replace", "reduce_scatter": "MPI_Reduce_scatter_block"},
             **dict.fromkeys(INSIDE))


class Undetermined(Exception):
    """The end depends on what MPI leaves free, or the program is wrong."""
