// SPDX-License-Identifier: BSD-3-Clause
// What the tests of the verdict share.
#ifndef TESTS_VERDICT_CHECK_VERDICT_H
#define TESTS_VERDICT_CHECK_VERDICT_H

#include "tests/verdict/made_job.h"

#include <check.h>

/** The verdict about a job, which is taken over. */
json_t *judge(json_t *job);

/** Checks a member of the verdict. @param expected compact JSON */
void check_member(const json_t *judged, const char *key, const char *expected);

/** Checks that the first line has these words, and is short. */
void check_text(const json_t *judged, const char *words);

/** Checks that one of the facts below it has these words. */
void check_fact(const json_t *judged, const char *words);

/** Judges a job and checks kind and cycles. */
void expect(json_t *job, const char *kind, const char *cycles);

Suite *suite_messages(void);
Suite *suite_arguments(void);
Suite *suite_groups(void);
Suite *suite_labels(void);
Suite *suite_threads(void);
Suite *suite_documents(void);
Suite *suite_causes(void);
Suite *suite_openmp(void);
Suite *suite_places(void);
Suite *suite_device(void);

#endif
