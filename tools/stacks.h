// SPDX-License-Identifier: BSD-3-Clause
// What the stacks of threads tell of the regions that they work in.
#ifndef TOOLS_STACKS_H
#define TOOLS_STACKS_H

#include "tools/openmp.h"

/** Finds the functions of regions whose runtime does not remember them. All threads of the process
 * must be stopped by this program.
 */
void stacks_find_functions(struct openmp *omp, const struct image *image);

#endif
