// SPDX-License-Identifier: BSD-3-Clause
// OpenMP in a process that does not exist.
#ifndef TESTS_SHOW_FAKE_SCENES_H
#define TESTS_SHOW_FAKE_SCENES_H

#include "mqs_omp.h"

#include <stdbool.h>
#include <sys/types.h>

enum { FAKE_MAX = 100 };

/** The scene, and how far the iterators are. */
extern struct fake {
    mqs_omp_thread threads[FAKE_MAX];
    mqs_omp_region regions[FAKE_MAX];
    mqs_omp_task tasks[FAKE_MAX];
    int n_threads, n_regions, n_tasks;
    int next_thread, next_region, next_task, next_icv, icv_scope, icv_number;
} fake;

/** Makes a scene. @return whether there is one of that name */
bool fake_make(const char *name);

/** Takes memory, untouched, until there is no more, and says so. */
void fake_eat(void);

/** Whether this process may start others, as one that reads symbols for others may. */
bool fake_may_start(void);

/** Tries what reading does not need: with the process, and with a file. */
void fake_try(pid_t victim, const char *file);

#endif
