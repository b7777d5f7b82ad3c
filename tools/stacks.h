// SPDX-License-Identifier: BSD-3-Clause
// Following the stacks of threads, and what they tell of the regions that the threads work in.
#ifndef TOOLS_STACKS_H
#define TOOLS_STACKS_H

#include "tools/openmp.h"
#include "tools/threads.h"

/** Follows the stack of each thread of a process; all threads must be stopped by the thread of this
 * program that calls. What is found stands in `threads`; threads_tell() finds out what it means.
 */
void stacks_gather(struct threads *threads, struct image *image);

/** Finds the functions of regions whose runtime does not remember them. */
void
stacks_find_functions(struct openmp *omp, const struct threads *threads, const struct image *image);

#endif
