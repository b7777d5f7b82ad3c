// SPDX-License-Identifier: BSD-3-Clause
// Nonblocking and persistent collectives, which the module libnbc makes of messages.
#ifndef OPENMPI_LIBNBC_H
#define OPENMPI_LIBNBC_H

#include "mpi-impl-adapters/openmpi/openmpi.h"

/** Whether messages with this tag are of a nonblocking collective. */
bool libnbc_is_tag(int64_t tag);

/** Notes a pending send or receive, if it is of a nonblocking collective.
 * @param peer NO_PEER: it is not known
 * @param unmatched whether it is a receive for which no message has come */
void
libnbc_note_message(struct op_sink *sink, uint32_t comm, int64_t tag, int64_t peer, bool unmatched);

/** Emits the nonblocking collectives that are not complete, and the numbers of the next ones. What
 * cannot be read is left out. @return STATUS_NOMEM */
CHECKED enum status libnbc_ops(const struct mpi *mpi, struct arena *arena, struct op_sink *sink);

#endif
