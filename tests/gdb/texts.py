# SPDX-License-Identifier: BSD-3-Clause
"""Checks the arguments of the commands, and what the stub makes of texts and bytes."""

import gdb
from mqs_ompd import arguments, run, stub

BY_NAME = {command.name: command for command in arguments.COMMANDS}


class _Process:
    pid, name = 7, "inferior 1"

    def numbers(self):
        return {17: "gdb 1.2"}


EXPECTED = (
    (BY_NAME["mpi comms"].complete, ("--", ""), ["comm", "inferior", "json", "rank"]),
    (BY_NAME["mpi group"].complete, ("--json --ra", "ra"), ["rank"]),
    (BY_NAME["mpi group"].numbers, ({"--rank": "0-2,5"}, "--rank"), {0, 1, 2, 5}),
    (BY_NAME["mpi comms"].for_mqshow, ({"--rank": "0", "--comm": "-x", "--json": True},),
     ["--only", "comms", "--rank=0", "--comm=-x", "--json"]),
    (stub._escape, (b"a#b}c$d*",), b"a}\x03b}]c}\x04d}\x0a"),
    (run.number_threads, ("rank 0   pid 7   x\n  tid 17  tid 170\n", [_Process()]),
     "inferior 1   rank 0   pid 7   x\n  gdb 1.2 tid 17  tid 170\n"),
)

wrong = ["%s%r is %r and not %r" % (function.__name__, given, function(*given), wanted)
         for function, given, wanted in EXPECTED if function(*given) != wanted]
gdb.write("\n".join(wrong or ["all texts are right"]) + "\n")
