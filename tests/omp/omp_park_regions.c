// SPDX-License-Identifier: BSD-3-Clause
// Situations of regions: teams, nesting, the pool, control variables.
#include "tests/omp/omp_park.h"

#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void
flat(int threads)
{
#pragma omp parallel num_threads(threads)
    {
        struct scope in = scope_in(NULL);
        arrive_here(&in, threads);
    }
}

static void
nested(int inner)
{
    allow_levels(2);
#pragma omp parallel num_threads(3)
    {
        struct scope outer = scope_in(NULL);
#pragma omp parallel num_threads(inner)
        {
            struct scope in = scope_in(&outer);
            arrive_here(&in, 3 * inner);
        }
    }
}

static void
serialised(int threads)
{
    omp_set_max_active_levels(1);
#pragma omp parallel num_threads(threads)
    {
        struct scope first = scope_in(NULL);
#pragma omp parallel num_threads(threads)
        {
            struct scope second = scope_in(&first);
#pragma omp parallel num_threads(threads)
            {
                struct scope third = scope_in(&second);
                arrive_here(&third, threads);
            }
        }
    }
}

// Serialised and active regions in turns.
static void
layers(int threads)
{
    allow_levels(4);
#pragma omp parallel num_threads(1)
    {
        struct scope first = scope_in(NULL);
#pragma omp parallel num_threads(threads)
        {
            struct scope second = scope_in(&first);
#pragma omp parallel num_threads(1)
            {
                struct scope third = scope_in(&second);
#pragma omp parallel num_threads(2)
                {
                    struct scope fourth = scope_in(&third);
                    arrive_here(&fourth, 2 * threads);
                }
            }
        }
    }
}

// A serialised region inside a nested one, and only in one of the threads.
static void
mixed(int inner)
{
    allow_levels(2);
#pragma omp parallel num_threads(2)
    {
        struct scope outer = scope_in(NULL);
        if (omp_get_thread_num() == 0)
            arrive_here(&outer, inner + 1);
#pragma omp parallel num_threads(inner)
        {
            struct scope in = scope_in(&outer);
            if (omp_get_thread_num() != 1)
                arrive_here(&in, inner + 1);
#pragma omp parallel num_threads(1)
            {
                struct scope innermost = scope_in(&in);
                arrive_here(&innermost, inner + 1);
            }
        }
    }
}

static void
pool(int threads)
{
#pragma omp parallel num_threads(threads)
    record_idle();
}

static void
after(int threads)
{
    pool(threads);
    record_here(NULL);
    report();
}

// Two of four threads stay behind in the pool.
static void
shrunk(int left)
{
    pool(4);
    flat(left);
}

// The inner teams are over, the outer one goes on.
static void
inner_over(int inner)
{
    allow_levels(2);
#pragma omp parallel num_threads(2)
    {
        struct scope outer = scope_in(NULL);
        pool(inner);
        arrive_here(&outer, 2);
    }
}

static atomic_int second_is_over;

static void *
second_root(void *unused)
{
    (void) unused;
    struct scope root = {.root = 1};
#pragma omp parallel num_threads(2)
    {
        struct scope in = scope_in(&root);
        arrive_here(&in, 5);
    }
    return NULL;
}

// Its region is over, and its thread in no region.
static void *
second_root_after(void *unused)
{
    (void) unused;
    struct scope root = {.root = 1};
    pool(2);
    record_here(&root);
    atomic_store(&second_is_over, 1);
    park();
}

static void
start(void *(*run)(void *) )
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, NULL))
        exit(1);
}

static void
roots(int threads)
{
    start(second_root);
#pragma omp parallel num_threads(threads)
    {
        struct scope in = scope_in(NULL);
        arrive_here(&in, threads + 2);
    }
}

static void
root_after(int threads)
{
    start(second_root_after);
    await_flag(&second_is_over);
    flat(threads);
}

// Nothing of OpenMP has run yet, but the runtime is loaded. A line on standard input starts it.
static void
before(int threads)
{
    print_records();
    getchar();
    flat(threads);
}

// The runtime has given up its threads; then it starts anew.
static void
paused(int threads)
{
#pragma omp parallel num_threads(threads)
    scope_in(NULL);
    omp_pause_resource_all(omp_pause_hard);
    print_records();
    getchar();
    flat(threads);
}

// The region ends at a line on standard input, and after another one there is one of more threads.
static void
ends(int threads)
{
    static atomic_int is_over;
#pragma omp parallel num_threads(threads)
    {
        struct scope in = scope_in(NULL);
        record_here(&in);
        if (omp_get_thread_num() == 0) {
            await_records(threads);
            print_records();
            getchar();
            is_over = 1;
        } else {
            await_flag(&is_over);
        }
    }
    print_records();
    getchar();
    flat(4 * threads);
}

// The first element of a list counts at each level.
static void
lists(int threads)
{
    allow_levels(3);
#pragma omp parallel
    {
        struct scope first = scope_in(NULL);
#pragma omp parallel
        {
            struct scope second = scope_in(&first);
#pragma omp parallel
            {
                struct scope third = scope_in(&second);
                arrive_here(&third, threads);
            }
        }
    }
}

// Each thread sets variables of its own task differently.
static void
variables(int threads)
{
    static const omp_sched_t kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided,
                                        omp_sched_auto};
#pragma omp parallel num_threads(threads)
    {
        struct scope in = scope_in(NULL);
        int num = omp_get_thread_num();
        if (num > 0) {
            omp_set_schedule(kinds[num % 4], 10 + num);
            omp_set_num_threads(20 + num);
            omp_set_dynamic(num % 2);
            omp_set_max_active_levels(3 + num);
            omp_set_default_device(num);
        }
#pragma omp barrier // some are one for all tasks: before they are recorded, all are set
        arrive_here(&in, threads);
    }
}

static const char *const list_environment[] = {"OMP_NUM_THREADS=4,3,2", "OMP_MAX_ACTIVE_LEVELS=3",
                                               "OMP_PROC_BIND=spread,close,primary", NULL};
static const char *const variables_environment[] = {"OMP_SCHEDULE=guided,9",
                                                    "OMP_CANCELLATION=true",
                                                    "OMP_MAX_TASK_PRIORITY=7",
                                                    "OMP_THREAD_LIMIT=50",
                                                    "OMP_NUM_THREADS=6",
                                                    "OMP_MAX_ACTIVE_LEVELS=5",
                                                    "OMP_DEFAULT_DEVICE=4",
                                                    "OMP_AFFINITY_FORMAT=thread %n of %N",
                                                    "OMP_DISPLAY_AFFINITY=false",
                                                    "OMP_STACKSIZE=3M",
                                                    "OMP_WAIT_POLICY=passive",
                                                    "OMP_PLACES=threads",
                                                    NULL};

const struct situation region_situations[] = {
    {"after", after, 4, NULL},
    {"alone", flat, 1, NULL},
    {"before", before, 4, NULL},
    {"ends", ends, 4, NULL},
    {"four", flat, 4, NULL},
    {"inner-over", inner_over, 3, NULL},
    {"layers", layers, 3, NULL},
    {"lists", lists, 4 * 3 * 2, list_environment},
    {"many", flat, 100, NULL},
    {"mixed", mixed, 3, NULL},
    {"nested", nested, 2, NULL},
    {"paused", paused, 4, NULL},
    {"root-after", root_after, 3, NULL},
    {"roots", roots, 3, NULL},
    {"serialised", serialised, 2, NULL},
    {"shrunk", shrunk, 2, NULL},
    {"variables", variables, 5, variables_environment},
    {NULL, NULL, 0, NULL},
};
