// SPDX-License-Identifier: BSD-3-Clause
// The exception that ended a Python program: sys.last_type and sys.last_traceback, which the
// interpreter sets when it prints one that nothing has caught. SystemExit it does not print. They
// are there until the modules are taken down: while other threads are waited for and what atexit
// has registered is called, but not when what Py_AtExit() has is, such as mpi4py's MPI_Finalize.
#ifndef MQSHOW_PYTHON_EXCEPTION_H
#define MQSHOW_PYTHON_EXCEPTION_H

#include "mqshow/python/objects.h"

struct python_exception;

/** Reads that of an interpreter in place of what was read before. */
void exception_read(struct python_exception *ret, struct objects *objects, uint64_t interp);

#endif
