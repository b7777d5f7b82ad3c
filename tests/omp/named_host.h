// SPDX-License-Identifier: BSD-3-Clause
// A host that names what a stripped LLVM runtime does not, so that its OMPD library can read it.
//
// The places come from the native reader, which finds them without names.
#ifndef TESTS_OMP_NAMED_HOST_H
#define TESTS_OMP_NAMED_HOST_H

#include "ompd-bridge/llvm/kmp.h"
#include "tests/omp/live_host.h"

struct named_host {
    struct live_host live; // first: the functions of a live host take this as one
    bool tracks;           // the runtime keeps states, whatever it says; false at first
    struct inferior inf;
    struct kmp kmp; // of the runtime; no inferior: it was not found
};

/** Finds the runtime. The live host is set up. @return false: it is not at work */
bool named_host_init(struct named_host *host);

void named_host_deinit(struct named_host *host);

struct target named_host_target(struct named_host *host);

#endif
