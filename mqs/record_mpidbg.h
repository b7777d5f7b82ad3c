// SPDX-License-Identifier: BSD-3-Clause
// Turns what is known of MPI objects into the records of mpidbg.h.
#ifndef MQS_RECORD_MPIDBG_H
#define MQS_RECORD_MPIDBG_H

#include "include/mpidbg.h"
#include "mqs/objects.h"

/** A communicator. @param members of it @param ret allocated for the debugger
 * @return STATUS_NOMEM: nothing is allocated */
CHECKED enum status
mpidbg_make_comm(const struct mpi *mpi, const struct adapter *adapter, const struct object *object,
                 const struct found_list *members, struct mpidbg_comm_info_t **ret);

/** Likewise an error handler. */
CHECKED enum status
mpidbg_make_errhandler(const struct object *object, const struct found_list *members,
                       struct mpidbg_errhandler_info_t **ret);

/** Likewise a request. */
CHECKED enum status
mpidbg_make_request(const struct object *object, struct mpidbg_request_info_t **ret);

/** Likewise a status. */
CHECKED enum status
mpidbg_make_status(const struct object *object, struct mpidbg_status_info_t **ret);

/** Names and handles of those objects of a list that are predefined, and of `null`.
 * @param ret of the library's own memory, ended by a NULL name
 * @return STATUS_NOMEM */
CHECKED enum status mpidbg_make_map(struct found_list *objects, const struct object *null,
                                    struct mpidbg_name_map_t **ret);

/** Frees a map; NULL is fine. */
void mpidbg_free_map(struct mpidbg_name_map_t *map);

#endif
