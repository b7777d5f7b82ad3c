// SPDX-License-Identifier: BSD-3-Clause
// The verdict for other programs.
#ifndef MQSHOW_VERDICT_EXPORT_H
#define MQSHOW_VERDICT_EXPORT_H

#include "mqshow/verdict/verdict.h"

#include <stdio.h>

/** Who waits for whom as a graph for Graphviz: a node for each process, or for each group of equal
 * situation when there are many. */
void export_dot(const struct verdict *verdict, FILE *out);

/** A row for each pending operation, as RFC 4180 says, with a heading. */
void export_csv(const struct verdict *verdict, FILE *out);

#endif
