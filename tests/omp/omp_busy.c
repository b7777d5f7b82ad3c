// SPDX-License-Identifier: BSD-3-Clause
// A program whose threads take and release locks of all kinds without end, and write down who has
// which.
//
// Usage: omp_busy THREADS. It prints where it writes that down, int[], and for each place its name
// and the address of the lock, 0: the program cannot know; and goes on until it is killed. While a
// lock is taken or released its place is 0.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { LOCKS = 3, NESTED = 2, NAMED = LOCKS + NESTED, UNNAMED, PLACES, STEPS = 3000 };

static omp_lock_t locks[LOCKS];
static omp_nest_lock_t nested[NESTED];
static volatile int owners[PLACES];
static volatile unsigned done;

static __attribute__((noinline)) void
work(unsigned seed)
{
    for (unsigned i = seed % STEPS; i > 0; i--)
        done = done + i;
}

static __attribute__((noinline)) void
own(unsigned place, unsigned seed)
{
    owners[place] = gettid();
    work(seed);
    owners[place] = 0;
}

static void
take_nested(unsigned place, unsigned seed)
{
    omp_nest_lock_t *lock = &nested[place - LOCKS];
    omp_set_nest_lock(lock);
    owners[place] = gettid();
    omp_set_nest_lock(lock);
    work(seed);
    omp_unset_nest_lock(lock);
    own(place, seed / 2);
    omp_unset_nest_lock(lock);
}

static void
take(unsigned place, unsigned seed)
{
    if (place < LOCKS) {
        omp_set_lock(&locks[place]);
        own(place, seed);
        omp_unset_lock(&locks[place]);
    } else if (place < NAMED) {
        take_nested(place, seed);
    } else if (place == NAMED) {
#pragma omp critical(named)
        own(place, seed);
    } else if (place == UNNAMED) {
#pragma omp critical
        own(place, seed);
    } else {
        work(seed);
    }
}

static void
print_places(void)
{
    printf("%p", (void *) owners);
    for (int i = 0; i < LOCKS; i++)
        printf(" lock%d=%p", i, (void *) &locks[i]);
    for (int i = 0; i < NESTED; i++)
        printf(" nested%d=%p", i, (void *) &nested[i]);
    puts(" named=0 unnamed=0");
    fflush(stdout);
}

int
main(int argc, char **argv)
{
    int threads = argc == 2 ? atoi(argv[1]) : 2;
    for (int i = 0; i < LOCKS; i++)
        omp_init_lock(&locks[i]);
    for (int i = 0; i < NESTED; i++)
        omp_init_nest_lock(&nested[i]);
#pragma omp parallel num_threads(threads)
    {
        unsigned seed = (unsigned) omp_get_thread_num();
#pragma omp single
        print_places();
        for (;;) {
            seed = seed * 1103515245 + 12345;
            take((seed >> 16) % (PLACES + 1), seed >> 8);
        }
    }
}
