// SPDX-License-Identifier: BSD-3-Clause
// One part of what is known of each process, for people.
#ifndef MQSHOW_TEXT_PRINT_PART_H
#define MQSHOW_TEXT_PRINT_PART_H

#include "mqshow/base/options.h"
#include "mqshow/text/print_sample.h"

/** Whether a process has what a part is about, MPI or OpenMP. */
bool print_part_has(const struct report *report, enum part part);

/** "MPI" or "OpenMP". */
const char *print_part_subject(enum part part);

/** Prints it for all processes that have it. */
void print_part(FILE *out, const struct sample *sample, enum part part, struct style style);

#endif
