// SPDX-License-Identifier: BSD-3-Clause
// Reading many processes at once: hands them out to workers and takes their reports.
#include "mqshow/run/worker_pool.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/clock.h"
#include "mqshow/base/diag.h"
#include "mqshow/base/signals.h"
#include "mqshow/process/child.h"
#include "mqshow/process/confine.h"
#include "mqshow/process/identity.h"
#include "mqshow/process/sockets.h"
#include "mqshow/run/sample.h"
#include "mqshow/run/worker_msg.h"
#include "mqshow/mqd/stats.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define WORKER_RESTS SIZE_MAX // instead of the number of a process
#define NO_WORKER    SIZE_MAX // instead of the number of a worker

/** Processes of which the workers keep all files open between samples, at most. */
enum { KEPT_MAX = 64 };

struct worker {
    struct child child;
    const char *volatile *phase; // what it is doing, which both see; NULL: not known
    size_t task;                 // number of the process that it reads
    int64_t deadline;            // for that, on clock_us()
    long user;                   // with whose rights it reads, if this program has root's
};

/** Counts what one process costs. */
static void
reset_stats(void)
{
    host_stats = (struct host_stats){.held = host_stats.held, .peak = host_stats.held};
}

/** What a worker does: takes numbers of processes (size_t) from `requests` until that ends, and
 * writes to `replies` a packet for each.
 */
static _Noreturn void
worker_main(struct run *run, int requests, int replies)
{
    size_t i;
    bool together = run->options->together, few = run->n_here <= KEPT_MAX;
    diag_progress_disable();
    reset_stats();
    for (bool first = true; read(requests, &i, sizeof i) == (ssize_t) sizeof i && i < run->count;
         first = false) {
        if (job_is_live(&run->job.items[i]))
            unread_begin();
        if (!together)
            sample_one(run, i);
        else if (first)
            sample_together(run);
        stats_count_time();
        if (!worker_msg_send(replies, i, &run->document->reports[i], &host_stats))
            break;
        if (few)
            sample_keep(run, i);
        else
            sample_close(run, i);
        report_deinit(&run->document->reports[i]);
        report_init(&run->document->reports[i], &run->document->texts);
        reset_stats();
    }
    _exit(EXIT_SUCCESS);
}

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

/** Starts a worker for the i-th process and others of the same user. @param all the pool, whose
 * pipes the new process must not keep open */
static bool
worker_start(struct worker *worker, size_t i, const struct worker *all, size_t count,
             struct run *run)
{
    struct making making = {worker, all, i, count, run};
    worker->user = run_user(run, i);
    return child_start(&worker->child, work, &making);
}

/** Gives it a process to read. */
static void
worker_give(struct worker *worker, size_t task, int64_t deadline)
{
    worker->task = task;
    worker->deadline = deadline;
    // If it has died meanwhile, the end of its replies shows it; so it does of one that cannot be
    // asked.
    if (write(worker->child.requests, &task, sizeof task) != (ssize_t) sizeof task)
        kill(worker->child.pid, SIGKILL);
}

/** Forgets its task and message. */
static void
worker_rest(struct worker *worker)
{
    packet_forget(&worker->child.packet);
    worker->task = WORKER_RESTS;
}

struct worker_pool {
    struct run *run;
    struct worker *workers;
    struct pollfd *polls;
    size_t count;     // of workers
    size_t *last;     // of each process: the worker that read it in the sample before
    bool *given;      // likewise, whether it is handed out
    size_t done;      // processes
    int64_t deadline; // of all, on clock_us(); INT64_MAX: none
    int64_t ended;    // when the last sample was taken, likewise
    const char *volatile *phases;
};

/** Workers live on for another sample that begins so soon: what they have read of files they keep.
 */
enum { REST_US = 500000 };

/** Processors that this program may run on. */
static size_t
count_cores(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
    return count > 0 ? (size_t) count : (size_t) sysconf(_SC_NPROCESSORS_ONLN);
}

