// SPDX-License-Identifier: BSD-3-Clause
// The OpenMP side of a process for people.
#ifndef MQSHOW_TEXT_PRINT_OPENMP_H
#define MQSHOW_TEXT_PRINT_OPENMP_H

#include "mqshow/report/openmp.h"
#include "mqshow/text/print.h"

#include <stdio.h>

/** Prints regions with their threads, and the variables that were asked for. */
void print_openmp(FILE *out, const struct openmp *omp, struct style style);

#endif
