// SPDX-License-Identifier: BSD-3-Clause
// Which code belongs to a runtime and not to the user.
#ifndef TOOLS_RUNTIME_H
#define TOOLS_RUNTIME_H

#include <stdbool.h>

enum runtime { RUNTIME_NONE, RUNTIME_MPI, RUNTIME_OPENMP, RUNTIME_C };

/** The runtime that a file belongs to, by its name. */
enum runtime runtime_of_file(const char *path);

/** "MPI", "OpenMP", "C"; NULL for none. */
const char *runtime_name(enum runtime runtime);

/** Whether a function is one that programs and threads begin in. */
bool runtime_starts(const char *function);

/** The name of an MPI function in C by that of a function of the MPI library: "MPI_Recv" of
 * "PMPI_Recv", of "MPI_Recv_c" with counts of any size, and of Fortran's "mpi_recv_".
 * @return for free(); NULL: it is no MPI function
 */
char *runtime_mpi_call(const char *function);

/** Whether a function of the MPI library is this call in C, with its profiling name and with counts
 * of any size too: "MPI_Recv" is "MPI_Recv", "PMPI_Recv" and "PMPI_Recv_c". */
bool runtime_is_call(const char *function, const char *call);

/** Whether an MPI call is satisfied by any one of the operations that it is given. */
bool runtime_call_needs_any(const char *call);

#endif
