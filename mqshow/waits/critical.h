// SPDX-License-Identifier: BSD-3-Clause
// Which critical construct of a program a lock of the OpenMP runtime belongs to.
#ifndef MQSHOW_WAITS_CRITICAL_H
#define MQSHOW_WAITS_CRITICAL_H

#include "mqshow/report/openmp.h"

/** Finds, among the variables that compilers make for critical constructs, those that lead to what
 * threads wait for, and adds them to omp->places. The process must stand still.
 */
void critical_find(struct openmp *omp, const struct image *image);

#endif
