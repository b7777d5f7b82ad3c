// SPDX-License-Identifier: BSD-3-Clause
// The native reader over the process under test, without anything above it.
#ifndef TESTS_OMP_NATIVE_H
#define TESTS_OMP_NATIVE_H

#include "ompd-bridge/exports/omp_snapshot.h"
#include "tests/omp/check_omp.h"

struct native {
    struct inferior inf;
    struct diagnostics diagnostics;
    struct reader reader; // open, or no backend
    struct omp_snapshot snapshot;
    enum status opened, taken;
};

extern struct native native;

/** Opens the reader on `fake` and takes a snapshot. */
void native_start(void);

/** Closes it; fails the test when memory is lost. Fine when nothing is open. */
void native_stop(void);

/** Asks every question about every object, and about objects that never were. Answers may be
 * anything; they must come. @return a count of those that were ompd_rc_ok */
unsigned native_ask_all(void);

/** The control variable of that name. */
const struct omp_icv *native_icv(const char *name);

/** Value of a control variable of that name; fails the test when there is none. */
ompd_word_t native_value(const struct omp_object *object, const char *name);

/** Objects of the snapshot. */
const struct omp_object *native_thread(unsigned number);
const struct omp_object *native_region(unsigned number);
const struct omp_object *native_task(unsigned number);

TCase *native_settings(void);
TCase *native_hostile(void);

#define NATIVE(question, ...) native.reader.backend->question(native.reader.state, __VA_ARGS__)

#endif
