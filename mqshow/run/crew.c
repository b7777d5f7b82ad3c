// SPDX-License-Identifier: BSD-3-Clause
// Reading many processes at once: hands them out to workers and takes their reports.
#include "mqshow/run/crew.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/clock.h"
#include "mqshow/base/ending.h"
#include "mqshow/run/sample.h"
#include "mqshow/run/reply.h"
#include "mqshow/run/worker.h"
#include "mqshow/mqd/stats.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct crew {
    struct run *run;
    struct worker *workers;
    struct pollfd *polls;
    size_t count;     // of workers
    size_t next;      // process to hand out
    size_t done;      // processes
    int64_t deadline; // of all, on clock_us(); INT64_MAX: none
};

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
give_up(struct crew *crew, size_t i, char *why)
{
    struct run *run = crew->run;
    const struct host_stats nothing = {.reads = 0};
    sample_give_up(run, i, why);
    reply_tell(run->answers, i, &run->document->reports[i], &nothing);
    crew->done++;
}

/** Passes over processes of other machines. */
static void
skip_elsewhere(struct crew *crew)
{
    const struct run *run = crew->run;
    while (crew->next < run->count && run->job.items[crew->next].node >= 0) {
        crew->next++;
        crew->done++;
    }
}

/** Gives up what a worker was to read: all that is left, when all are read together. */
static void
give_up_task(struct crew *crew, struct worker *worker, char *why)
{
    const struct run *run = crew->run;
    size_t task = worker->task;
    worker_rest(worker);
    for (skip_elsewhere(crew); run->options->together && crew->next < run->count;
         skip_elsewhere(crew))
        give_up(crew, crew->next++, alloc_text(why));
    give_up(crew, task, why);
}

/** Passes on what a worker says of its process. */
static void
take(struct crew *crew, struct worker *worker)
{
    const struct packet *reply = &worker->child.packet;
    size_t task = worker->task;
    if (reply_pass_on(crew->run->answers, task, reply->text, reply->head.size))
        crew->done++;
    else
        give_up(crew, task, alloc_text("what was read of it could not be passed on"));
    worker_rest(worker);
}

static void
hand_out(struct crew *crew, struct worker *worker)
{
    skip_elsewhere(crew);
    const struct options *options = crew->run->options;
    if (worker->task != WORKER_RESTS || crew->next == crew->run->count)
        return;
    if (worker->child.pid != 0 && worker->user != run_user(crew->run, crew->next))
        child_end(&worker->child);
    if (worker->child.pid == 0 &&
        !worker_start(worker, crew->next, crew->workers, crew->count, crew->run)) {
        give_up(crew, crew->next++, alloc_text("no process could be started that reads it"));
        return;
    }
    worker_give(worker, crew->next++, clock_after(options->process_timeout));
}

/** Ends a worker that has taken too long, and with it the stop of its process. */
static void
check_time(struct crew *crew, struct worker *worker, int64_t now)
{
    bool all = now >= crew->deadline;
    if (worker->task == WORKER_RESTS || (!all && now < worker->deadline))
        return;
    const char *phase = worker->phase != NULL ? *worker->phase : NULL;
    const struct options *options = crew->run->options;
    child_kill(&worker->child);
    give_up_task(crew, worker,
                 alloc_format("not read within %d s: given up%s%s",
                              all ? options->timeout : options->process_timeout,
                              phase != NULL ? " while " : "", phase != NULL ? phase : ""));
}

static void
listen_to(struct crew *crew, struct worker *worker)
{
    switch (packet_receive(&worker->child.packet, worker->child.replies)) {
    case PACKET_MORE:
        break;
    case PACKET_WHOLE:
        take(crew, worker);
        break;
    case PACKET_ENDED:
        give_up_task(
            crew, worker,
            alloc_format("the program that read it ended: %s", child_kill(&worker->child)));
        break;
    }
}

/** Milliseconds until something is too late. */
static int
patience(const struct crew *crew, int64_t now)
{
    int64_t first = crew->deadline;
    for (size_t i = 0; i < crew->count; i++)
        if (crew->workers[i].task != WORKER_RESTS && crew->workers[i].deadline < first)
            first = crew->workers[i].deadline;
    int64_t ms = first > now ? (first - now) / 1000 + 1 : 0;
    return ms < 1000 ? (int) ms : 1000;
}

static void
wait_for_replies(struct crew *crew)
{
    for (size_t i = 0; i < crew->count; i++)
        crew->polls[i] = (struct pollfd){
            .fd = crew->workers[i].task != WORKER_RESTS ? crew->workers[i].child.replies : -1,
            .events = POLLIN};
    int ready = poll(crew->polls, crew->count, patience(crew, clock_us()));
    for (size_t i = 0; i < crew->count && ready > 0; i++)
        if (crew->polls[i].revents != 0)
            listen_to(crew, &crew->workers[i]);
    for (size_t i = 0; i < crew->count; i++)
        check_time(crew, &crew->workers[i], clock_us());
}

/** Gives up what no worker has begun when the time for all is over. */
static void
drop_rest(struct crew *crew)
{
    const struct run *run = crew->run;
    for (skip_elsewhere(crew); clock_us() >= crew->deadline && crew->next < run->count;
         skip_elsewhere(crew))
        give_up(crew, crew->next++,
                alloc_format("not begun within %d s: given up", run->options->timeout));
}

static void
read_all(struct crew *crew)
{
    while (crew->done < crew->run->count && !ending_is_near()) {
        for (size_t i = 0; i < crew->count; i++)
            hand_out(crew, &crew->workers[i]);
        wait_for_replies(crew);
        drop_rest(crew);
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

void
crew_sample(struct run *run)
{
    const struct options *options = run->options;
    struct crew crew = {.run = run, .deadline = clock_after(options->timeout)};
    crew.count = options->together ? 1 : options->parallel > 0 ? options->parallel : count_cores();
    crew.count = crew.count < run->count ? crew.count : run->count;
    crew.workers = alloc_zeroed(crew.count, sizeof *crew.workers);
    crew.polls = alloc_zeroed(crew.count, sizeof *crew.polls);
    const char *volatile *phases = share_phases(crew.count);
    for (size_t i = 0; i < crew.count; i++) {
        worker_rest(&crew.workers[i]);
        crew.workers[i].phase = phases != NULL ? &phases[i] : NULL;
    }
    // A worker that has died is seen when it is read from.
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    ending_put_off();
    read_all(&crew);
    signal(SIGPIPE, before);
    for (size_t i = 0; i < crew.count; i++)
        if (ending_is_near())
            child_kill(&crew.workers[i].child);
        else
            child_end(&crew.workers[i].child);
    ending_let();
    if (phases != NULL)
        munmap((void *) phases, crew.count * sizeof *phases);
    free(crew.workers);
    free(crew.polls);
}
