// SPDX-License-Identifier: BSD-3-Clause
// Finding out what OpenMP threads wait for: what its parts share.
#ifndef MQSHOW_WAITS_OMP_FINDING_H
#define MQSHOW_WAITS_OMP_FINDING_H

#include "mqs_omp.h"
#include "mqshow/stack/heldlocks.h"

struct dll;
struct image;
struct openmp;
struct report;
struct thread;
struct threads;

/** The process, and what is being found. */
struct finding {
    struct report *report;
    struct openmp *omp;
    const struct threads *threads;
    const struct image *image;
    const struct dll *dll;
    struct held_locks *held;
};

/** Locks that threads are known to hold. */
struct held_locks {
    struct held_by {
        int32_t thread; // its number
        struct held_lock lock;
    } * items;
    size_t count, capacity;
};

/** The stack of an OpenMP thread; NULL: not known. */
const struct thread *omp_stack(const struct threads *threads, const mqs_omp_thread *record);

/** Adds to the waits that were found who can end them. */
void omp_holders_find(const struct finding *finding);

#endif
