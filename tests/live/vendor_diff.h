// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * What two DLLs tell differently about the same process, and the differences that were reviewed.
 */
#ifndef MQS_TESTS_LIVE_VENDOR_DIFF_H
#define MQS_TESTS_LIVE_VENDOR_DIFF_H

#include <jansson.h>

/** Adds a line of text to `lines`, an array, for every difference between two members of
 * "processes".
 *
 * Communicators are matched by name, operations by their buffer, or by peer and tag. Only members
 * that both have are compared. A line reads "SCENARIO: COMMUNICATOR: LIST: WHAT", SCENARIO being
 * what was passed.
 */
void vendor_diff(const char *scenario, const json_t *ours, const json_t *theirs, json_t *lines);

/** Loads the list of reviewed differences: lines "PATTERN | REASON", "#" begins a comment.
 * @return an array of objects with members "pattern" and "reason", to be released; NULL if the file
 *         cannot be read or has a line without a reason, which standard error says then
 */
json_t *vendor_reviewed_load(const char *path);

/** The reviewed entry, marked as used, that matches a line; NULL if there is none. */
const json_t *vendor_reviewed_find(json_t *reviewed, const char *line);

/** The first entry that vendor_reviewed_find() has never returned; NULL if there is none.
 * @param other a shell pattern of the patterns that need not be used */
const json_t *vendor_reviewed_unused(const json_t *reviewed, const char *other);

#endif
