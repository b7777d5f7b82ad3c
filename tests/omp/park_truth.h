// SPDX-License-Identifier: BSD-3-Clause
// The records in which omp_park writes down the truth: shared by the program, which fills them, and
// the tests, which read them.
#ifndef TESTS_OMP_PARK_TRUTH_H
#define TESTS_OMP_PARK_TRUTH_H

#include <stddef.h>
#include <stdint.h>

enum { PARK_THREADS = 256, PARK_TASKS = 64, PARK_LOCKS = 8, PARK_LEVELS = 8, PARK_DEPTH = 16 };

enum park_does {
    PARK_WORKS, // executes code of the program
    PARK_WAITS, // in a region, inside of the runtime, for other threads
    PARK_IDLE   // in no region: waits for work in the pool
};

enum park_wait {
    PARK_NOTHING,
    PARK_BARRIER,   // a barrier construct
    PARK_WORKSHARE, // the barrier that ends a worksharing construct
    PARK_JOIN,      // the barrier that ends a region
    PARK_TASKWAIT,
    PARK_TASKGROUP,
    PARK_CRITICAL,
    PARK_LOCK,
    PARK_NEST_LOCK,
    PARK_ORDERED,
    PARK_COPYPRIVATE, // values of the thread that executes a single construct
    PARK_DOACROSS,    // an iteration that its own depends on
    PARK_DEPEND       // a task that an undeferred one depends on
};

enum park_task_does {
    PARK_TASK_QUEUED,
    PARK_TASK_RUNS,
    PARK_TASK_IN_TASKWAIT, // also when its thread executes another task meanwhile
    PARK_TASK_IN_TASKGROUP,
    PARK_TASK_HELD_UP, // until an undeferred task or a region is over
    PARK_TASK_COMPLETE // never written down
};

#define RECORD(kind)          struct park_##kind {
#define NUMBER(kind, name)    int64_t name;
#define ADDRESS(kind, name)   uint64_t name;
#define NUMBERS(kind, name)   int64_t name[PARK_LEVELS];
#define ADDRESSES(kind, name) uint64_t name[PARK_LEVELS];
#define END(kind) \
    }             \
    ;
#include "tests/omp/park_truth.def"
#undef RECORD
#undef NUMBER
#undef ADDRESS
#undef NUMBERS
#undef ADDRESSES
#undef END

/** A field as it is written and read. */
struct park_field {
    const char *name;
    size_t offset;
    unsigned count; // of 64-bit values
    int base;       // 10: signed; 16
};

struct park_kind {
    const char *name;
    unsigned n_fields;
    const struct park_field *fields;
};

extern const struct park_kind park_thread_kind, park_task_kind, park_lock_kind,
    park_ompt_thread_kind, park_ompt_region_kind, park_ompt_task_kind;

#endif
