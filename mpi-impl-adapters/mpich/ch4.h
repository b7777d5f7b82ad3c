// SPDX-License-Identifier: BSD-3-Clause
// Device ch4's part of a request.
#ifndef MPICH_CH4_H
#define MPICH_CH4_H

#include "mpi-impl-adapters/mpich/search.h"

/** Address of what ch4 keeps in a request: a union, of which every member starts there. */
taddr ch4_part(const struct request *request);

#endif
