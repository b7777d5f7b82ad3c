// SPDX-License-Identifier: BSD-3-Clause
// What memory and stacks say of OpenMP.
#ifndef MQSHOW_WAITS_OPENMP_RESOLVE_H
#define MQSHOW_WAITS_OPENMP_RESOLVE_H

#include "mqshow/report/openmp.h"
#include "mqshow/stack/threads.h"

/** Finds, among the variables that compilers make for critical constructs, those that lead to what
 * threads wait for, and adds them to omp->symbolized. The process must stand still.
 */
void critical_find(struct openmp *omp, const struct image *image);

/** Finds the functions of regions whose runtime does not remember them. The process must stand
 * still. A function that no stack tells for certain stays unknown.
 */
void regions_find_functions(struct openmp *omp, const struct threads *threads,
                            const struct image *image);

#endif
