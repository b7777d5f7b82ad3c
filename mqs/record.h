// SPDX-License-Identifier: BSD-3-Clause
// Turns what an adapter says into the records of mqs.h and mqs_ext.h.
#ifndef MQS_RECORD_H
#define MQS_RECORD_H

#include "include/mqs_ext.h"
#include "mqs/session.h"

/** A communicator's record, every byte of it. */
void record_communicator(const struct comm *comm, mqs_communicator *ret);

/** More about a communicator. */
void record_communicator_details(const struct comm *comm, mqs_communicator_details *ret);

/** An operation's record, every byte of it, with at most four lines of text: clients have read past
 * the fifth. Ranks in MPI_COMM_WORLD come from the session's groups.
 * @return whether there are such ranks
 */
bool record_operation(struct session *session, const struct comm *comm, const struct op *op,
                      mqs_pending_operation *ret);

/** The lines of text of an operation's record. @param peers the group that its peers count in */
void record_text(const struct comm *comm, const struct op *op, const struct group *peers,
                 mqs_pending_operation *ret);

/** More about an operation. @param world whether record_operation() could translate its ranks */
void record_operation_details(const struct op *op, bool world, mqs_operation_details *ret);

#endif
