// SPDX-License-Identifier: BSD-3-Clause
// Locks of OpenMP runtimes: whether one is held, and by whom, as far as it says so.
#ifndef MQSHOW_WAITS_OMP_LOCK_H
#define MQSHOW_WAITS_OMP_LOCK_H

#include "include/mqs_omp.h"
#include "mqshow/base/omp_calls.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;
struct openmp;
struct thread;

/** A lock that a thread is about to take. */
struct omp_lock {
    bool known; // whether it is held
    bool held;
    bool given;     // to the thread, which has yet to see that
    bool stays;     // it is held, and certainly not given to the thread
    int32_t holder; // number of the OpenMP thread; -1: not known
};

/** Reads the lock of a user's variable.
 * @param addr   of the omp_lock_t or omp_nest_lock_t, or of the variable of a critical construct
 * @param caller the frame of the thread that called the runtime
 */
struct omp_lock
omp_lock_read(const struct openmp *omp, const struct image *image, const struct thread *thread,
              size_t caller, enum omp_wait_kind kind, uint64_t addr);

/** Whether GNU's runtime lets a thread wait at the word of its team's barrier, whatever it was
 * called for. @param words of thread_awaited_words() */
bool omp_is_at_team_barrier(const struct openmp *omp, const struct image *image,
                            const mqs_omp_thread *thread, const uint64_t *words, size_t count);

/** Whether the runtime is GNU's. */
bool omp_is_gnu(const struct openmp *omp);

#endif
