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

/** Number of virtual interfaces, each of which has queues and a network endpoint of its own; of a
 * library that does not say it, as many as it has room for.
 * @param ret 1 where there cannot be as many as the library says, 0 where the layout is not known
 * @return STATUS_CORRUPT, STATUS_MISMATCH for these */
CHECKED enum status ch4_count_vcis(const struct mpi *mpi, uint32_t *ret);

/** Of a receive of the node's that is from any source, the place of its other request in the
 * network's queue; `place` is as it was where there is none. */
void ch4_find_place(struct search *search, const struct request *request, uint32_t *place);

/** Decodes a request that is in no list. @return STATUS_ABSENT when nothing can be told, or it is
 * told already */
CHECKED enum status
ch4_decode(struct search *search, const struct request *request, struct found *ret);

/** Decodes a message that MPI_Mprobe has taken. @return STATUS_ABSENT when nothing can be told */
CHECKED enum status
ch4_decode_message(struct search *search, const struct request *request, struct found *ret);

/** Whether active messages are kept in the form that they had up to 3.4, and have in Intel MPI:
 * lists of communicators, no lists for communicators of one process. */
bool am_is_early(const struct layout *layout);

/** Decodes the envelope and the memory of what is posted or has come as an active message. */
CHECKED enum status
am_decode(const struct search *search, const struct request *request, struct found *ret);

/** Decodes the memory that an MPIDIG_req_t says. */
void am_decode_data(const struct view *am, struct found *ret);

/** Decodes what a send that MPICH itself hands over has of its receiver and its data, where that is
 * certain. @param dev the device's part of the request */
CHECKED enum status am_decode_send(struct search *search, const struct request *request,
                                   const struct view *dev, struct found *ret);

/** Emits a request that is in a list of active messages. */
CHECKED enum status am_emit(struct search *search, enum op_class class, taddr item, uint32_t order);

/** Emits what is in the lists of communicators, and Intel MPI's messages. */
CHECKED enum status early_lists(struct search *search);

/** Whether a request is of such a message, which is no receive even if no list leads to it. */
CHECKED enum status early_is_message(const struct search *search, taddr addr, bool *ret);

#endif
