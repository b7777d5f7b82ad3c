// SPDX-License-Identifier: BSD-3-Clause
// What requests say of the layout that they are read with: where they contradict themselves, it is
// another release's, and nothing follows from those that are pending.
#ifndef OPENMPI_EVIDENCE_H
#define OPENMPI_EVIDENCE_H

#include "mpi-impl-adapters/openmpi/openmpi.h"

/** Numbers of values that are as they must be, and that are not. */
struct evidence {
    unsigned agreed, contradicted;
};

/** Notes a value. */
void evidence_note(struct evidence *evidence, bool agrees);

/** Notes what a request of a free list says. */
typedef enum status weigh_function(const struct mpi *mpi, taddr request, struct evidence *evidence);

/** A request has one of few states. */
weigh_function request_weigh_state;

/** A receive that is over has matched what it asked for. */
weigh_function request_weigh_receive;

/** A send that is over has sent what it was to send, and has an answer from its receiver where its
 * mode asks for one. */
weigh_function request_weigh_send;

/** Whether the requests of a free list fit the layout. @return STATUS_CORRUPT when a good part of
 * those that tell does not; else STATUS_OK or STATUS_NOMEM */
CHECKED enum status evidence_check(const struct mpi *mpi, const struct free_list *list,
                                   struct arena *arena, weigh_function *weigh);

#endif
