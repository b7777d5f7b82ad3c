// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * The MPI calls that threads hang in: member "calls" of a program's record.
 *
 * Not thread safe: threads take turns.
 */
#ifndef MQS_TESTS_LIVE_TRUTH_CALLS_H
#define MQS_TESTS_LIVE_TRUTH_CALLS_H

/** Says that the calling thread will make an MPI call and not come back. Ahead of truth_write().
 * @param call  its name in C
 * @param line  where the call stands
 * @param needs "all" or "any" of the operations
 * @param tags  of the operations that it waits for, which may be MPI_ANY_TAG
 */
void truth_call(const char *call, const char *function, const char *file, int line,
                const char *needs, const int *tags, int count);

/** The same for a call `below` lines below this one. */
#define TRUTH_CALL(call, below, needs, tags, count) \
    truth_call((call), __func__, __FILE__, __LINE__ + (below), (needs), (tags), (count))

#endif
