// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * Whether what a program recorded is contained in what was reported.
 */
#ifndef MQS_TESTS_LIVE_CONTAINS_H
#define MQS_TESTS_LIVE_CONTAINS_H

#include <jansson.h>
#include <stdbool.h>

enum { COMPARISON_MAX_PATH = 400 };

/** Where a comparison is, and the first difference that it has found. */
struct comparison {
    char path[COMPARISON_MAX_PATH];
    char *difference; /**< on the heap; NULL as long as there is none */
};

/** Whether `actual` has everything that `expected` has, by the rules that compare_truth()
 * describes; if not, sets the difference. NULL stands for a value that is not there.
 */
bool contains(struct comparison *here, const json_t *expected, const json_t *actual);

#endif
