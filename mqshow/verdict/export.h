// SPDX-License-Identifier: BSD-3-Clause
// The verdict for other programs.
#ifndef MQSHOW_VERDICT_EXPORT_H
#define MQSHOW_VERDICT_EXPORT_H

#include "mqshow/base/json_out.h"
#include "mqshow/verdict/verdict.h"

#include <stdio.h>

/** Writes the value of the member "verdict" of a document.
 * @param missed_only whether to leave out operations that never matched and that nothing nearly
 * matches */
void verdict_write(struct json_out *json, const struct verdict *verdict, bool missed_only);

/** Who waits for whom as a graph for Graphviz: a node for each process, or for each group of equal
 * situation when there are many. */
void export_dot(const struct verdict *verdict, FILE *out);

/** A row for each pending operation, as RFC 4180 says, with a heading. */
void export_csv(const struct verdict *verdict, FILE *out);

#endif
