// SPDX-License-Identifier: BSD-3-Clause
// Parked processes that are read, on every build of LLVM's runtime.
#ifndef TESTS_OMP_SUBJECT_H
#define TESTS_OMP_SUBJECT_H

#include "ompd-bridge/exports/omp_session.h"
#include "tests/omp/live_host.h"
#include "tests/omp/park.h"

enum { SUBJECT_SETTINGS = 3, SUBJECTS = 2 };

/** A parked process, read. */
struct subject {
    const char *situation;
    struct park park;
    struct live_host host;
    struct inferior inf;
    struct omp_session *omp;
    mqs_omp_thread threads[PARK_THREADS];
    unsigned n_threads, build;
};

/** Finds the libraries of all builds. @return false: says why */
bool subject_find_libraries(void);

/** How many builds are to be tested; the stock one is the first. */
unsigned subject_builds(void);

/** Starts a program and attaches; fails the test when it cannot.
 * @param number of the subject, below SUBJECTS
 * @param build  below subject_builds(): the stock one, the debug build, that one as if it were
 * stripped, and further releases
 */
struct subject *
subject_start(unsigned number, const char *situation, unsigned build, unsigned setting);

/** Starts one without OpenMP. */
struct subject *subject_start_other(unsigned number);

/** Whose runtime it is, as the reader names it. */
const char *subject_runtime(const struct subject *subject);

/** The built-in layout that the runtime is read by; NULL: it publishes one, and tracks states on
 * request. */
const char *subject_layout(const struct subject *subject);

/** Whether the runtime tracks states with a setting of the environment. */
bool subject_tracks(const struct subject *subject, unsigned setting);

/** Ends all; fails the test when memory is lost. */
void subject_stop_all(void);

/** Takes down the threads. */
void subject_list_threads(struct subject *subject);

#endif
