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
 * no difference to regions and tasks, but the runtime does: those of MPICH's targets and of other
 * PMLs are tested with another build already.
 */
bool scenario_openmp_runs_on(const struct build *build);

/** Whether a scenario makes sense on a build. */
bool scenario_runs_on(const struct scenario *scenario, const struct build *build);

#endif
