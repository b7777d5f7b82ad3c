# SPDX-License-Identifier: BSD-3-Clause
# Two ranks of mpi4py receive from each other; a thread of rank 0 waits for an event, for an hour at
# most, and then sends what rank 1 receives: late.py FILE.
import os
import sys
import threading

from mpi4py import MPI

comm = MPI.COMM_WORLD
rank = comm.Get_rank()


def send_late():
    threading.Event().wait(3600)
    comm.send(1, dest=1, tag=7)


if rank == 0:
    threading.Thread(target=send_late, daemon=True).start()
with open("%s.%d" % (sys.argv[1], rank), "w") as out:
    out.write("%d\n" % os.getpid())
comm.recv(source=1 - rank, tag=7)
