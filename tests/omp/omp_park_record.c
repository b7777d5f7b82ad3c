// SPDX-License-Identifier: BSD-3-Clause
// Threads, tasks and locks record themselves.
#include "tests/omp/omp_park.h"

#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct park_thread thread_records[PARK_THREADS];
struct park_task task_records[PARK_TASKS];
struct park_lock lock_records[PARK_LOCKS];
atomic_int n_thread_records, n_task_records, n_lock_records;

static _Thread_local struct park_thread *mine;
static atomic_int n_recorded; // completely

static int
take(atomic_int *used, int count, int size)
{
    int first = atomic_fetch_add(used, count);
    if (first + count <= size)
        return first;
    fprintf(stderr, "omp_park: too many records\n");
    abort();
}

void
allow_levels(int levels)
{
    omp_set_max_active_levels(levels);
#if !defined __clang__ && _OPENMP < 201811
    omp_set_nested(1); // before OpenMP 5.0 the number of levels is not enough
#endif
}

static uint64_t
number_of(const void *address)
{
    return (uint64_t) (uintptr_t) address;
}

__attribute__((noinline)) struct scope
scope_in(const struct scope *outer)
{
    return (struct scope){.outer = outer,
                          .code = number_of(__builtin_return_address(0)),
                          .root = outer ? outer->root : 0};
}

// Where the thread is among regions.
static void
record_place(struct park_thread *r, const struct scope *in)
{
    r->num = omp_get_thread_num();
    r->size = omp_get_num_threads();
    r->level = omp_get_level();
    r->active = omp_get_active_level();
    r->in_parallel = omp_in_parallel();
    r->root = in ? in->root : 0;
    for (int level = omp_get_level(); level >= 0 && level < PARK_LEVELS; level--) {
        r->nums[level] = omp_get_ancestor_thread_num(level);
        r->sizes[level] = omp_get_team_size(level);
        r->code[level] = in ? in->code : 0;
        in = in ? in->outer : NULL;
        r->generators[level] = in ? in->task : 0;
    }
    // A region that an explicit task makes has implicit tasks of its own.
    if (r->task != 0 && task_records[r->task - 1].level != r->level)
        r->task = r->implicit = 0;
}

static void
record_icvs(struct park_thread *r)
{
    omp_sched_t kind;
    int chunk;
    omp_get_schedule(&kind, &chunk);
    r->sched = (int64_t) (int) kind;
    r->chunk = chunk;
    r->final = omp_in_final();
    r->nthreads = omp_get_max_threads();
    r->dyn = omp_get_dynamic();
    r->max_active_levels = omp_get_max_active_levels();
    r->thread_limit = omp_get_thread_limit();
    r->bind = (int64_t) omp_get_proc_bind();
    r->default_device = omp_get_default_device();
    r->cancel = omp_get_cancellation();
    r->max_task_priority = omp_get_max_task_priority();
    r->num_procs = omp_get_num_procs();
}

static void
record(const struct scope *in, enum park_does does, enum park_wait wait, const void *lock)
{
    bool first = mine == NULL;
    if (first)
        mine = &thread_records[take(&n_thread_records, 1, PARK_THREADS)];
    mine->does = (int64_t) does;
    mine->tid = gettid();
    mine->pthread = (uint64_t) pthread_self();
    mine->waits = (int64_t) wait;
    mine->lock = number_of(lock);
    if (does != PARK_IDLE) {
        record_place(mine, in);
        record_icvs(mine);
    }
    if (first)
        atomic_fetch_add(&n_recorded, 1);
}

__attribute__((noinline)) void
record_here(const struct scope *in)
{
    record(in, PARK_WORKS, PARK_NOTHING, NULL);
    mine->stack = number_of(__builtin_frame_address(0));
}

__attribute__((noinline)) void
record_wait(const struct scope *in, enum park_wait wait, const void *lock)
{
    record(in, PARK_WAITS, wait, lock);
    mine->stack = number_of(__builtin_frame_address(0));
}

void
record_idle(void)
{
    record(NULL, PARK_IDLE, PARK_NOTHING, NULL);
}

void
record_implicit(enum park_wait wait)
{
    mine->implicit = (int64_t) wait;
}

void
record_lock(enum park_wait kind, const void *lock, int count)
{
    lock_records[take(&n_lock_records, 1, PARK_LOCKS)] =
        (struct park_lock){(int64_t) kind, number_of(lock), gettid(), count};
}

void
await_records(int threads)
{
    while (atomic_load(&n_recorded) < threads)
        usleep(1000);
}

void
await_flag(atomic_int *flag)
{
    while (!atomic_load(flag))
        usleep(1000);
}

int
tasks_made(int parent, unsigned flags, int count)
{
    int first = take(&n_task_records, count, PARK_TASKS);
    for (int i = first; i < first + count; i++)
        task_records[i] = (struct park_task){.id = i + 1,
                                             .does = PARK_TASK_QUEUED,
                                             .creator = gettid(),
                                             .parent = parent,
                                             .level = omp_get_level(),
                                             .untied = (flags & TASK_UNTIED) != 0,
                                             .undeferred = (flags & TASK_UNDEFERRED) != 0};
    return first + 1;
}

int
task_made(int parent, unsigned flags)
{
    return tasks_made(parent, flags, 1);
}

__attribute__((noinline)) void
task_runs(int id, const struct scope *in)
{
    struct park_task *task = &task_records[id - 1];
    record_here(in);
    task->code = number_of(__builtin_return_address(0));
    task->stack = mine->stack;
    task->tid = gettid();
    task->final = omp_in_final();
    task->under = mine->task;
    task->does = PARK_TASK_RUNS;
    mine->task = id;
}

void
task_is(int id, enum park_task_does does)
{
    task_records[id - 1].does = (int64_t) does;
}

void
task_ends(int id)
{
    task_is(id, PARK_TASK_COMPLETE);
    mine->task = task_records[id - 1].under;
}