/** Answers for a process that no worker could read. */
static void
give_up(struct worker_pool *pool, size_t i, char *why)
{
    struct run *run = pool->run;
    const struct host_stats nothing = {.reads = 0};
    pool->given[i] = true;
    sample_give_up(run, i, why);
    worker_msg_send_outline(run->reports_out, i, &run->document->reports[i], &nothing);
    pool->done++;
}

/** A process that is to be handed out, one that this worker read before if there is one; the number
 * of processes: none. */
static size_t
find_left(const struct worker_pool *pool, size_t worker)
{
    const size_t count = pool->run->count;
    size_t left = count;
    for (size_t i = 0; i < count; i++) {
        if (pool->given[i])
            continue;
        if (pool->last[i] == worker)
            return i;
        if (left == count)
            left = i;
    }
    return left;
}

/** Gives up what a worker was to read: all that is left, when all are read together. */
static void
give_up_task(struct worker_pool *pool, struct worker *worker, char *why)
{
    const struct run *run = pool->run;
    size_t task = worker->task, left;
    worker_rest(worker);
    while (run->options->together && (left = find_left(pool, NO_WORKER)) < run->count)
        give_up(pool, left, alloc_text(why));
    give_up(pool, task, why);
}

/** Passes on the report of a worker. */
static void
take(struct worker_pool *pool, struct worker *worker)
{
    const struct packet *message = &worker->child.packet;
    size_t task = worker->task;
    if (worker_msg_pass_on(pool->run->reports_out, task, message->text, message->head.size))
        pool->done++;
    else
        give_up(pool, task, alloc_text("the report of its worker process is damaged"));
    worker_rest(worker);
}

static void
assign(struct worker_pool *pool, struct worker *worker)
{
    const struct options *options = pool->run->options;
    const size_t number = (size_t) (worker - pool->workers);
    if (worker->task != WORKER_RESTS)
        return;
    const size_t i = find_left(pool, number);
    if (i == pool->run->count)
        return;
    if (worker->child.pid != 0 && worker->user != run_user(pool->run, i))
        child_end(&worker->child);
    if (worker->child.pid == 0 && !worker_start(worker, i, pool->workers, pool->count, pool->run)) {
        give_up(pool, i, alloc_text("cannot start a worker process for it"));
        return;
    }
    pool->given[i] = true;
    pool->last[i] = number;
    worker_give(worker, i, clock_after(options->process_timeout));
}

/** Ends a worker that has taken too long, and with it the stop of its process. */
static void
check_time(struct worker_pool *pool, struct worker *worker, int64_t now)
{
    bool all = now >= pool->deadline;
    if (worker->task == WORKER_RESTS || (!all && now < worker->deadline))
        return;
    const char *phase = worker->phase != NULL ? *worker->phase : NULL;
    const struct options *options = pool->run->options;
    child_kill(&worker->child);
    give_up_task(pool, worker,
                 alloc_format("not read within %d s: given up%s%s (raise %s)",
                              all ? options->timeout : options->process_timeout,
                              phase != NULL ? " while " : "", phase != NULL ? phase : "",
                              all ? "--timeout" : "--process-timeout"));
}

static void
receive_from(struct worker_pool *pool, struct worker *worker)
{
    switch (packet_receive(&worker->child.packet, worker->child.replies)) {
    case PACKET_MORE:
        break;
    case PACKET_WHOLE:
        take(pool, worker);
        break;
    case PACKET_ENDED:
        give_up_task(pool, worker,
                     alloc_format("its worker process ended: %s", child_kill(&worker->child)));
        break;
    }
}

/** Milliseconds until something is too late. */
static int
patience(const struct worker_pool *pool, int64_t now)
{
    int64_t first = pool->deadline;
    for (size_t i = 0; i < pool->count; i++)
        if (pool->workers[i].task != WORKER_RESTS && pool->workers[i].deadline < first)
            first = pool->workers[i].deadline;
    int64_t ms = first > now ? (first - now) / 1000 + 1 : 0;
    return ms < 1000 ? (int) ms : 1000;
}

