// SPDX-License-Identifier: BSD-3-Clause
// What Intel's OpenMP runtime, a relative of LLVM's, says of itself to debuggers.
#ifndef OMPD_BRIDGE_LLVM_INTEL_H
#define OMPD_BRIDGE_LLVM_INTEL_H

#include "target/inferior.h"

enum { INTEL_RELEASE_MAX = 32 };

struct intel {
    taddr threads;                   // address of the pointer to the array of threads
    taddr capacity;                  // address of the number of its places
    int64_t version;                 // of OpenMP, yyyymm
    uint64_t queues;                 // offset of a task team's pointer to its queues
    char release[INTEL_RELEASE_MAX]; // "5.0.20231107": the last number is the day of the build
};

/** Whether the process has such a runtime; looks up one symbol. @return STATUS_ABSENT */
CHECKED enum status intel_detect(struct inferior *inf, taddr *ret_table);

/** Reads it, also before OpenMP has started.
 * @return STATUS_ABSENT when it is another runtime; STATUS_CORRUPT when what is there makes no
 * sense; STATUS_UNREADABLE */
CHECKED enum status intel_find(struct inferior *inf, struct intel *ret);

#endif
