// SPDX-License-Identifier: BSD-3-Clause
// A program whose OpenMP threads work for ever with all that makes them wait, and write down in a
// file, which they share with the test, where they are: for stops at any moment.
//
// Usage: busy FILE. What a thread is sure of stands there: who it is in its team while it executes
// the region, and that it has a lock between taking it and giving it back.
#include "tests/omp/busy.h"

#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static omp_lock_t locks[BUSY_LOCKS];
static omp_nest_lock_t nest_lock;
static struct busy_record *record;

static pthread_key_t ends; // GNU's runtime has new threads for each nested region

static void
give_back(void *own)
{
    atomic_store(&((struct busy_thread *) own)->tid, 0);
}

static struct busy_thread *
own_record(void)
{
    static _Thread_local struct busy_thread *own;
    int tid = (int) syscall(SYS_gettid);
    for (size_t i = 0; !own; i = (i + 1) % BUSY_THREADS) {
        int none = 0;
        if (atomic_compare_exchange_strong(&record->threads[i].tid, &none, tid))
            own = &record->threads[i];
    }
    pthread_setspecific(ends, own);
    return own;
}

// The calling thread is in a region of the program, or not sure to be: between the two nothing is
// true.
static void
enter(void)
{
    struct busy_thread *own = own_record();
    own->num = omp_get_thread_num();
    own->size = omp_get_num_threads();
    own->level = omp_get_level();
    atomic_store(&own->in_region, 1);
}

static void
leave(void)
{
    atomic_store(&own_record()->in_region, 0);
}

static void
compute(unsigned *seed)
{
    for (volatile unsigned i = (unsigned) rand_r(seed) % 100000; i > 0; i--) {
    }
}

// What is only done by a thread that has what one thread at a time has.
static void
compute_as_owner(int number, unsigned *seed)
{
    atomic_store(&record->owners[number].tid, own_record()->tid);
    compute(seed);
    atomic_store(&record->owners[number].tid, 0);
}

static void
use_lock(unsigned *seed)
{
    int number = rand_r(seed) % BUSY_LOCKS;
    omp_set_lock(&locks[number]);
    compute_as_owner(number, seed);
    omp_unset_lock(&locks[number]);
}

static void
use_nest_lock(unsigned *seed)
{
    omp_set_nest_lock(&nest_lock);
    omp_set_nest_lock(&nest_lock);
    compute_as_owner(BUSY_NEST_LOCK, seed);
    omp_unset_nest_lock(&nest_lock);
    omp_unset_nest_lock(&nest_lock);
}

static void
use_critical(unsigned *seed)
{
#pragma omp critical(busy)
    compute_as_owner(BUSY_CRITICAL, seed);
}

static void
use_tasks(unsigned *seed)
{
    for (int i = 0; i < 4; i++) {
        unsigned own = (unsigned) rand_r(seed);
#pragma omp task firstprivate(own)
        compute(&own);
    }
#pragma omp taskwait
}

static void
use_group(unsigned *seed)
{
    unsigned own = (unsigned) rand_r(seed);
#pragma omp taskgroup
    {
#pragma omp task firstprivate(own)
        compute(&own);
    }
}

static void (*const alone[])(unsigned *) = {use_lock,     use_nest_lock, use_lock,  use_nest_lock,
                                            use_critical, use_tasks,     use_group, compute};

static void
use_barrier(unsigned *seed)
{
    compute(seed);
#pragma omp barrier
}

static void
use_ordered(unsigned *seed)
{
#pragma omp for ordered schedule(dynamic)
    for (int i = 0; i < 6; i++) {
        compute(seed);
#pragma omp ordered
        compute(seed);
    }
}

static void
use_single(unsigned *seed)
{
#pragma omp single
    use_tasks(seed);
}

static void
use_inner(unsigned *seed)
{
    leave();
#pragma omp parallel num_threads(2)
    {
        unsigned own = *seed + (unsigned) omp_get_thread_num();
        enter();
        use_lock(&own);
        compute(&own);
        leave();
    }
    enter();
}

// What all threads of the team do in the same turn.
static void
use_together(unsigned turn, unsigned *seed)
{
    static void (*const together[])(unsigned *) = {use_barrier, use_ordered, use_barrier,
                                                   use_single,  use_ordered, use_inner};
    together[turn % (sizeof together / sizeof together[0])](seed);
}

static void
work(unsigned round)
{
#pragma omp parallel num_threads(4)
    {
        unsigned seed = round * 4 + (unsigned) omp_get_thread_num();
        enter();
        for (unsigned turn = 0; turn < 20; turn++) {
            for (unsigned i = 0; i < 8; i++)
                alone[(unsigned) rand_r(&seed) % (sizeof alone / sizeof alone[0])](&seed);
            use_together(turn + round, &seed);
        }
        leave();
    }
}

int
main(int argc, char **argv)
{
    int file = argc == 2 ? open(argv[1], O_RDWR) : -1;
    if (file < 0 || ftruncate(file, sizeof *record) != 0)
        return 2;
    record = mmap(NULL, sizeof *record, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (record == MAP_FAILED)
        return 2;
    pthread_key_create(&ends, give_back);
    omp_set_max_active_levels(2);
    for (int i = 0; i < BUSY_LOCKS; i++) {
        omp_init_lock(&locks[i]);
        record->owners[i].address = (uintptr_t) &locks[i];
    }
    omp_init_nest_lock(&nest_lock);
    record->owners[BUSY_NEST_LOCK].address = (uintptr_t) &nest_lock;
    for (unsigned round = 0;; round++)
        work(round);
}
