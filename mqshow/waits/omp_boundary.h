// SPDX-License-Identifier: BSD-3-Clause
// Where the program's code on a thread's stack ends and the OpenMP runtime begins.
#ifndef MQSHOW_WAITS_OMP_BOUNDARY_H
#define MQSHOW_WAITS_OMP_BOUNDARY_H

#include "mqshow/base/omp_calls.h"
#include "mqshow/stack/threads.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;
struct openmp;

/** Where the program's code ends on a stack. */
struct boundary {
    enum {
        AT_UNKNOWN,
        AT_USER,   // the program's code goes on
        AT_CALL,   // `caller` has called the runtime
        AT_RUNTIME // there is none of the program's
    } at;
    size_t caller;
    const char *symbol; // of the function that was called; NULL: not known
    bool received;      // the next frame is of it, whatever the caller has called
    bool jumped;        // to it, by a function that the caller has called: of that is no frame
    const struct omp_call *call;
};

struct boundary boundary_find(const struct thread *thread, const struct image *image);

/** Finds an argument of the call that the caller makes. @param number from 1; 0: there is none */
bool boundary_argument(const struct boundary *boundary, const struct thread *thread,
                       const struct image *image, unsigned number, size_t width, uint64_t *ret);

/** Whether a call that begins a region is at the region's end. */
bool boundary_is_at_end(const struct boundary *boundary, const struct openmp *omp,
                        const struct thread *thread, const struct image *image);

/** Whether a thread sleeps or spins in the runtime. */
bool thread_is_blocked(const struct thread *thread, const struct image *image);

/** The address that the runtime's own code has passed to the system to sleep, or spins at; 0: not
 * known. */
uint64_t thread_awaited_word(const struct thread *thread, const struct image *image);

/** Likewise all that this may be: one that spins has the address in some register, and beside it
 * the value that the word is not to have any more. @return their number */
size_t thread_awaited_words(const struct thread *thread, const struct image *image,
                            uint64_t ret[THREAD_REGISTERS]);

#endif
