# SPDX-License-Identifier: BSD-3-Clause
"""Checks what mqs_ompd.text makes of texts of processes, and the arguments of commands."""

import gdb
from mqs_ompd import arguments, frames, text

EXPECTED = (
    (text.escape, (b"ring",), "ring"),
    (text.escape, ("gr\u00fc\u00df".encode(),), "gr\u00fc\u00df"),
    (text.escape, (b"\x1b[31m\n\x7f",), "\\x1b[31m\\x0a\\x7f"),
    (text.escape, (b"a\xffb\xc3",), "a\\xffb\\xc3"),
    (text.escape, (b"\xc0\x80",), "\\xc0\\x80"),
    (text.escape, ("\u202eabc".encode(),), "\\xe2\\x80\\xaeabc"),
    (text.escape, ("\x9b31m".encode(),), "\\xc2\\x9b31m"),
    (text.fill_in, (b"no queues in %s\n", "a.out"), "no queues in a.out"),
    (text.fill_in, (b"%d of %s", "a.out"), "%d of %s"),
    (text.fill_in, (b"100%% of %s", "%s"), "100% of %s"),
    (text.ranges, ([7, 3, 1, 2, 0, 9, 10],), "0-3, 7, 9, 10"),
    (text.ranges, ([],), ""),
    (text.size, (65536,), "64 KiB"),
    (text.size, (1000,), "1000 B"),
    (text.size, (0,), "0 B"),
    (frames.mpi_call, ("PMPI_Recv",), "MPI_Recv"),
    (frames.mpi_call, ("mpi_send_",), "MPI_Send"),
    (frames.mpi_call, ("MPI_Ibarrier",), "MPI_Ibarrier"),
    (frames.mpi_call, ("ompi_sync_wait_mt",), None),
    (arguments.complete, ({"--comm": True}, "--", ""), ["comm", "inferior", "json", "rank"]),
    (arguments.complete, ({}, "--json --ra", "ra"), ["rank"]),
    (lambda given: arguments.Arguments("x", given, {}).numbers("--rank"), ("--rank 0-2,5",),
     {0, 1, 2, 5}),
)

wrong = ["%s%r is %r and not %r" % (function.__name__, given, function(*given), wanted)
         for function, given, wanted in EXPECTED if function(*given) != wanted]
gdb.write("\n".join(wrong or ["all texts are right"]) + "\n")
