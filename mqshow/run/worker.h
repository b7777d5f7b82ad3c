// SPDX-License-Identifier: BSD-3-Clause
// One worker of a pool as its parent sees it.
#ifndef MQSHOW_RUN_WORKER_H
#define MQSHOW_RUN_WORKER_H

#include "mqshow/process/child.h"
#include "mqshow/run/run.h"

#include <stdint.h>

#define WORKER_RESTS SIZE_MAX // instead of the number of a process

struct worker {
    struct child child;
    const char *volatile *phase; // what it is doing, which both see; NULL: not known
    size_t task;                 // number of the process that it reads
    int64_t deadline;            // for that, on clock_us()
    long user;                   // with whose rights it reads, if this program has root's
};

/** Starts a worker for the i-th process and others of the same user. @param all the pool, whose
 * pipes the new process must not keep open */
bool worker_start(struct worker *worker, size_t i, const struct worker *all, size_t count,
                  struct run *run);

/** Gives it a process to read. */
void worker_give(struct worker *worker, size_t task, int64_t deadline);

/** Forgets its task and message. */
void worker_rest(struct worker *worker);

#endif
