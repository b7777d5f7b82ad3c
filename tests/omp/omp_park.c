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
four(void)
{
    flat(4);
}

static void
many(void)
{
    flat(100);
}

static void
nested(void)
{
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(3)
#pragma omp parallel num_threads(2)
    arrive(6);
}

static void
serialised(void)
{
    omp_set_max_active_levels(1);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
    arrive(2);
}

// A serialised region inside a nested one, and only in one of the threads.
static void
mixed(void)
{
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) {
        arrive(4);
    } else {
#pragma omp parallel num_threads(3)
        if (omp_get_thread_num() == 1) {
#pragma omp parallel num_threads(1)
            arrive(4);
        } else {
            arrive(4);
        }
    }
}

static void
alone(void)
{
#pragma omp parallel num_threads(1)
    arrive(1);
}

static void
after(void)
{
#pragma omp parallel num_threads(4)
    record_idle();
    record_here();
    usleep(SETTLE);
    print_all();
    park();
}

// Two of four threads stay behind in the pool.
static void
shrunk(void)
{
#pragma omp parallel num_threads(4)
    record_idle();
    usleep(SETTLE);
    flat(2);
}

// The inner teams are over, the outer one goes on.
static void
inner_over(void)
{
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
#pragma omp parallel num_threads(3)
        record_idle();
        usleep(SETTLE);
        arrive(2);
    }
}

static void
barrier(void)
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
#pragma omp barrier
    }
}

static void
join(void)
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
    }
}

static void
tasks(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 2; i++)
#pragma omp task
        arrive(2);
}

static void
critical(void)
{
#pragma omp parallel num_threads(2)
    {
        record_here();
        while (atomic_load(&n_records) < 2)
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
roots(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, second_root, NULL))
        exit(1);
#pragma omp parallel num_threads(3)
    arrive(5);
}

// Nothing of OpenMP has run yet, but the runtime is loaded. A line on standard input starts it.
static void
before(void)
{
    print_all();
    getchar();
    flat(4);
}

int
main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } situations[] = {
        {"after", after},           {"alone", alone},       {"barrier", barrier},
        {"before", before},         {"critical", critical}, {"four", four},
        {"inner-over", inner_over}, {"join", join},         {"many", many},
        {"mixed", mixed},           {"nested", nested},     {"roots", roots},
        {"serialised", serialised}, {"shrunk", shrunk},     {"tasks", tasks},
    };
    for (size_t i = 0; argc == 2 && i < sizeof(situations) / sizeof(situations[0]); i++)
        if (strcmp(argv[1], situations[i].name) == 0)
            situations[i].run();
    fprintf(stderr, "usage: omp_park SITUATION\n");
    return 2;
}
