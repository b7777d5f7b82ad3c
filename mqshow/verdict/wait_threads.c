// SPDX-License-Identifier: BSD-3-Clause
// What threads wait for inside of their process: locks, barriers, tasks, and who can end that.
#include "mqshow/verdict/wait_graph.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/search.h"

#include <stdlib.h>
#include <string.h>

enum { GENERATIONS = 64 }; // of tasks that are followed

/** A process while its threads are connected. */
struct inside {
    struct waits *waits;
    const struct process_entry *process;
    uint32_t any;             // node of any of its threads
    int32_t *thread_of;       // by the place of an OpenMP thread: its thread; NOBODY
    const uint32_t *barriers; // by thread: node of the barrier that it is at; 0: none
};

static void
inside_init(struct inside *in, struct waits *waits, uint32_t number, const uint32_t *barriers)
{
    const struct process_entry *process = &waits->job->processes[number];
    const struct openmp *omp = &process->report->omp;
    *in = (struct inside){waits, process, waits->first_inside + number,
                          alloc_zeroed(omp->n_threads, sizeof(int32_t)), barriers};
    for (size_t i = 0; i < omp->n_threads; i++)
        in->thread_of[i] = NOBODY;
    for (uint32_t i = 0; i < process->n_threads; i++) {
        const mqs_omp_thread *openmp = waits->job->threads[process->first_thread + i].openmp;
        if (openmp)
            in->thread_of[openmp - omp->threads] = (int32_t) (process->first_thread + i);
    }
}

/** The thread of an OpenMP thread; NOBODY: it is not known. */
static int32_t
thread_of(const struct inside *in, int32_t openmp)
{
    const struct openmp *omp = &in->process->report->omp;
    const mqs_omp_thread *record = openmp_thread(omp, openmp);
    return record ? in->thread_of[record - omp->threads] : NOBODY;
}

/** Connects a node with an OpenMP thread; with any of the process if it is not known, or waits for
 * work itself. */
static void
need(const struct inside *in, uint32_t node, int32_t openmp)
{
    int32_t thread = thread_of(in, openmp);
    bool acts = thread != NOBODY && in->waits->activities[thread].doing != DOING_IDLE;
    graph_connect(&in->waits->graph, node,
                  acts ? in->waits->first_thread + (uint32_t) thread : in->any);
}

// Locks.

/** A node for a lock that one of the candidates holds, or a thread that is none of OpenMP's. */
static uint32_t
holder_node(const struct inside *in, uint32_t number, const struct omp_wait_record *wait)
{
    const struct waits *waits = in->waits;
    uint32_t node = graph_add(&in->waits->graph, WHAT_HOLDER, number, true);
    for (size_t i = 0; i < wait->candidates.count; i++)
        need(in, node, wait->candidates.items[i]);
    for (uint32_t i = 0; i < in->process->n_threads; i++) {
        uint32_t other = in->process->first_thread + i;
        enum doing doing = waits->activities[other].doing;
        if (!waits->job->threads[other].openmp && doing != DOING_HELP && doing != DOING_IDLE)
            graph_connect(&in->waits->graph, node, waits->first_thread + other);
    }
    return node;
}

/** Whether a thread gives up the processor again and again. */
static bool
yields(const struct job_thread *thread)
{
    const struct thread_record *record = thread->record;
    const char *function = record->stack.count > 0 ? record->stack.items[0].function : NULL;
    return function && strstr(function, "sched_yield");
}

/** The thread of a process with that id; NOBODY: it is not known. */
static int32_t
thread_by_tid(const struct inside *in, int64_t tid)
{
    for (uint32_t i = 0; i < in->process->n_threads; i++)
        if (in->waits->job->threads[in->process->first_thread + i].tid == tid)
            return (int32_t) (in->process->first_thread + i);
    return NOBODY;
}

