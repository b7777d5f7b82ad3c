// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * The tree of OpenMP regions that mqshow prints for people, against what the program recorded.
 */
#ifndef MQS_TESTS_LIVE_TREE_H
#define MQS_TESTS_LIVE_TREE_H

#include <jansson.h>

/** Whether every thread of a record stands in the text: below its region, and that below the ones
 * around it, each with its directive, the size of its team and its level.
 * @return NULL if it is, else what is missing, on the heap
 */
char *tree_missing(const json_t *truth, const char *text);

#endif
