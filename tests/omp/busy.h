// SPDX-License-Identifier: BSD-3-Clause
// The record that a busy program shares with its test, which reads it as it lies in the file.
#ifndef TESTS_OMP_BUSY_H
#define TESTS_OMP_BUSY_H

#include <stdatomic.h>
#include <stdint.h>

// What one thread at a time has: locks, the nestable one, the critical construct, which has no
// address.
enum {
    BUSY_LOCKS = 2,
    BUSY_NEST_LOCK = BUSY_LOCKS,
    BUSY_CRITICAL,
    BUSY_OWNERS,
    BUSY_THREADS = 256
};

struct busy_record {
    struct busy_owner {
        uint64_t address; // of the lock
        atomic_int tid;   // who has it for certain; 0: not known
        int32_t unused;
    } owners[BUSY_OWNERS];
    struct busy_thread {
        atomic_int tid;           // 0: of no thread
        int32_t num, size, level; // of its innermost region
        atomic_int in_region;     // 1: the three are true
    } threads[BUSY_THREADS];
};

#endif
