// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * Comparing what the tool reports with what the program recorded.
 */
#ifndef MQS_TESTS_LIVE_COMPARE_H
#define MQS_TESTS_LIVE_COMPARE_H

#include <jansson.h>
#include <stdbool.h>

/** Whether a record is contained in a report of the tool (all of it, with "processes").
 *
 * The record's "verdict" is not looked at. Objects are compared member by member; what else the
 * report has does not matter. Arrays must be equal in length and order, but: communicators are
 * matched by name and must be as many as "communicator_count" says; sends and unexpected messages
 * have an order per peer only; of the collectives the active ones count; threads are matched by
 * "tid", and the "region" that they name by its id is compared member by member; of their tasks the
 * innermost ones count; "file" is compared without folders, and "symbol" need only hold what is
 * expected.
 *
 * @return NULL if it is, else the first difference with its place, on the heap
 */
char *compare_truth(const json_t *truth, const json_t *report);

/** Like compare_truth(), but for differences of which `may_differ`, if not NULL, says that they do
 * not matter. It gets the text that would be returned.
 */
char *compare_allowing(const json_t *truth, const json_t *report,
                       bool (*may_differ)(void *context, const char *text), void *context);

/** Whether two reports are equal but for what differs from look to look or with the origin of
 * layouts, which is removed from both: "layout", "messages", "stats", "stack", "stack_complete",
 * "stopped_ms", "looks".
 * @return NULL if they are, else the first difference with its place, on the heap
 */
char *compare_reports(json_t *first, json_t *second);

/** Like compare_truth(), of the communicators without their queues. */
char *compare_communicators(const json_t *truth, const json_t *report);

/** The member of "processes" with that pid; NULL if there is none. */
json_t *compare_find_process(const json_t *report, json_int_t pid);

#endif
