# SPDX-License-Identifier: BSD-3-Clause
"""gdb commands that show the MPI message queues and the OpenMP state of the debugged processes."""
