// SPDX-License-Identifier: BSD-3-Clause
// Starts omp_park and takes down what its threads say of themselves.
#ifndef TESTS_OMP_PARK_H
#define TESTS_OMP_PARK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

enum { PARK_THREADS = 256 };

struct park_thread {
    enum { PARK_WORKS, PARK_WAITS, PARK_IDLE } does;
    int64_t tid;
    uint64_t pthread;
    int64_t num, size, level, active; // unless idle
};

struct park {
    pid_t pid;
    FILE *output; // of the process
    int input;
    unsigned n_threads;
    struct park_thread threads[PARK_THREADS];
};

/** Finds the runtime with symbols, which may take a while the first time. @return false: says why
 */
bool park_find_builds(void);

/** Starts the program and waits until it has parked.
 * @param debug on the runtime with symbols, instead of the distribution's
 */
bool park_start(struct park *park, const char *situation, bool debug);

/** Starts a program without OpenMP. */
bool park_start_other(struct park *park);

/** Lets the program go on to where it parks next, and takes that down instead. */
bool park_go_on(struct park *park);

/** Ends the program. */
void park_stop(struct park *park);

#endif
