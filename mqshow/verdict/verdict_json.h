// SPDX-License-Identifier: BSD-3-Clause
// The verdict as JSON.
#ifndef MQSHOW_VERDICT_VERDICT_JSON_H
#define MQSHOW_VERDICT_VERDICT_JSON_H

#include "mqshow/base/json_out.h"
#include "mqshow/verdict/verdict.h"

/** Writes the value of the member "verdict" of a document.
 * @param missed_only whether to leave out operations that never matched and that nothing nearly
 * matches */
void verdict_write(struct json_out *json, const struct verdict *verdict, bool missed_only);

// Parts of it.

/** Labels of processes as a member: numbers, and "first-last" for long runs of them. */
void verdict_write_ranks(struct json_out *json, const char *key, const struct verdict *verdict,
                         const uint32_t *processes, size_t count);

/** An operation with its communicator and queue as a member. */
void verdict_write_operation(struct json_out *json, const char *key, const struct verdict *verdict,
                             const struct jv_op *op);

/** The members "communicator" and "communicator_id". */
void verdict_write_comm(struct json_out *json, const struct jv_comm *comm);

/** The values of the members "waits", "collectives" and "unmatched". */
void verdict_write_waits(struct json_out *json, const struct verdict *verdict);
void verdict_write_collectives(struct json_out *json, const struct verdict *verdict);
void
verdict_write_unmatched(struct json_out *json, const struct verdict *verdict, bool missed_only);

#endif
