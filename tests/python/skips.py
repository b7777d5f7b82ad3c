# SPDX-License-Identifier: BSD-3-Clause
# A deadlock in a library: rank 2 skips a collective write of parallel HDF5: skips.py FILE.
import os
import sys

from mpi4py import MPI
import h5py

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
data = h5py.File(sys.argv[1] + ".h5", "w", driver="mpio", comm=comm).create_dataset("x", (comm.Get_size(), 10))


def write_part():
    with data.collective:
        data[rank] = [1] * 10


with open("%s.%d" % (sys.argv[1], rank), "w") as out:
    out.write("%d\n" % os.getpid())
if rank != 2:
    write_part()
comm.Barrier()
