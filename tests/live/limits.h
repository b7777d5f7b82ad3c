// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * What cannot be seen of some builds of MPI: a reviewed list.
 */
#ifndef MQS_TESTS_LIVE_LIMITS_H
#define MQS_TESTS_LIVE_LIMITS_H

#include "job.h"

#include <jansson.h>

/** Loads what cannot be seen of builds with a device; of PML ob1 all is seen.
 * @return as of vendor_reviewed_load()
 */
json_t *limits_load(enum device device);

/** Like compare_truth(), but for the differences in the list. Where it has words for one they must
 * be in a message of the process.
 * @param limits of limits_load(); the reason may begin with "WORDS | "
 * @param where  "BUILD/SCENARIO"; the patterns are for lines "BUILD/SCENARIO: " with what
 *               compare_truth() would return
 */
char *limits_compare(json_t *limits, const char *where, const json_t *truth, const json_t *report);

#endif
