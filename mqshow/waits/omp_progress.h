// SPDX-License-Identifier: BSD-3-Clause
// Whether an OpenMP runtime did anything for threads that wait in it.
#ifndef MQSHOW_WAITS_OMP_PROGRESS_H
#define MQSHOW_WAITS_OMP_PROGRESS_H

struct image;
struct openmp;

/** Sets `progress` of all waits that are known: a number of what the runtime keeps of the thread
 * and the lock, or of the region and the task. Threads that give up the processor again and again
 * are seen in the same place whenever one looks, though all of them go on: what their runtime keeps
 * differs then. */
void omp_progress_find(struct openmp *omp, const struct image *image);

#endif
