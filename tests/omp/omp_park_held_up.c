// SPDX-License-Identifier: BSD-3-Clause
// Situations of explicit tasks that others wait for.
#include "tests/omp/omp_park.h"

#include <omp.h>

// The thread that shall execute a task waits until it is queued: LLVM's runtime may go to sleep
// and not be woken.
static atomic_int made, begun, waiting;

// The body of a task that all wait for.
static _Noreturn void
hold_up(int threads)
{
    await_records(threads);
    await_flag(&waiting);
    report();
}

// A second thread executes the task that the first waits for.
static void
taskwait(int threads)
{
#pragma omp parallel num_threads(threads)
    {
        struct scope in = scope_in(NULL);
        record_wait(&in, PARK_JOIN, NULL);
        if (omp_get_thread_num() != 0)
            await_flag(&made);
        else {
            int id = task_made(0, 0);
#pragma omp task
            {
                task_runs(id, &in);
                atomic_store(&begun, 1);
                hold_up(threads);
            }
            atomic_store(&made, 1);
            await_flag(&begun);
            record_wait(&in, PARK_TASKWAIT, NULL);
            record_implicit(PARK_TASKWAIT);
            atomic_store(&waiting, 1);
#pragma omp taskwait
        }
    }
}

static void
taskgroup(int threads)
{
#pragma omp parallel num_threads(threads)
    {
        struct scope in = scope_in(NULL);
        record_wait(&in, PARK_JOIN, NULL);
        if (omp_get_thread_num() != 0)
            await_flag(&made);
        else {
#pragma omp taskgroup
            {
                int id = task_made(0, 0);
#pragma omp task
                {
                    task_runs(id, &in);
                    atomic_store(&begun, 1);
                    hold_up(threads);
                }
                atomic_store(&made, 1);
                await_flag(&begun);
                record_wait(&in, PARK_TASKGROUP, NULL);
                record_implicit(PARK_TASKGROUP);
                atomic_store(&waiting, 1);
            }
        }
    }
}

// One of two siblings holds its thread up, the other stays in the queue.
static void
make_siblings(int parent, const struct scope *in, int threads)
{
    for (int i = 0; i < 2; i++) {
        int id = task_made(parent, 0);
#pragma omp task firstprivate(in)
        {
            task_runs(id, in);
            hold_up(threads);
        }
    }
}

// A task is suspended where it waits; its thread executes one of its children. The other threads
// are busy, so that they take no task.
static void
suspended(int threads)
{
#pragma omp parallel num_threads(threads)
    {
        struct scope in = scope_in(NULL);
        if (omp_get_thread_num() != 0)
            arrive_here(&in, threads + 1);
        await_records(threads - 1);
        record_here(&in);
        record_implicit(PARK_TASKWAIT);
        int id = task_made(0, 0);
#pragma omp task
        {
            task_runs(id, &in);
            make_siblings(id, &in, threads);
            task_is(id, PARK_TASK_IN_TASKWAIT);
            atomic_store(&waiting, 1);
#pragma omp taskwait
        }
#pragma omp taskwait
    }
}

static void
suspended_in_taskgroup(int threads)
{
#pragma omp parallel num_threads(threads)
    {
        struct scope in = scope_in(NULL);
        if (omp_get_thread_num() != 0)
            arrive_here(&in, threads + 1);
        await_records(threads - 1);
        record_here(&in);
        record_implicit(PARK_TASKGROUP);
#pragma omp taskgroup
        {
            int id = task_made(0, 0);
#pragma omp task
            {
                task_runs(id, &in);
#pragma omp taskgroup
                {
                    make_siblings(id, &in, threads);
                    task_is(id, PARK_TASK_IN_TASKGROUP);
                    atomic_store(&waiting, 1);
                }
            }
        }
    }
}

// The second task may not begin before the first is complete; one task is over already.
static void
depend(int threads)
{
#pragma omp parallel num_threads(threads)
    {
        struct scope in = scope_in(NULL);
        record_wait(&in, PARK_WORKSHARE, NULL);
#pragma omp single
        {
            int over = task_made(0, 0), first = task_made(0, 0), second = task_made(0, 0);
            atomic_store(&waiting, 1);
#pragma omp task depend(out : over)
            {
                task_runs(over, &in);
                task_ends(over);
                record_wait(&in, PARK_WORKSHARE, NULL);
            }
#pragma omp task depend(inout : over)
            {
                task_runs(first, &in);
                hold_up(threads);
            }
#pragma omp task depend(in : over)
            task_runs(second, &in);
        }
    }
}

const struct situation held_up_situations[] = {
    {"depend", depend, 2, NULL},
    {"suspended", suspended, 2, NULL},
    {"suspended-in-taskgroup", suspended_in_taskgroup, 2, NULL},
    {"taskgroup", taskgroup, 2, NULL},
    {"taskwait", taskwait, 2, NULL},
    {NULL, NULL, 0, NULL},
};
