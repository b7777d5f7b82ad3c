// SPDX-License-Identifier: BSD-3-Clause
// A debugger with OMPD's callbacks that counts its reads, and the process that it looks at.
#ifndef BENCH_OMPD_HOST_H
#define BENCH_OMPD_HOST_H

#include "ompd-bridge/ompd.h"
#include "tests/omp/live_host.h"

enum { THREADS = 128 };

extern struct live_host host;

// The process's OpenMP threads, and the numbers that the runtime has given them.
extern uint64_t pthreads[THREADS];
extern uint32_t gtids[THREADS];
extern unsigned n_threads;

/** The callbacks; any context is that process. */
extern const ompd_callbacks_t host_callbacks;

/** Starts a program on the OpenMP runtime of that folder, and waits until it says that it is ready.
 * @return -1: it does not
 */
pid_t host_start(const char *program, const char *libraries);

#endif