static void
add_gil(const struct inside *in, uint32_t number, int64_t tid)
{
    int32_t holder = thread_by_tid(in, tid);
    graph_connect(&in->waits->graph, in->waits->first_thread + number,
                  holder != NOBODY ? in->waits->first_thread + (uint32_t) holder : in->any);
}

/** A thread that the process does not have can end nobody's wait. In one that was forked, its first
 * thread may be the copy of that, and have all that it had. */
static void
add_owner(const struct inside *in, uint32_t number, int64_t tid)
{
    const struct report *report = in->process->report;
    int32_t owner = thread_by_tid(in, tid);
    uint32_t node = in->waits->first_thread + number;
    bool is_copied = !HAS(report, PROCESS_FORKED) || report->forked;
    if (owner == NOBODY && is_copied)
        owner = thread_by_tid(in, report->pid);
    if (owner != NOBODY)
        graph_connect(&in->waits->graph, node, in->waits->first_thread + (uint32_t) owner);
    else
        graph_connect(&in->waits->graph, node, report->incomplete || is_copied ? in->any : node);
}

static void
add_lock(const struct inside *in, uint32_t number)
{
    const struct job_thread *thread = &in->waits->job->threads[number];
    const struct omp_wait_record *wait = thread_wait(in->waits->job, thread);
    uint32_t node = in->waits->first_thread + number;
    if (HAS(thread->record, THREAD_GIL_HOLDER))
        add_gil(in, number, thread->record->gil_holder);
    else if (!wait && thread_has_owner(thread->record))
        add_owner(in, number, thread->record->kernel.owner);
    else if (wait && HAS(wait, OMP_WAIT_HOLDER))
        need(in, node, wait->holder);
    else if (wait && wait->candidates.count > 0)
        graph_connect(&in->waits->graph, node, holder_node(in, number, wait));
    // All others wait for it, too: it may be given to one of them, which has yet to see that.
    else if (wait && wait->kind != OMP_WAITS_DOACROSS && yields(thread) &&
             !HAS(wait, OMP_WAIT_HELD))
        return;
    else
        graph_connect(&in->waits->graph, node, in->any);
}

// Barriers.

/** Whether two threads of a process are in the same parallel region, as far as is known. */
static bool
share_region(const struct job_index *job, uint32_t a, uint32_t b)
{
    const mqs_omp_thread *one = job->threads[a].openmp, *other = job->threads[b].openmp;
    return one && other && (one->known & other->known & MQS_OMP_REGION) != 0 &&
           one->region != MQS_OMP_NONE && one->region == other->region;
}

static int64_t
team_size(const mqs_omp_thread *thread)
{
    bool is_known = thread && (thread->known & MQS_OMP_TEAM_SIZE) != 0;
    return is_known && thread->team_size > 0 ? thread->team_size : 0;
}

/** Connects the node of a barrier with those who are known not to be at it. @return how many of the
 * team are known */
static int64_t
add_missing(const struct inside *in, uint32_t node, const struct omp_wait_record *wait)
{
    for (size_t i = 0; i < wait->missing.count; i++)
        need(in, node, wait->missing.items[i]);
    return (int64_t) (wait->missing.count + wait->arrived.count);
}

/** Likewise with those of the region who are not known to be at a barrier: who of the team is in an
 * inner region is not searched for. */
static int64_t
add_absent(const struct inside *in, uint32_t node, uint32_t number)
{
    int64_t found = 0;
    for (uint32_t i = 0; i < in->process->n_threads; i++) {
        uint32_t other = in->process->first_thread + i;
        enum doing doing = in->waits->activities[other].doing;
        if (!share_region(in->waits->job, number, other))
            continue;
        found++;
        if (doing != DOING_BARRIER && doing != DOING_IDLE && doing != DOING_HELP)
            graph_connect(&in->waits->graph, node, in->waits->first_thread + other);
    }
    return found;
}

static bool
is_at_end(const struct inside *in, uint32_t number)
{
    return thread_is_at_end(&in->waits->job->threads[number]);
}

/** Connects the node of a barrier with those of the region who are at another one: past it, or not
 * yet there. A runtime counts all of them as arrived. */
