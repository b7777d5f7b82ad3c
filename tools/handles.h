// SPDX-License-Identifier: BSD-3-Clause
// Arrays of the user's handles of requests, of MPI implementations whose handles are numbers.
#ifndef TOOLS_HANDLES_H
#define TOOLS_HANDLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;
struct thread;

/** How an implementation numbers its objects; an object begins with its number. */
struct numbering;

/** @return NULL when an implementation has other handles, or is not known */
const struct numbering *handles_numbering(const char *implementation);

/** Whether a call may wait for a request: there may be none, or one that never was pending. */
bool handles_are_awaited(const struct numbering *numbering, uint32_t handle);

/** Reads an array of handles.
 * @return for free(); NULL when it cannot be read, has something else in it than handles of
 * requests, or nothing that a call may wait for
 */
uint32_t *handles_read(const struct image *image, const struct numbering *numbering, uint64_t addr,
                       size_t count);

/** Finds an array of `count` handles that the part of a thread's stack that is MPI's leads to.
 * @return for free(); NULL when there is none, or are several that differ
 */
uint32_t *handles_find(const struct image *image, const struct numbering *numbering,
                       const struct thread *thread, size_t count);

#endif
