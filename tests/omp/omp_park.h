// SPDX-License-Identifier: BSD-3-Clause
// How the situations of omp_park record what their threads and tasks do.
//
// A situation ends with one thread that calls report(), when all others have recorded themselves
// and either park or wait inside of the runtime. Only that thread goes on, to park as well.
#ifndef TESTS_OMP_OMP_PARK_H
#define TESTS_OMP_OMP_PARK_H

#include "tests/omp/park_truth.h"

#include <stdatomic.h>
#include <stdbool.h>

/** A region as its threads know it; on the stack of each of them. */
struct scope {
    const struct scope *outer; // NULL: the initial thread's
    uint64_t code;             // inside of the region's function
    int root;                  // number of the initial thread
    int task;                  // the explicit task that goes on to make regions; 0: none
};

/** To be called in the function of a region itself, first. @param outer where it was encountered,
 * NULL: by the first initial thread */
struct scope scope_in(const struct scope *outer);

/** The calling thread works, in the region. @param in NULL: in none */
void record_here(const struct scope *in);
/** The calling thread is about to wait. */
void record_wait(const struct scope *in, enum park_wait wait, const void *lock);
/** The calling thread is about to have no region. */
void record_idle(void);
/** The implicit task of the calling thread is about to be held up. */
void record_implicit(enum park_wait wait);
/** The calling thread has a lock. @param lock NULL: not known */
void record_lock(enum park_wait kind, const void *lock, int count);

/** Lets that many regions be active inside of each other. */
void allow_levels(int levels);

/** Waits until so many threads have recorded themselves. */
void await_records(int threads);
/** Waits until a flag is set. */
void await_flag(atomic_int *flag);

enum { TASK_UNTIED = 1, TASK_UNDEFERRED = 2 };

/** Makes records of tasks which the calling thread is about to make.
 * @param parent id of the task that makes them, 0: the implicit task
 * @return the id of the first; the others follow */
int tasks_made(int parent, unsigned flags, int count);
int task_made(int parent, unsigned flags);
/** To be called in the function of a task itself, first. */
void task_runs(int id, const struct scope *in);
void task_is(int id, enum park_task_does does);
/** To be called last in a task that ends. */
void task_ends(int id);

/** Waits for a signal that ends the process. */
_Noreturn void park(void);
/** Waits until the others have come to rest, and prints all records. */
void print_records(void);
_Noreturn void report(void);
/** Each of `expected` threads or tasks calls this once when it has recorded itself; the last one
 * reports. */
_Noreturn void arrive(int expected);
/** Records the thread, and arrives. */
_Noreturn void arrive_here(const struct scope *in, int expected);

/** All records; for omp_park_print.c. */
extern struct park_thread thread_records[PARK_THREADS];
extern struct park_task task_records[PARK_TASKS];
extern struct park_lock lock_records[PARK_LOCKS];
extern atomic_int n_thread_records, n_task_records, n_lock_records;
void print_record(const struct park_kind *kind, const void *record);

struct situation {
    const char *name;
    void (*run)(int argument);
    int argument;
    const char *const *environment; // "NAME=VALUE", NULL at the end; NULL: as it is
};
/** In each, an entry without a name ends the table. */
extern const struct situation region_situations[], wait_situations[], more_wait_situations[],
    task_situations[], held_up_situations[];

#endif
