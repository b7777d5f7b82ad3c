// SPDX-License-Identifier: BSD-3-Clause
// The locks of windows that a process has and that its calls get.
#ifndef MQSHOW_WAITS_WINDOW_LOCKS_H
#define MQSHOW_WAITS_WINDOW_LOCKS_H

#include "mqshow/report/report.h"
#include "mqshow/stack/threads.h"
#include "mqshow/waits/request_handles.h"

/** Sets the locks that a process has, where all of them are known. */
void window_locks_add(struct report *report, const struct request_handles *handles);

/** The lock that a call gets.
 * @param rank in the window; NULL: the call locks all of it
 * @param type as the program gave it, of MPI_Win_lock
 */
struct asked_lock window_lock_of_call(const struct request_handles *handles, uint64_t window,
                                      const int *rank, int type);

#endif
