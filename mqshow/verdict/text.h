// SPDX-License-Identifier: BSD-3-Clause
// The verdict for people: no more than a screen, however large the job is.
#ifndef MQSHOW_VERDICT_TEXT_H
#define MQSHOW_VERDICT_TEXT_H

#include "mqshow/verdict/verdict.h"

#include <stdio.h>

struct verdict_style {
    bool color;
    bool all; // nothing is left out
    bool
        alone; // operations without a partner are listed and, unless `all`, what could not be shown
};

/** Prints the verdict and what it stems from. */
void verdict_print(const struct verdict *verdict, FILE *out, struct verdict_style style);

/** Whether there is anything to judge: several processes, or one that waits. */
bool verdict_is_worth_showing(const struct verdict *verdict);

/** Prints the groups of ranks that are in the same place, at most so many. */
void verdict_print_groups(const struct verdict *verdict, FILE *out, struct verdict_style style,
                          size_t max);

/** What could not be shown of processes, each thing once. */
void verdict_print_notes(const struct verdict *verdict, FILE *out, size_t max);

#endif
