// SPDX-License-Identifier: BSD-3-Clause
// One worker of a pool as its parent sees it.
#include "mqshow/run/worker.h"

#include "mqshow/process/confine.h"
#include "mqshow/run/worker_pool.h"
#include "mqshow/process/identity.h"
#include "mqshow/run/sample.h"

#include <signal.h>
#include <unistd.h>

/** What a worker is made from. */
struct making {
    const struct worker *worker, *all;
    size_t first, count;
    struct run *run;
};

static void
work(void *context, int requests, int replies)
{
    const struct making *making = context;
    struct run *run = making->run;
    for (size_t i = 0; i < making->count; i++)
        child_leave(&making->all[i].child);
    close(run->reports_out);
    run->phase = making->worker->phase;
    if (run->options->record == NULL)
        identity_take(making->worker->user, run->job.items[making->first].pid);
    confine_memory(making->count);
    confine(run->options->record != NULL, false);
    worker_main(run, requests, replies);
}

bool
worker_start(struct worker *worker, size_t i, const struct worker *all, size_t count,
             struct run *run)
{
    struct making making = {worker, all, i, count, run};
    worker->user = run_user(run, i);
    return child_start(&worker->child, work, &making);
}

void
worker_give(struct worker *worker, size_t task, int64_t deadline)
{
    worker->task = task;
    worker->deadline = deadline;
    // If it has died meanwhile, the end of its replies shows it; so it does of one that cannot be
    // asked.
    if (write(worker->child.requests, &task, sizeof task) != (ssize_t) sizeof task)
        kill(worker->child.pid, SIGKILL);
}

void
worker_rest(struct worker *worker)
{
    packet_forget(&worker->child.packet);
    worker->task = WORKER_RESTS;
}
