# SPDX-License-Identifier: BSD-3-Clause
# A deadlock of mpi4py: rank 0 waits in a barrier, the others for a message that rank 0 would send.
import faulthandler
import os
import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD


class Mesh:
    def exchange(self):
        if comm.Get_rank() == 0:
            comm.Barrier()
        buffer = bytearray(8)
        comm.Recv(buffer, source=0, tag=42)

    def solve(self):
        return [self.exchange() for _ in range(3)]


with open("%s.%d" % (sys.argv[1], comm.Get_rank()), "w") as out:
    out.write("%d\n" % os.getpid())
Mesh().solve()
