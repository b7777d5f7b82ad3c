// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * What the programs know of the whole job: whether their records agree with each other, and whether
 * a verdict agrees with them.
 */
#ifndef MQS_TESTS_LIVE_WAIT_TRUTH_H
#define MQS_TESTS_LIVE_WAIT_TRUTH_H

#include <jansson.h>

/** Whether the records of all ranks make one job: the same kind of verdict and the same cycles in
 * each, waits of their own rank for others of the job, and a wait for each step of a cycle.
 * @return NULL if they do, else what is wrong, on the heap
 */
char *wait_truth_contradiction(const json_t *truths);

#endif
