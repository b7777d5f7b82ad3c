// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * Test programs whose cases look at real jobs, one job at a time.
 */
#ifndef MQS_TESTS_LIVE_SUITE_H
#define MQS_TESTS_LIVE_SUITE_H

#include "job.h"

#include <check.h>

/** The job of the case that runs. It ends with the case, whatever comes of it. */
extern struct job suite_job;

/** Fails the test when there is a problem. Takes the text over. */
void suite_expect_none(char *problem);

/** A build by its number, made if need be; fails the test when it cannot be made. */
const struct build *suite_build(int number);

/** Starts the job of this case; fails the test when that goes wrong. */
void suite_start(const struct scenario *scenario, const struct build *build);

/** Adds a case whose tests look at jobs. @param name kept, not copied */
TCase *suite_new_case(Suite *suite, const char *name);

/** Adds a case that runs a test once.
 * @param group, name together the name of the case: GROUP/NAME
 * @param number what the test finds in `_i`
 */
void
suite_add_case(Suite *suite, const char *group, const char *name, const TTest *test, int number);

/** Runs the suite, or what CK_RUN_CASE selects, and ends all that was started meanwhile. Releases
 * the suite.
 * @return the exit status of the program
 */
int suite_run(Suite *suite);

#endif
