// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * Comparing in which calls threads are said to be with what the program recorded.
 */
#ifndef MQS_TESTS_LIVE_CALLS_H
#define MQS_TESTS_LIVE_CALLS_H

#include <jansson.h>

/** Whether a report of the tool has each thread of a record's "calls" in that call, from that
 * function and line, and waiting for the operations with those tags; for more when it says that it
 * is not certain.
 * @return NULL if it has, else the first difference, on the heap
 */
char *calls_compare(const json_t *truth, const json_t *report);

#endif
