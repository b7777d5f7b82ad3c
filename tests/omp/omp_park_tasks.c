// SPDX-License-Identifier: BSD-3-Clause
// Situations of explicit tasks of all kinds that execute.
#include "tests/omp/omp_park.h"

#include <omp.h>

// Tasks are queued. The threads that shall execute them wait for this before they wait in the
// runtime, where LLVM's may go to sleep and not be woken.
static atomic_int made;

static void
tasks(int threads)
{
#pragma omp parallel num_threads(threads)
    {
        struct scope in = scope_in(NULL);
        record_wait(&in, PARK_WORKSHARE, NULL);
        if (omp_get_thread_num() != 0)
            await_flag(&made);
#pragma omp single
        {
            for (int i = 0; i < threads; i++) {
                int id = task_made(0, 0);
#pragma omp task
                {
                    task_runs(id, &in);
                    arrive(threads);
                }
            }
            atomic_store(&made, 1);
        }
    }
}

// Clang warns of the code that it makes of a taskloop.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wconversion"

// The thread that makes them executes one too, in the taskgroup that the construct implies.
static void
taskloop(int threads)
{
#pragma omp parallel num_threads(threads)
    {
        struct scope in = scope_in(NULL);
        record_wait(&in, PARK_WORKSHARE, NULL);
        await_records(threads);
        if (omp_get_thread_num() != 0)
            await_flag(&made);
#pragma omp single
        {
            int first = tasks_made(0, 0, threads);
            record_implicit(PARK_TASKGROUP);
#pragma omp taskloop num_tasks(threads)
            for (int i = 0; i < threads; i++) {
                task_runs(first + i, &in);
                atomic_store(&made, 1);
                arrive(threads);
            }
        }
    }
}

#pragma GCC diagnostic pop

static void
undeferred(int threads)
{
#pragma omp parallel num_threads(threads)
    {
        struct scope in = scope_in(NULL);
        if (omp_get_thread_num() != 0)
            arrive_here(&in, threads);
        record_here(&in);
        int id = task_made(0, TASK_UNDEFERRED);
#pragma omp task if (threads == 0)
        {
            task_runs(id, &in);
            arrive(threads);
        }
    }
}

// The descendants of a final task are executed at once.
static void
final(int threads)
{
#pragma omp parallel num_threads(threads)
    {
        struct scope in = scope_in(NULL);
        if (omp_get_thread_num() != 0)
            arrive_here(&in, threads);
        record_here(&in);
        record_implicit(PARK_TASKWAIT);
        int id = task_made(0, 0);
#pragma omp task final(threads > 0)
        {
            task_runs(id, &in);
            int child = task_made(id, TASK_UNDEFERRED);
            task_is(id, PARK_TASK_HELD_UP);
#pragma omp task
            {
                task_runs(child, &in);
                arrive(threads);
            }
        }
#pragma omp taskwait
    }
}

static void
untied(int threads)
{
#pragma omp parallel num_threads(threads)
    {
        struct scope in = scope_in(NULL);
        if (omp_get_thread_num() != 0)
            arrive_here(&in, threads);
        record_here(&in);
        record_implicit(PARK_TASKWAIT);
        int id = task_made(0, TASK_UNTIED);
#pragma omp task untied
        {
            task_runs(id, &in);
            arrive(threads);
        }
#pragma omp taskwait
    }
}

// A task makes a region.
static void
region_in_task(int threads)
{
    allow_levels(2);
#pragma omp parallel num_threads(threads)
    {
        struct scope in = scope_in(NULL);
        if (omp_get_thread_num() != 0)
            arrive_here(&in, 2 * threads - 1);
        record_here(&in);
        record_implicit(PARK_TASKWAIT);
        int id = task_made(0, 0);
#pragma omp task
        {
            task_runs(id, &in);
            task_is(id, PARK_TASK_HELD_UP);
            struct scope outer = in;
            outer.task = id;
#pragma omp parallel num_threads(threads)
            {
                struct scope inner = scope_in(&outer);
                arrive_here(&inner, 2 * threads - 1);
            }
        }
#pragma omp taskwait
    }
}

const struct situation task_situations[] = {
    {"final", final, 2, NULL},
    {"region-in-task", region_in_task, 2, NULL},
    {"taskloop", taskloop, 3, NULL},
    {"tasks", tasks, 2, NULL},
    {"undeferred", undeferred, 2, NULL},
    {"untied", untied, 2, NULL},
    {NULL, NULL, 0, NULL},
};
