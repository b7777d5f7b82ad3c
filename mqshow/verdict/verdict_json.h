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

#endif
