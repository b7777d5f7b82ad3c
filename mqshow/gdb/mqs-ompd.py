# SPDX-License-Identifier: BSD-3-Clause
"""Gives gdb the commands "mpi" and "omp": "source" this file, in ~/.gdbinit for always."""

import os
import sys

import gdb


def _start():
    if sys.version_info < (3, 7):
        raise gdb.GdbError("mqs-ompd needs a gdb with Python 3.7 or later")
    folder = os.path.dirname(os.path.abspath(__file__))
    if folder not in sys.path:
        sys.path.insert(0, folder)
    # Sourced again, it is read anew.
    for name in [name for name in sys.modules if name.split(".")[0] == "mqs_ompd"]:
        del sys.modules[name]
    from mqs_ompd import with_gdb
    with_gdb.register()


_start()
