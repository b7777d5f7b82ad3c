// SPDX-License-Identifier: BSD-3-Clause
// The parts of the member "verdict" of a document.
#ifndef TOOLS_VERDICT_VERDICT_JSON_H
#define TOOLS_VERDICT_VERDICT_JSON_H

#include "tools/verdict/verdict.h"

/** Who waits for whom: a record for each operation, collective or lock that a thread waits for. */
json_t *waits_json(const struct verdict *verdict);

/** Receives that nothing was sent for, messages that nobody receives, and what nearly matches. */
json_t *unmatched_json(const struct verdict *verdict);

/** Collectives that some members are not in. */
json_t *collectives_json_of(const struct verdict *verdict);

/** An operation with its communicator and queue; the same object each time. */
json_t *verdict_operation_json(const struct verdict *verdict, uint32_t op);

/** An array of ranks; many that rise by one are a text "first-last". */
json_t *verdict_ranks_json(const struct verdict *verdict, const uint32_t *processes, size_t count);

#endif
