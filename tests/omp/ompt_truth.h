// SPDX-License-Identifier: BSD-3-Clause
// An OMPT tool inside of omp_park, at work when the environment has OMPT_TRUTH.
#ifndef TESTS_OMP_OMPT_TRUTH_H
#define TESTS_OMP_OMPT_TRUTH_H

#include "tests/omp/park_truth.h"

/** Makes each of the threads ask the runtime about itself, and prints the answers; prints nothing
 * when no tool is at work. Absent (NULL) where the runtime has no OMPT.
 * @param threads that the runtime has; all but the calling one park or wait */
__attribute__((weak)) void ompt_truth_print(const struct park_thread *threads, int n_threads);

#endif
