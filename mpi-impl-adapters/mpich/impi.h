// SPDX-License-Identifier: BSD-3-Clause
// Intel MPI: what derives from a development copy of MPICH 3.4 and has gone its own way since.
#ifndef MPICH_IMPI_H
#define MPICH_IMPI_H

#include "mpi-impl-adapters/mpich/mpich.h"

/** What its blocks have in the place of a device. */
#define IMPI_LABEL "Intel MPI"

/** Whether the library is Intel MPI. */
bool impi_is(struct inferior *inf);

/** Its own version, "2021.18.1"; what it says as an MPICH is that of its origin. */
CHECKED enum status impi_version(struct inferior *inf, char *ret, size_t size);

/** Whether processes of a node exchange messages through its shared memory. */
bool impi_has_shared_memory(struct inferior *inf);

/** Confirms the layout of a process that uses MPI by what its MPI_COMM_WORLD and MPI_COMM_SELF must
 * have. Its variables have symbols, so that nothing else has looked into them. */
CHECKED enum status impi_confirm(const struct mpi *mpi);

/** Says what is not shown. */
void impi_limit(const struct mpi *mpi, char *ret, size_t size);

#endif
