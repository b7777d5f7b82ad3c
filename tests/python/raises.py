# SPDX-License-Identifier: BSD-3-Clause
# A deadlock of mpi4py: rank 1 raises an exception, whereupon its interpreter exits and calls
# MPI_Finalize; the others wait in a barrier: raises.py FILE.
import os
import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD


def solve():
    if comm.Get_rank() == 1:
        raise RuntimeError("no convergence")
    comm.Barrier()


with open("%s.%d" % (sys.argv[1], comm.Get_rank()), "w") as out:
    out.write("%d\n" % os.getpid())
solve()
