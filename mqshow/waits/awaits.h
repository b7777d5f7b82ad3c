// SPDX-License-Identifier: BSD-3-Clause
// Which pending operations a thread waits for, as its stack tells.
#ifndef MQSHOW_WAITS_AWAITS_H
#define MQSHOW_WAITS_AWAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct handles;
struct image;
struct report;
struct thread;
struct threads;

/** Finds the parts of the threads' stacks that are MPI's, and the frames that called it. */
void awaits_find_parts(struct threads *threads);

/** Looks for the requests of the queues that were found on these parts. The process must stand
 * still, its stacks have been followed and its queues been read.
 */
void awaits_gather(const struct report *report, struct threads *threads, const struct image *image,
                   const struct handles *handles);

/** Drops what cannot be meant, when the call that a thread is in is known. */
void awaits_tell(struct threads *threads);

#endif
