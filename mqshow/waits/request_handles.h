// SPDX-License-Identifier: BSD-3-Clause
// The user's handles of requests and communicators, as the library about MPI explains them.
#ifndef MQSHOW_WAITS_REQUEST_HANDLES_H
#define MQSHOW_WAITS_REQUEST_HANDLES_H

#include "mqshow/mqd/dll.h"

#include <stddef.h>

struct image;
struct thread;

struct request_handles {
    const struct dll *dll;
    mqs_process *process;
    bool known; // else there are no conventions
    mqs_conventions conventions;
};

/** After the library has been asked whether the process has queues. */
void handles_init(struct request_handles *handles, const struct dll *dll, mqs_process *process);

/** The handle of a request or communicator at an address. @return false: not known */
bool handles_get(const struct request_handles *handles, uint64_t object, uint64_t *ret);

/** Whether a call may wait for the request of a handle. */
bool handles_wait(const struct request_handles *handles, uint64_t handle);

/** Reads an array of handles.
 * @return for free(); NULL when it cannot be read, has something else in it than handles of
 * requests, or nothing that a call may wait for
 */
uint64_t *handles_read(const struct request_handles *handles, const struct image *image,
                       uint64_t addr, size_t count);

/** Finds an array of `count` handles that the part of a thread's stack that is MPI's leads to.
 * @return for free(); NULL when there is none, or are several that differ, or handles cannot be
 * told from other values
 */
uint64_t *handles_find(const struct request_handles *handles, const struct image *image,
                       const struct thread *thread, size_t count);

#endif