static void
wait_for_messages(struct worker_pool *pool)
{
    for (size_t i = 0; i < pool->count; i++)
        pool->polls[i] = (struct pollfd){
            .fd = pool->workers[i].task != WORKER_RESTS ? pool->workers[i].child.replies : -1,
            .events = POLLIN};
    int ready = poll(pool->polls, pool->count, patience(pool, clock_us()));
    for (size_t i = 0; i < pool->count && ready > 0; i++)
        if (pool->polls[i].revents != 0)
            receive_from(pool, &pool->workers[i]);
    for (size_t i = 0; i < pool->count; i++)
        check_time(pool, &pool->workers[i], clock_us());
}

/** Gives up what no worker has begun when the time for all is over. */
static void
drop_rest(struct worker_pool *pool)
{
    const struct run *run = pool->run;
    size_t left;
    while (clock_us() >= pool->deadline && (left = find_left(pool, NO_WORKER)) < run->count)
        give_up(pool, left,
                alloc_format("not started within %d s: given up (raise --timeout)",
                             run->options->timeout));
}

static void
read_all(struct worker_pool *pool)
{
    while (pool->done < pool->run->count && !signals_pending()) {
        for (size_t i = 0; i < pool->count; i++)
            assign(pool, &pool->workers[i]);
        wait_for_messages(pool);
        drop_rest(pool);
    }
}

/** Memory in which each worker notes what it is doing; NULL: there is none. */
static const char *volatile *
share_phases(size_t count)
{
    void *memory = mmap(NULL, count * sizeof(char *), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory != MAP_FAILED ? memory : NULL;
}

static struct worker_pool *
pool_create(struct run *run)
{
    const struct options *options = run->options;
    struct worker_pool *pool = alloc_zeroed(1, sizeof *pool);
    pool->run = run;
    pool->count = options->together ? 1 : options->parallel > 0 ? options->parallel : count_cores();
    pool->count = pool->count < run->count ? pool->count : run->count;
    pool->workers = alloc_zeroed(pool->count, sizeof *pool->workers);
    pool->polls = alloc_zeroed(pool->count, sizeof *pool->polls);
    pool->given = alloc_zeroed(run->count, sizeof *pool->given);
    pool->last = alloc_zeroed(run->count, sizeof *pool->last);
    for (size_t i = 0; i < run->count; i++)
        pool->last[i] = NO_WORKER;
    pool->phases = share_phases(pool->count);
    for (size_t i = 0; i < pool->count; i++) {
        worker_rest(&pool->workers[i]);
        pool->workers[i].phase = pool->phases != NULL ? &pool->phases[i] : NULL;
    }
    return pool;
}

void
worker_pool_end(struct run *run)
{
    struct worker_pool *pool = run->pool;
    if (pool == NULL)
        return;
    for (size_t i = 0; i < pool->count; i++)
        if (signals_pending())
            child_kill(&pool->workers[i].child);
        else
            child_end(&pool->workers[i].child);
    if (pool->phases != NULL)
        munmap((void *) pool->phases, pool->count * sizeof *pool->phases);
    free(pool->workers);
    free(pool->polls);
    free(pool->given);
    free(pool->last);
    free(pool);
    run->pool = NULL;
}

/** All processes of this machine are to be handed out. */
static void
begin_sample(struct worker_pool *pool)
{
    pool->done = 0;
    for (size_t i = 0; i < pool->run->count; i++) {
        pool->given[i] = pool->run->job.items[i].node >= 0;
        pool->done += pool->given[i];
    }
}

void
worker_pool_sample(struct run *run)
{
    if (run->pool != NULL && clock_us() - run->pool->ended > REST_US)
        worker_pool_end(run);
    if (run->pool == NULL)
        run->pool = pool_create(run);
    begin_sample(run->pool);
    run->pool->deadline = clock_after(run->options->timeout);
    if (job_has_live(&run->job))
        unread_begin();
    // A worker that has died is seen when it is read from.
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    signals_block();
    read_all(run->pool);
    signal(SIGPIPE, before);
    run->pool->ended = clock_us();
    if (signals_pending() || run->options->together)
        worker_pool_end(run);
    signals_unblock();
}
