// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * What the tests on real jobs run.
 */
#ifndef MQS_TESTS_LIVE_SCENARIOS_H
#define MQS_TESTS_LIVE_SCENARIOS_H

#include "job.h"

extern const struct scenario scenarios[];
extern const int scenario_count;

/** Whether a build shows anything of OpenMP that another one does not. What matches messages makes
 * no difference to regions and tasks, but the runtime does: that of other builds is tested with ob1
 * already, but of all tests MPICH's packages are tested too.
 */
bool scenario_openmp_runs_on(const struct build *build);

/** Whether everything is tested on a build: on that of Open MPI that most people have, and, but in
 * the quick set, on that of MPICH.
 */
bool scenario_build_has_all(const struct build *build);

/** Whether a scenario makes sense on a build. */
bool scenario_makes_sense_on(const struct scenario *scenario, const struct build *build);

/** Whether it does, and is of the set of tests that is run: all of them on builds that have all; on
 * the first one of each device those that are read in another way there and, but in the quick set,
 * what is about that device; on others those that are run on each.
 * @param number of the build
 */
bool scenario_runs_on(const struct scenario *scenario, int number);

#endif
