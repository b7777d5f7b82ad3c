// SPDX-License-Identifier: BSD-3-Clause
// Which pending operations a thread waits for, as its stack tells, and what the arguments of MPI
// calls tell.
#ifndef MQSHOW_WAITS_WAIT_RESOLVE_H
#define MQSHOW_WAITS_WAIT_RESOLVE_H

struct request_handles;
struct image;
struct report;
struct threads;

/** Finds the parts of the threads' stacks that are MPI's, and the frames that called it. */
void wait_find_mpi_parts(struct threads *threads);

/** Finds the communicators of the collective calls that threads are in, and adds the MPI_Probe that
 * an MPI implementation has in no queue to the receives of its communicator, with the address of
 * its frame in place of a request's.
 *
 * After wait_find_mpi_parts(); the process must stand still, and its communicators have been read.
 * What is not known stays 0.
 */
void call_operations_add(struct report *report, struct threads *threads, const struct image *image,
                         const struct request_handles *handles);

/** Looks for the requests of the queues that were found on these parts. The process must stand
 * still, its stacks have been followed and its queues been read.
 */
void wait_find_requests(const struct report *report, struct threads *threads,
                        const struct image *image, const struct request_handles *handles);

/** Finds out which calls have begun the nonblocking collectives, as the code of the functions tells
 * that threads in MPI are in. After wait_find_mpi_parts(); the process must stand still.
 */
void begun_calls_find(struct report *report, const struct threads *threads,
                      const struct image *image, const struct request_handles *handles);

/** Adds functions and lines to these; the process may run. */
void begun_calls_symbolize(struct report *report, const struct image *image);

/** Drops what cannot be meant, when the call that a thread is in is known. */
void wait_resolve(struct threads *threads);

#endif
