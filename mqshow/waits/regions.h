// SPDX-License-Identifier: BSD-3-Clause
// What stacks tell of the parallel regions that threads work in.
#ifndef MQSHOW_WAITS_REGIONS_H
#define MQSHOW_WAITS_REGIONS_H

#include "mqshow/report/openmp.h"
#include "mqshow/stack/threads.h"

/** Finds the functions of regions whose runtime does not remember them. The process must stand
 * still. A function that no stack tells for certain stays unknown.
 */
void regions_find_functions(struct openmp *omp, const struct threads *threads,
                            const struct image *image);

#endif
