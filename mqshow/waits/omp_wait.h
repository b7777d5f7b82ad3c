// SPDX-License-Identifier: BSD-3-Clause
// What OpenMP threads wait for, by the runtime's functions that they are in, on stripped runtimes
// too.
#ifndef MQSHOW_WAITS_OMP_WAIT_H
#define MQSHOW_WAITS_OMP_WAIT_H

struct dll;
struct image;
struct report;
struct threads;

/** Fills report->omp.waits, and the states and wait ids that the runtime does not say. The stacks
 * have been followed, and the runtime's records were read of the same moment. */
void omp_waits_find(struct report *report, const struct threads *threads, const struct image *image,
                    const struct dll *dll);

#endif
