// SPDX-License-Identifier: BSD-3-Clause
// The suites of check_omp, and a made-up process under test.
#ifndef TESTS_OMP_CHECK_OMP_H
#define TESTS_OMP_CHECK_OMP_H

#include "ompd-bridge/exports/omp_session.h"
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
    enum status tail; // what came after the last thread
    unsigned n_notes;
};

/** Asks for everything about `fake`; fails the test when memory is lost on the way. */
struct omp_answers omp_ask(void);

/** Makes `fake` a LE64 process without names, in one region. */
void omp_start(void);

/** Stores a field of a team. */
void omp_put_team(taddr team, enum published_entry field, size_t width, uint64_t value);

/** Says that a thread is in another team. */
void omp_put_threads_team(unsigned thread, taddr team);

/** Path of the distribution's OMPD library; fails the test when there is none. */
const char *omp_real_library(void);

/** The cases of check_omp_damage.c, as often as they are wanted. */
TCase *omp_damaged(const char *name);

Suite *suite_builtin(void);
Suite *suite_intel(void);
Suite *suite_native(void);
Suite *suite_nptl(void);
Suite *suite_table(void);
Suite *suite_threads(void);
Suite *suite_trust(void);

#endif
