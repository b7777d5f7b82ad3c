// SPDX-License-Identifier: BSD-3-Clause
// The functions of the OpenMP runtimes that programs call: what a thread in one waits for.
#ifndef MQSHOW_BASE_OMP_CALLS_H
#define MQSHOW_BASE_OMP_CALLS_H

#include <stdbool.h>

/** What a thread waits for. */
enum omp_wait_kind {
    OMP_WAITS_LOCK,
    OMP_WAITS_NEST_LOCK,
    OMP_WAITS_CRITICAL,
    OMP_WAITS_ATOMIC,
    OMP_WAITS_REDUCTION, // to combine its part, where the runtime does so one thread at a time
    OMP_WAITS_ORDERED,
    OMP_WAITS_DOACROSS,    // iterations that its own depends on
    OMP_WAITS_COPYPRIVATE, // values of the thread that executes the single construct
    OMP_WAITS_BARRIER,     // the state says which
    OMP_WAITS_TASKWAIT,
    OMP_WAITS_TASKGROUP,
    OMP_WAITS_DEPEND, // tasks that depend clauses name
    OMP_WAITS_TASK    // an undeferred task
};

/** When a thread in a call waits. */
enum omp_call_waits {
    OMP_NEVER,      // at most for a moment
    OMP_ALWAYS,     // the call lasts as long as there is something to wait for
    OMP_IF_BLOCKED, // when it sleeps or spins
    OMP_IF_HELD,    // likewise, and the lock is held
    OMP_AT_END      // when it is at the end of the region that the call has begun
};

struct omp_call {
    const char *name;
    enum omp_call_waits waits;
    enum omp_wait_kind kind;
    const char *state;  // OMPD's
    unsigned object_at; // which argument, from 1, has the address of the lock; 0: none
    unsigned unless_at; // an argument: the call waits only where that is known to be 0; 0: none
    bool or_barrier;    // where the lock is free, the call waits for the other threads of the team
    bool location;      // the first argument says where it was called, and which barrier it is
    bool takes, ends; // its caller holds the lock, or is in the construct, from when it returns; it
                      // does not any more
    bool one_lock;    // there is one lock for all of these constructs
};

/** The line of a function, by its symbol; NULL: there is none. */
const struct omp_call *omp_call_find(const char *symbol);

#endif
