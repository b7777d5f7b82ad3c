// SPDX-License-Identifier: BSD-3-Clause
// One worker of a crew as its parent sees it.
#ifndef TOOLS_WORKER_H
#define TOOLS_WORKER_H

#include "tools/show.h"

#include <stdint.h>

#define WORKER_RESTS SIZE_MAX // instead of the number of a process

struct worker {
    pid_t pid; // 0: it does not run
    int requests, replies;
    const char *volatile *phase; // what it is doing, which both see; NULL: not known
    size_t task;                 // number of the process that it looks at
    int64_t deadline;            // for that, on clock_us()
    char *reply;                 // what has arrived of it
    uint64_t size;               // of it all, when that has arrived
    uint64_t received;           // with the size itself
};

/** Starts a worker. @param all the crew, whose pipes the new process must not keep open */
bool worker_start(struct worker *worker, const struct worker *all, size_t count, struct show *show);

/** Gives it a process to look at. */
void worker_give(struct worker *worker, size_t task, int64_t deadline);

enum worker_event { WORKER_MORE, WORKER_REPLIED, WORKER_ENDED };

/** Takes what has arrived; a worker that answers nonsense counts as ended. */
enum worker_event worker_receive(struct worker *worker);

/** Forgets its task and reply. */
void worker_rest(struct worker *worker);

/** Ends it at once, unless it has ended. @return the signal or status that it ended with */
const char *worker_kill(struct worker *worker);

/** Ends it when it rests, and frees everything. */
void worker_end(struct worker *worker);

#endif
