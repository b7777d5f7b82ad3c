# SPDX-License-Identifier: BSD-3-Clause
"""The commands "mpi" and "omp" for gdb and lldb: what the debugger holds, mqshow reads and shows."""


def __lldb_init_module(debugger, _internal):
    """lldb calls it when it imports this folder."""
    from . import with_lldb
    with_lldb.register(debugger)
