// SPDX-License-Identifier: BSD-3-Clause
// What the arguments of MPI calls tell: the communicators of collective calls, and what MPI_Probe
// waits for.
#ifndef MQSHOW_WAITS_CALL_OPERATION_H
#define MQSHOW_WAITS_CALL_OPERATION_H

struct request_handles;
struct image;
struct report;
struct threads;

/** Finds the communicators of the collective calls that threads are in, and adds the MPI_Probe that
 * an MPI implementation has in no queue to the receives of its communicator, with the address of
 * its frame in place of a request's.
 *
 * After wait_find_mpi_parts(); the process must stand still, and its communicators have been read.
 * What is not known stays 0.
 */
void call_operations_add(struct report *report, struct threads *threads, const struct image *image,
                         const struct request_handles *handles);

#endif
