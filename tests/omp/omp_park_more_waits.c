// SPDX-License-Identifier: BSD-3-Clause
// Situations in which threads wait in constructs that the runtimes have no states for, or for locks
// in ways that no runtime shows.
#include "tests/omp/omp_park.h"

#include <omp.h>

// It does not return, but compilers need not know it: Clang cannot translate such a single
// construct.
static void
hold_up(const struct scope *in, int threads)
{
    record_here(in);
    await_records(threads);
    report();
}

static void
sections(int threads)
{
#pragma omp parallel num_threads(threads)
    {
        struct scope in = scope_in(NULL);
        record_wait(&in, PARK_WORKSHARE, NULL);
#pragma omp sections
        {
#pragma omp section
            hold_up(&in, threads);
#pragma omp section
            record_wait(&in, PARK_WORKSHARE, NULL);
        }
    }
}

static void
copyprivate(int threads)
{
#pragma omp parallel num_threads(threads)
    {
        struct scope in = scope_in(NULL);
        int number = omp_get_thread_num();
        record_wait(&in, PARK_COPYPRIVATE, NULL);
#pragma omp single copyprivate(number)
        {
            number++;
            hold_up(&in, threads);
        }
    }
}

static void
doacross(int threads)
{
#pragma omp parallel num_threads(threads)
    {
        struct scope in = scope_in(NULL);
#pragma omp for ordered(1) schedule(static, 1)
        for (int i = 0; i < threads; i++) {
            if (i == 0)
                hold_up(&in, threads);
            record_wait(&in, PARK_DOACROSS, NULL);
#pragma omp ordered depend(sink : i - 1)
#pragma omp ordered depend(source)
        }
    }
}

// The barrier of a region that may be cancelled.
static void
cancel(int threads)
{
#pragma omp parallel num_threads(threads)
    {
        struct scope in = scope_in(NULL);
        if (omp_get_thread_num() == 0)
            hold_up(&in, threads);
        record_wait(&in, PARK_BARRIER, NULL);
#pragma omp barrier
        if (threads == 0) {
#pragma omp cancel parallel
        }
    }
}

// Two threads hold a lock each and wait for the other's; a third one reports.
static void
cycle(int threads)
{
    static omp_lock_t locks[2];
    static atomic_int taken;
    for (int i = 0; i < 2; i++)
        omp_init_lock(&locks[i]);
#pragma omp parallel num_threads(threads)
    {
        struct scope in = scope_in(NULL);
        int number = omp_get_thread_num();
        if (number >= 2)
            hold_up(&in, threads);
        omp_lock_t *own = &locks[number], *other = &locks[1 - number];
        omp_set_lock(own);
        record_lock(PARK_LOCK, own, 1);
        atomic_fetch_add(&taken, 1);
        while (atomic_load(&taken) < 2)
            continue;
        record_wait(&in, PARK_LOCK, other);
        omp_set_lock(other);
        omp_unset_lock(other);
        omp_unset_lock(own);
    }
}

// A thread waits for a lock that it holds.
static void
twice(int threads)
{
    static omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(threads)
    {
        struct scope in = scope_in(NULL);
        if (omp_get_thread_num() == 0)
            hold_up(&in, threads);
        omp_set_lock(&lock);
        record_lock(PARK_LOCK, &lock, 1);
        record_wait(&in, PARK_LOCK, &lock);
        omp_set_lock(&lock);
        omp_unset_lock(&lock);
    }
}

// An undeferred task depends on one that another thread executes.
static void
depend_undeferred(int threads)
{
    static atomic_int made, begun;
    int object = 0;
    (void) object; // only depend clauses name it
#pragma omp parallel num_threads(threads)
    {
        struct scope in = scope_in(NULL);
        record_wait(&in, PARK_JOIN, NULL);
        if (omp_get_thread_num() != 0)
            await_flag(&made);
        else {
            int id = task_made(0, 0), other = task_made(0, TASK_UNDEFERRED);
#pragma omp task depend(out : object)
            {
                task_runs(id, &in);
                atomic_store(&begun, 1);
                await_records(threads);
                report();
            }
            atomic_store(&made, 1);
            await_flag(&begun);
            record_wait(&in, PARK_DEPEND, NULL);
#pragma omp task if (0) depend(in : object)
            task_runs(other, &in);
        }
    }
}

const struct situation more_wait_situations[] = {
    {"cancel", cancel, 3, (const char *const[]){"OMP_CANCELLATION=true", NULL}},
    {"copyprivate", copyprivate, 3, NULL},
    {"cycle", cycle, 3, NULL},
    {"depend-undeferred", depend_undeferred, 2, NULL},
    {"doacross", doacross, 3, NULL},
    {"sections", sections, 3, NULL},
    {"twice", twice, 2, NULL},
    {NULL, NULL, 0, NULL},
};
