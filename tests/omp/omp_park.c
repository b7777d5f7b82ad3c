// SPDX-License-Identifier: BSD-3-Clause
// A program that brings OpenMP threads into a known situation, writes down what they say of
// themselves, and parks.
//
// Usage: omp_park SITUATION. It prints a line for each thread, "works TID PTHREAD NUM SIZE LEVEL
// ACTIVE" or "waits ..." when it is in a region, "idle TID PTHREAD" when it is in none; then
// "ready". It sleeps until it is killed.
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 256 };

static struct record {
    int tid, num, size, level, active;
    unsigned long pthread;
    int idle;
    int waits; // for other threads, inside of the runtime
} records[MOST];
static atomic_int n_records;

static struct record *
my_record(void)
{
    int tid = gettid();
    int n = atomic_load(&n_records);
    for (int i = 0; i < n; i++)
        if (records[i].tid == tid)
            return &records[i];
    struct record *fresh = &records[atomic_fetch_add(&n_records, 1)];
    fresh->tid = tid;
    fresh->pthread = (unsigned long) pthread_self();
    return fresh;
}

static void
record_here(void)
{
    struct record *r = my_record();
    r->num = omp_get_thread_num();
    r->size = omp_get_num_threads();
    r->level = omp_get_level();
    r->active = omp_get_active_level();
    r->idle = 0;
}

static void
record_idle(void)
{
    my_record()->idle = 1;
}

static void
print_all(void)
{
    for (int i = 0; i < atomic_load(&n_records); i++) {
        struct record *r = &records[i];
        if (r->idle)
            printf("idle %d %lu\n", r->tid, r->pthread);
        else
            printf("%s %d %lu %d %d %d %d\n", r->waits ? "waits" : "works", r->tid, r->pthread,
                   r->num, r->size, r->level, r->active);
    }
    puts("ready");
    fflush(stdout);
}

enum { SETTLE = 300000 }; // microseconds in which threads come to rest

// The calling thread works on while all others wait for it.
static void
print_others_waiting(void)
{
    int self = gettid();
    usleep(SETTLE);
    for (int i = 0; i < atomic_load(&n_records); i++)
        records[i].waits = records[i].tid != self;
    print_all();
}

static _Noreturn void
park(void)
{
    for (;;)
        pause();
}

static atomic_int arrived;

// Each of `expected` threads calls this once; the last one prints.
static _Noreturn void
arrive(int expected)
{
    record_here();
    if (atomic_fetch_add(&arrived, 1) + 1 == expected)
        print_all();
    park();
}

static void
flat(int threads)
{
#pragma omp parallel num_threads(threads)
    arrive(threads);
}

static void
nested(int inner)
{
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(3)
#pragma omp parallel num_threads(inner)
    arrive(3 * inner);
}

static void
serialised(int threads)
{
    omp_set_max_active_levels(1);
#pragma omp parallel num_threads(threads)
#pragma omp parallel num_threads(threads)
#pragma omp parallel num_threads(threads)
    arrive(threads);
}

// A serialised region inside a nested one, and only in one of the threads.
static void
mixed(int inner)
{
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) {
        arrive(inner + 1);
    } else {
#pragma omp parallel num_threads(inner)
        if (omp_get_thread_num() == 1) {
#pragma omp parallel num_threads(1)
            arrive(inner + 1);
        } else {
            arrive(inner + 1);
        }
    }
}

static void
after(int threads)
{
#pragma omp parallel num_threads(threads)
    record_idle();
    record_here();
    usleep(SETTLE);
    print_all();
    park();
}

// Two of four threads stay behind in the pool.
static void
shrunk(int left)
{
#pragma omp parallel num_threads(4)
    record_idle();
    usleep(SETTLE);
    flat(left);
}

// The inner teams are over, the outer one goes on.
static void
inner_over(int inner)
{
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
#pragma omp parallel num_threads(inner)
        record_idle();
        usleep(SETTLE);
        arrive(2);
    }
}

// The master works on; the others wait for it at a barrier, or at the end of the region.
static void
wait_for_master(int at_barrier)
{
#pragma omp parallel num_threads(3)
    {
        record_here();
        if (omp_get_thread_num() == 0) {
            while (atomic_load(&n_records) < 3)
                usleep(1000);
            print_others_waiting();
            park();
        }
        if (at_barrier) {
#pragma omp barrier
        }
    }
}

static void
tasks(int threads)
{
#pragma omp parallel num_threads(threads)
#pragma omp single
    for (int i = 0; i < threads; i++)
#pragma omp task
        arrive(threads);
}

static void
critical(int threads)
{
#pragma omp parallel num_threads(threads)
    {
        record_here();
        while (atomic_load(&n_records) < threads)
            usleep(1000);
#pragma omp critical
        {
            print_others_waiting();
            park();
        }
    }
}

static void *
second_root(void *unused)
{
    (void) unused;
#pragma omp parallel num_threads(2)
    arrive(5);
    return NULL;
}

static void
roots(int threads)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, second_root, NULL))
        exit(1);
#pragma omp parallel num_threads(threads)
    arrive(threads + 2);
}

// Nothing of OpenMP has run yet, but the runtime is loaded. A line on standard input starts it.
static void
before(int threads)
{
    print_all();
    getchar();
    flat(threads);
}

int
main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(int);
        int argument;
    } situations[] = {
        {"after", after, 4},
        {"alone", flat, 1},
        {"barrier", wait_for_master, 1},
        {"before", before, 4},
        {"critical", critical, 2},
        {"four", flat, 4},
        {"inner-over", inner_over, 3},
        {"join", wait_for_master, 0},
        {"many", flat, 100},
        {"mixed", mixed, 3},
        {"nested", nested, 2},
        {"roots", roots, 3},
        {"serialised", serialised, 2},
        {"shrunk", shrunk, 2},
        {"tasks", tasks, 2},
    };
    for (size_t i = 0; argc == 2 && i < sizeof(situations) / sizeof(situations[0]); i++)
        if (strcmp(argv[1], situations[i].name) == 0)
            situations[i].run(situations[i].argument);
    fprintf(stderr, "usage: omp_park SITUATION\n");
    return 2;
}
