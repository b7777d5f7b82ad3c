# SPDX-License-Identifier: BSD-3-Clause
"""The statements of scripts, and what MPI says of them."""
EAGER, RENDEZVOUS = 1000, 300000
ANY, NOBODY = -1, -2
MAX_STATES = 1500

# Statements that never end, and what the rank does: whether others may hope that it goes on.
FOREVER = {"spin": "computes", "sleep": "sleeps", "flock": "flock", "pipe": "pipe", "stop": "stopped",
           "die": "dead", "work_ring": "works", "work_reduce": "works",
           "work_serve": "works"}
FREEZES = {"stop", "die"}  # all threads of the rank
SENDS = {"send", "ssend", "bsend", "rsend"}
ISENDS = {"isend", "issend", "ibsend", "irsend"}
SYNCHRONISING = {"barrier", "allreduce", "allgather", "alltoall", "reduce_scatter", "finalize"}
FROM_ROOT, TO_ROOT = {"bcast", "scatter"}, {"reduce", "gather"}
ROOTED = FROM_ROOT | TO_ROOT | {"scan"}
COLLECTIVES = SYNCHRONISING | ROOTED
# Some libraries build one of them from the other.
COLLIDE = [("allreduce", "reduce"), ("allreduce", "bcast"), ("reduce_scatter", "reduce"),
           ("reduce_scatter", "scatter"), ("allgather", "gather"), ("allgather", "bcast")]
LOOPS = {"test", "testall", "iprobe"}
CALLS = {"sendrecv_replace": "MPI_Sendrecv_replace", "reduce_scatter": "MPI_Reduce_scatter_block",
         "join": None, "lock": None}


class Undetermined(Exception):
    """The end depends on what MPI leaves free, or the program is wrong."""
