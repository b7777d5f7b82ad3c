// SPDX-License-Identifier: BSD-3-Clause
// Situations in which one thread works and the others of its team wait for it.
#include "tests/omp/omp_park.h"

#include <omp.h>

// The one that all wait for.
static _Noreturn void
hold_up(const struct scope *in, int threads)
{
    record_here(in);
    await_records(threads);
    report();
}

static _Noreturn void
hold_up_with(const struct scope *in, int threads, enum park_wait kind, const void *lock, int count)
{
    record_lock(kind, lock, count);
    hold_up(in, threads);
}

static void
barrier(int threads)
{
#pragma omp parallel num_threads(threads)
    {
        struct scope in = scope_in(NULL);
        if (omp_get_thread_num() == 0)
            hold_up(&in, threads);
        record_wait(&in, PARK_BARRIER, NULL);
#pragma omp barrier
    }
}

static void
join(int threads)
{
#pragma omp parallel num_threads(threads)
    {
        struct scope in = scope_in(NULL);
        if (omp_get_thread_num() == 0)
            hold_up(&in, threads);
        record_wait(&in, PARK_JOIN, NULL);
    }
}

// The inner teams' threads wait for each other, the outer team's works on in one of them.
static void
inner_barrier(int inner)
{
    allow_levels(2);
#pragma omp parallel num_threads(2)
    {
        struct scope outer = scope_in(NULL);
#pragma omp parallel num_threads(inner)
        {
            struct scope in = scope_in(&outer);
            if (omp_get_ancestor_thread_num(1) == 0 && omp_get_thread_num() == 0)
                hold_up(&in, 2 * inner);
            if (omp_get_ancestor_thread_num(1) == 0) {
                record_wait(&in, PARK_BARRIER, NULL);
#pragma omp barrier
            } else {
                record_here(&in);
                park();
            }
        }
    }
}

static void
single(int threads)
{
#pragma omp parallel num_threads(threads)
    {
        struct scope in = scope_in(NULL);
        record_wait(&in, PARK_WORKSHARE, NULL);
#pragma omp single
        hold_up(&in, threads);
    }
}

static void
loop(int threads)
{
#pragma omp parallel num_threads(threads)
    {
        struct scope in = scope_in(NULL);
#pragma omp for schedule(static, 1)
        for (int i = 0; i < threads; i++) {
            if (i == 0)
                hold_up(&in, threads);
            record_wait(&in, PARK_WORKSHARE, NULL);
        }
    }
}

// All iterations but the first wait for their turn.
static void
ordered(int threads)
{
#pragma omp parallel num_threads(threads)
    {
        struct scope in = scope_in(NULL);
#pragma omp for ordered schedule(static, 1)
        for (int i = 0; i < threads; i++) {
            record_wait(&in, PARK_ORDERED, NULL);
#pragma omp ordered
            hold_up_with(&in, threads, PARK_ORDERED, NULL, 1);
        }
    }
}

// Nobody waits for it.
static void
master(int threads)
{
#pragma omp parallel num_threads(threads)
    {
        struct scope in = scope_in(NULL);
#pragma omp master
        arrive_here(&in, threads);
        arrive_here(&in, threads);
    }
}

static void
critical(int threads)
{
#pragma omp parallel num_threads(threads)
    {
        struct scope in = scope_in(NULL);
        record_wait(&in, PARK_CRITICAL, NULL);
        await_records(threads);
#pragma omp critical
        hold_up_with(&in, threads, PARK_CRITICAL, NULL, 1);
    }
}

static void
named_critical(int threads)
{
#pragma omp parallel num_threads(threads)
    {
        struct scope in = scope_in(NULL);
        record_wait(&in, PARK_CRITICAL, NULL);
        await_records(threads);
#pragma omp critical(parking_place)
        hold_up_with(&in, threads, PARK_CRITICAL, NULL, 1);
    }
}

static void
lock(int threads)
{
    static omp_lock_t first, second;
    omp_init_lock(&first);
    omp_init_lock(&second);
#pragma omp parallel num_threads(threads)
    {
        static atomic_int taken;
        struct scope in = scope_in(NULL);
        if (omp_get_thread_num() == 1) {
            omp_set_lock(&first);
            omp_set_lock(&second);
            atomic_store(&taken, 1);
            record_lock(PARK_LOCK, &first, 1);
            hold_up_with(&in, threads, PARK_LOCK, &second, 1);
        }
        await_flag(&taken);
        record_wait(&in, PARK_LOCK, &second);
        omp_set_lock(&second);
    }
}

static void
nest_lock(int threads)
{
    static omp_nest_lock_t nested;
    omp_init_nest_lock(&nested);
#pragma omp parallel num_threads(threads)
    {
        static atomic_int taken;
        struct scope in = scope_in(NULL);
        if (omp_get_thread_num() == 1) {
            omp_set_nest_lock(&nested);
            omp_set_nest_lock(&nested);
            atomic_store(&taken, 1);
            hold_up_with(&in, threads, PARK_NEST_LOCK, &nested, 2);
        }
        await_flag(&taken);
        record_wait(&in, PARK_NEST_LOCK, &nested);
        omp_set_nest_lock(&nested);
    }
}

const struct situation wait_situations[] = {
    {"barrier", barrier, 3, NULL},
    {"critical", critical, 2, NULL},
    {"inner-barrier", inner_barrier, 3, NULL},
    {"join", join, 3, NULL},
    {"lock", lock, 3, NULL},
    {"loop", loop, 3, NULL},
    {"master", master, 3, NULL},
    {"named-critical", named_critical, 3, NULL},
    {"nest-lock", nest_lock, 3, NULL},
    {"ordered", ordered, 3, NULL},
    {"single", single, 3, NULL},
    {NULL, NULL, 0, NULL},
};
