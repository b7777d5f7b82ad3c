// SPDX-License-Identifier: BSD-3-Clause
// One search for all pending operations of a process.
#ifndef OPENMPI_SEARCH_H
#define OPENMPI_SEARCH_H

#include "mpi-impl-adapters/openmpi/ob1.h"
#include "mpi-impl-adapters/openmpi/request.h"

struct search {
    const struct mpi *mpi;
    struct op_sink *sink;
    struct ob1_comm *ob1; // of each communicator of the sink
    uint32_t *by_addr;    // numbers of the communicators, by address
    unsigned n_lost;      // requests of a free list that are of none
};

/** Emits a receive or probe, unless it is of MPI's own traffic, and counts it in n_seen. */
CHECKED enum status
search_emit_receive(const struct search *search, const struct request *request, uint32_t comm);

/** Emits the unexpected messages of a communicator, and sums its posted receives up in n_posted. */
CHECKED enum status search_messages(const struct search *search, uint32_t comm);

/** Emits the messages in shared memory that the process has not looked at yet. */
CHECKED enum status search_transit(const struct search *search, struct arena *arena);

/** Emits the requests of MPI_Probe, which are in no free list. */
CHECKED enum status search_probes(const struct search *search, uint32_t comm);

/** Reports what broke. @return STATUS_OK, or STATUS_NOMEM, after which nothing is worth trying */
CHECKED enum status
search_survive(const struct search *search, uint32_t comm, enum op_class class, enum status status);

#endif
