// SPDX-License-Identifier: BSD-3-Clause
// Starts omp_park and takes down what its threads say of themselves.
//
// The names of the situations are in omp_park_*.c; `omp_park --list` prints them. What each member
// of a record means stands in park_truth.def.
#ifndef TESTS_OMP_PARK_H
#define TESTS_OMP_PARK_H

#include "tests/omp/park_truth.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

enum { PARK_OMPT_REGIONS = 1024, PARK_OMPT_TASKS = 2048 };

struct park {
    pid_t pid;
    FILE *output; // of the process
    int input;
    // The records. There are ompt records only if a tool is at work.
    unsigned n_threads, n_tasks, n_locks, n_ompt_threads, n_ompt_regions, n_ompt_tasks;
    struct park_thread threads[PARK_THREADS];
    struct park_task tasks[PARK_TASKS];
    struct park_lock locks[PARK_LOCKS];
    struct park_ompt_thread ompt_threads[PARK_THREADS];
    struct park_ompt_region ompt_regions[PARK_OMPT_REGIONS];
    struct park_ompt_task ompt_tasks[PARK_OMPT_TASKS];
    char affinity_format[256]; // "" before OpenMP has started
};

/** What to start. */
struct park_choice {
    const char *program;   // path of omp_park or omp_park_gomp
    const char *situation; // one that the program knows
    const char *library;   // folder of the runtime; NULL: the distribution's
    bool tool;             // with an OMPT tool
};

/** Builds or unpacks a target of tests/targets, which may take a while the first time.
 * @param size of `ret`, which gets the folder of its libraries
 * @return false: says why on standard error
 */
bool park_find_library(const char *target, size_t size, char *ret);

/** Finds the runtime with symbols for park_start(). @return false: says why */
bool park_find_builds(void);

/** Sets a variable of the environment. @param value NULL: removes it */
void park_set_variable(const char *name, const char *value);

/** Starts a program and waits until it has parked. The environment is the caller's, but for what
 * the choice says. */
bool park_start_choice(struct park *park, const struct park_choice *choice);

/** Starts omp_park (OMP_PARK) and waits until it has parked.
 * @param debug on the runtime with symbols, instead of the distribution's
 */
bool park_start(struct park *park, const char *situation, bool debug);

/** Starts a program without OpenMP. */
bool park_start_other(struct park *park);

/** Lets the program go on to where it parks next ("before", "ends", "paused"), and takes that down
 * instead.
 */
bool park_go_on(struct park *park);

/** Ends the program. */
void park_stop(struct park *park);

/** Whether the process has mapped that file, whatever symbolic links lead to it. */
bool park_maps(const struct park *park, const char *file);

/** @return NULL: there is no such record; the same for the next ones */
const struct park_thread *park_thread_of(const struct park *park, int64_t tid);
const struct park_task *park_task_of(const struct park *park, int64_t id);
const struct park_ompt_thread *park_ompt_thread_of(const struct park *park, int64_t tid);
/** @param depth 0: the innermost, or the one that the thread executes */
const struct park_ompt_region *
park_ompt_region_of(const struct park *park, int64_t tid, int64_t depth);
const struct park_ompt_task *park_ompt_task_of(const struct park *park, int64_t tid, int64_t depth);

/** Whether two threads, neither idle, are in one and the same region at that level: they come from
 * the same root, by way of the same threads. Level 0 is the implicit region of the root. */
bool park_same_region(const struct park_thread *a, const struct park_thread *b, int level);

/** The explicit tasks of the team in which the thread is. @param does of which to count */
unsigned park_count_tasks(const struct park *park, const struct park_thread *thread,
                          enum park_task_does does);

#endif
