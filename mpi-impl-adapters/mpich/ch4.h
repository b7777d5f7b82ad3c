// SPDX-License-Identifier: BSD-3-Clause
// Device ch4's part of a request.
#ifndef MPICH_CH4_H
#define MPICH_CH4_H

#include "mpi-impl-adapters/mpich/search.h"

/** Address of what ch4 keeps in a request: a union, of which every member starts there. */
taddr ch4_part(const struct request *request);

/** Whether processes of a node exchange messages through shared memory, which MPICH matches itself,
 * and only others through the network module. */
bool ch4_has_shared_memory(const struct layout *layout);

/** Decodes a request that is in no list. @return STATUS_ABSENT when nothing can be told, or it is
 * told already */
CHECKED enum status
ch4_decode(struct search *search, const struct request *request, struct found *ret);

/** Decodes a message that MPI_Mprobe has taken. @return STATUS_ABSENT when nothing can be told */
CHECKED enum status
ch4_decode_message(struct search *search, const struct request *request, struct found *ret);

#endif
