# SPDX-License-Identifier: BSD-3-Clause
# Deadlocks of mpi4py: rank 1 raises an exception, whereupon its interpreter exits and calls
# MPI_Finalize; the others wait in a barrier: raises.py FILE. With ENDS=registered in the
# environment, the interpreter is still whole when it does, and rank 2 calls sys.exit().
import atexit
import os
import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD
is_registered = os.environ.get("ENDS") == "registered"


def solve():
    if comm.Get_rank() == 1:
        raise RuntimeError("no convergence")
    if comm.Get_rank() == 2 and is_registered:
        sys.exit(3)
    comm.Barrier()


with open("%s.%d" % (sys.argv[1], comm.Get_rank()), "w") as out:
    out.write("%d\n" % os.getpid())
if is_registered:
    atexit.register(MPI.Finalize)
solve()
