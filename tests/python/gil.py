# SPDX-License-Identifier: BSD-3-Clause
# A deadlock through Python's GIL: gil.py FILE. A thread of rank 0 holds it while it receives from
# rank 1, which answers a message that another thread of rank 0 would send.
import ctypes
import os
import sys
import threading

from mpi4py import MPI

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
buffer = ctypes.create_string_buffer(8)


def send():
    while True:  # needs the GIL to begin
        if sent:
            comm.Send(bytearray(8), dest=1, tag=7)
            return


def receive_with_gil():
    library = ctypes.PyDLL(MPI.__file__)  # its calls keep the GIL
    handle = ctypes.c_void_p.from_address(MPI._addressof(comm))
    byte = ctypes.c_void_p.from_address(MPI._addressof(MPI.BYTE))
    sent.append(1)
    library.MPI_Recv(buffer, 8, byte, 1, 9, handle, ctypes.c_void_p(0))


sent = []
with open("%s.%d" % (sys.argv[1], rank), "w") as out:
    thread = threading.Thread(target=send, daemon=True)
    if rank == 0:
        thread.start()
    out.write("%d %d %d\n" % (os.getpid(), threading.get_native_id(), thread.native_id or 0))
if rank == 0:
    receive_with_gil()
else:
    comm.Recv(bytearray(8), source=0, tag=7)
    comm.Send(bytearray(8), dest=0, tag=9)
