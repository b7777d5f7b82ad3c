// SPDX-License-Identifier: BSD-3-Clause
// The suites of check_omp, and a made-up process under test.
#ifndef TESTS_OMP_CHECK_OMP_H
#define TESTS_OMP_CHECK_OMP_H

#include "ompd-bridge/hybrid.h"
#include "tests/omp/fake_kmp.h"

#include <check.h>

enum { OMP_MODELS = 4 };

/** LE64, BE64, LE32, BE32. */
extern const struct datamodel omp_models[OMP_MODELS];

/** The process under test; each test starts with a fresh one. */
extern struct fake_kmp fake;

/** What came out of asking for everything once. */
struct omp_answers {
    enum status has;
    char message[320]; // "" when there was none
    enum status setup;
    unsigned n_threads;
    mqs_omp_thread threads[64];
    unsigned n_notes;
};

/** Asks for everything about `fake`; fails the test when memory is lost on the way. */
struct omp_answers omp_ask(void);

/** Path of the distribution's OMPD library; fails the test when there is none. */
const char *omp_real_library(void);

Suite *suite_table(void);
Suite *suite_threads(void);
Suite *suite_trust(void);

#endif
