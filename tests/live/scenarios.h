// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * What the tests on real jobs run.
 */
#ifndef MQS_TESTS_LIVE_SCENARIOS_H
#define MQS_TESTS_LIVE_SCENARIOS_H

#include "job.h"
#include "tests/check_set.h"

extern const struct scenario scenarios[];
extern const int scenario_count;

/** Whether a build shows anything of OpenMP that another one does not. What matches messages makes
 * no difference to regions and tasks, but the runtime does: that of other builds is tested with ob1
 * already, but of all tests MPICH's packages are tested too.
 */
bool scenario_openmp_runs_on(const struct build *build);

/** The first set of tests in which everything is tested on a build: the quick one on that of Open
 * MPI that most people have, the full one on that of MPICH.
 */
enum check_set scenario_set_of_build(const struct build *build);

/** Whether a scenario makes sense on a build. */
bool scenario_makes_sense_on(const struct scenario *scenario, const struct build *build);

/** The first set in which it runs on a build, NO_SET: it makes no sense there. That of the build;
 * on the first build of each device those that are read in another way there are in the quick set,
 * and what is about that device is in the full one; those that are run on each build are in the
 * quick one.
 * @param number of the build
 */
enum check_set scenario_set(const struct scenario *scenario, int number);

#endif
