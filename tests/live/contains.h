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
    /** Whether a difference, a text like `difference`, does not matter; NULL: all do. */
    bool (*may_differ)(void *context, const char *text);
    void *context;
};

/** Whether `actual` has everything that `expected` has, by the rules that compare_truth()
 * describes; if not, sets the difference. NULL stands for a value that is not there.
 */
bool contains(struct comparison *here, const json_t *expected, const json_t *actual);

/** The member of an array of objects whose member `key` has that value; NULL if there is none. */
json_t *contains_find(const json_t *array, const char *key, const json_t *value);

#endif