static void
add_elsewhere(const struct inside *in, uint32_t node, uint32_t number)
{
    for (uint32_t i = 0; i < in->process->n_threads; i++) {
        uint32_t other = in->process->first_thread + i;
        if (in->waits->activities[other].doing == DOING_BARRIER &&
            share_region(in->waits->job, number, other) &&
            is_at_end(in, number) != is_at_end(in, other))
            graph_connect(&in->waits->graph, node, in->waits->first_thread + other);
    }
}

/** A node for the barrier that a thread is at. Any thread of the process may be who is not known.
 */
static uint32_t
region_node(const struct inside *in, uint32_t number)
{
    const struct job_thread *thread = &in->waits->job->threads[number];
    const struct omp_wait_record *wait = thread_wait(in->waits->job, thread);
    int64_t team = team_size(thread->openmp);
    uint32_t node = graph_add(&in->waits->graph, WHAT_REGION, number, false);
    int64_t found = wait && HAS(wait, OMP_WAIT_MISSING) ? add_missing(in, node, wait)
                                                        : add_absent(in, node, number);
    if (found < team || team == 0)
        graph_connect(&in->waits->graph, node, in->any);
    add_elsewhere(in, node, number);
    return node;
}

/** The node of the barrier of a thread's region, made once for each barrier. */
static uint32_t
barrier_node(const struct inside *in, uint32_t number)
{
    for (uint32_t i = in->process->first_thread; i < number; i++)
        if (in->barriers[i] != 0 && share_region(in->waits->job, i, number) &&
            is_at_end(in, i) == is_at_end(in, number))
            return in->barriers[i];
    return region_node(in, number);
}

// Tasks.

/** The thread that waits for the end of a task's children; NOBODY: none. */
static int32_t
waits_in_task(const struct inside *in, const mqs_omp_task *task)
{
    int32_t thread = (task->known & MQS_OMP_THREAD) != 0 ? thread_of(in, task->thread) : NOBODY;
    const mqs_omp_thread *openmp = thread != NOBODY ? in->waits->job->threads[thread].openmp : NULL;
    bool waits = openmp && in->waits->activities[thread].doing == DOING_TASKS &&
                 (openmp->known & MQS_OMP_TASK) != 0 && openmp->task == task->number;
    return waits ? thread : NOBODY;
}

/** Connects the threads that wait for a task, its descendants or others with who executes it. */
static void
add_task(const struct inside *in, const mqs_omp_task *task, bool *found)
{
    const struct job_index *job = in->waits->job;
    const struct openmp *omp = &in->process->report->omp;
    bool is_executed = (task->known & MQS_OMP_THREAD) != 0 && openmp_is_explicit(task) &&
                       (task->flags & task->flags_known & MQS_OMP_TASK_COMPLETE) == 0;
    const mqs_omp_task *above = is_executed ? openmp_generating(omp, task) : NULL;
    for (int i = 0; above && i < GENERATIONS; i++, above = openmp_generating(omp, above)) {
        int32_t waiter = waits_in_task(in, above);
        const struct omp_wait_record *wait =
            waiter != NOBODY ? thread_wait(job, &job->threads[waiter]) : NULL;
        bool is_awaited = i == 0 || (wait && wait->kind == OMP_WAITS_TASKGROUP);
        if (waiter == NOBODY || !is_awaited || thread_of(in, task->thread) == waiter)
            continue;
        need(in, in->waits->first_thread + (uint32_t) waiter, task->thread);
        found[(uint32_t) waiter - in->process->first_thread] = true;
    }
}

/** A thread that waits for tasks waits for those who execute them, and, where none of them is
 * known, for any thread: it may be about to begin. */
