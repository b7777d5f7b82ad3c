// SPDX-License-Identifier: BSD-3-Clause
// Shared by the tests of the reader of GNU's runtime.
#ifndef TESTS_OMP_CHECK_GOMP_H
#define TESTS_OMP_CHECK_GOMP_H

#include "ompd-bridge/gnu/libgomp.h"
#include "tests/omp/live_host.h"
#include "tests/omp/park.h"

#include <check.h>

/** A parked process, read. */
struct gomp_subject {
    struct park park;
    struct live_host host;
    struct inferior inf;
    struct diagnostics diagnostics;
    struct backend_state *state; // NULL: could not be opened
};

/** Compares all that the reader tells with all that the program recorded. */
void gomp_compare(struct gomp_subject *test);

/** Those of a thread's task, and of its region's tasks. */
void gomp_compare_task(struct gomp_subject *test, const struct park_thread *thread,
                       const struct omp_object *task);
void gomp_compare_counts(struct gomp_subject *test, const struct park_thread *thread);

/** The region of a thread at a level, found from the innermost outwards. */
struct omp_object
gomp_region_at(struct gomp_subject *test, const struct park_thread *thread, int64_t level);

/** Fails unless the control variable has this value. */
void gomp_check_value(struct gomp_subject *test, const char *name, const struct omp_object *object,
                      int64_t wanted);

/** Asks all that can be asked of all threads, regions and tasks; each walk must end. */
void gomp_ask_everything(struct gomp_subject *test);

/** The live host, with the types of a library's debug information. @param library its file */
struct target gomp_typed_target(struct live_host *host, const char *library);
void gomp_forget_types(void);

/** Value of a control variable by name, of an object of its scope. */
ompd_rc_t gomp_value(struct gomp_subject *test, const char *name, const struct omp_object *object,
                     ompd_word_t *ret);

/** Suites of the other files. */
TCase *gomp_code_cases(void);
TCase *gomp_hostile_cases(void);

#endif
