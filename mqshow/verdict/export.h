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

/** Writes labels of processes as a member: numbers, and "first-last" for long runs of them. */
void verdict_write_ranks(struct json_out *json, const char *key, const struct verdict *verdict,
                         const uint32_t *processes, size_t count);

/** Writes a text of a label for Graphviz, in quotes: nothing in it can end it. Empties it. */
void export_label(FILE *out, struct strbuf *words);

/** Who waits for whom as a graph for Graphviz: a node for each process, or for each group of equal
 * situation when there are many. */
void export_dot(const struct verdict *verdict, FILE *out);

/** A row for each pending operation, as RFC 4180 says, with a heading. */
void export_csv(const struct verdict *verdict, FILE *out);

#endif