static void
add_tasks(const struct inside *in)
{
    const struct openmp *omp = &in->process->report->omp;
    bool *found = alloc_zeroed(in->process->n_threads, sizeof *found);
    for (size_t i = 0; i < omp->n_tasks; i++)
        add_task(in, &omp->tasks[i], found);
    for (uint32_t i = 0; i < in->process->n_threads; i++) {
        uint32_t number = in->process->first_thread + i;
        if (in->waits->activities[number].doing == DOING_TASKS && !found[i])
            graph_connect(&in->waits->graph, in->waits->first_thread + number, in->any);
    }
    free(found);
}

// What threads wait for inside of their process.

static void
add_process(struct waits *waits, uint32_t number, uint32_t *barriers)
{
    struct inside in;
    inside_init(&in, waits, number, barriers);
    for (uint32_t i = 0; i < in.process->n_threads; i++) {
        uint32_t thread = in.process->first_thread + i;
        if (waits->activities[thread].doing == DOING_LOCK)
            add_lock(&in, thread);
        if (waits->activities[thread].doing == DOING_ABSENT) // nobody can end that
            graph_connect(&waits->graph, waits->first_thread + thread,
                          waits->first_thread + thread);
        if (waits->activities[thread].doing != DOING_BARRIER)
            continue;
        barriers[thread] = barrier_node(&in, thread);
        graph_connect(&waits->graph, waits->first_thread + thread, barriers[thread]);
    }
    add_tasks(&in);
    free(in.thread_of);
}

// What threads wait for in the system.

void
waits_add_outside(struct waits *waits)
{
    for (uint32_t i = 0; i < waits->job->n_threads; i++) {
        const struct job_thread *thread = &waits->job->threads[i];
        size_t count, others;
        if (waits->activities[i].doing != DOING_OUTSIDE)
            continue;
        uint32_t *holders = thread_holders(waits->job, thread, &count, &others);
        waits->graph.nodes[waits->first_thread + i].any = true;
        for (size_t k = 0; k < count; k++)
            graph_connect(&waits->graph, waits->first_thread + i, holders[k]);
        free(holders);
    }
}

void
waits_add_threads(struct waits *waits)
{
    uint32_t *barriers = alloc_zeroed(waits->job->n_threads, sizeof *barriers);
    for (uint32_t i = 0; i < waits->job->n_processes; i++)
        add_process(waits, i, barriers);
    free(barriers);
}

static int
compare_numbers(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return COMPARE({*a, *b});
}

/** Adds the threads that a node is connected with. */
static void
add_needed(const struct waits *waits, const struct node *node, uint32_t **threads, size_t *count,
           size_t *capacity)
{
    for (uint32_t i = node->first; i < node->first + node->count; i++) {
        const struct node *to = &waits->graph.nodes[waits->graph.edges[i].to];
        if (to->what == WHAT_THREAD)
            *ALLOC_ADD(*threads, *count, *capacity) = to->number;
        else if (to->what == WHAT_REGION || to->what == WHAT_HOLDER)
            add_needed(waits, to, threads, count, capacity);
    }
}

bool
waits_for_anyone(const struct waits *waits, uint32_t thread)
{
    const struct node *node = waits_thread(waits, thread);
    for (uint32_t i = node->first; i < node->first + node->count; i++)
        if (waits->graph.nodes[waits->graph.edges[i].to].what == WHAT_INSIDE)
            return true;
    return false;
}

uint32_t *
waits_needed(const struct waits *waits, uint32_t thread, size_t *ret_count, bool *ret_any)
{
    uint32_t *threads = NULL;
    size_t count = 0, capacity = 0, kept = 0;
    const struct node *node = waits_thread(waits, thread);
    const struct node *to =
        node->count > 0 ? &waits->graph.nodes[waits->graph.edges[node->first].to] : NULL;
    *ret_any = to && to->what == WHAT_HOLDER;
    if (thread_waits_inside(&waits->activities[thread]))
        add_needed(waits, node, &threads, &count, &capacity);
    if (count > 0)
        qsort(threads, count, sizeof *threads, compare_numbers);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || threads[i] != threads[i - 1])
            threads[kept++] = threads[i];
    *ret_count = kept;
    return threads;
}
