// SPDX-License-Identifier: BSD-3-Clause
// Which pending operations a thread waits for, as its stack tells.
#ifndef MQSHOW_WAITS_WAIT_RESOLVE_H
#define MQSHOW_WAITS_WAIT_RESOLVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct request_handles;
struct image;
struct report;
struct thread;
struct threads;

/** Finds the parts of the threads' stacks that are MPI's, and the frames that called it. */
void wait_find_mpi_parts(struct threads *threads);

/** Looks for the requests of the queues that were found on these parts. The process must stand
 * still, its stacks have been followed and its queues been read.
 */
void wait_find_requests(const struct report *report, struct threads *threads,
                        const struct image *image, const struct request_handles *handles);

/** Drops what cannot be meant, when the call that a thread is in is known. */
void wait_resolve(struct threads *threads);

#endif
