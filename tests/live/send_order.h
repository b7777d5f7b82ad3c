// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * Comparing sends of which a library keeps less than other ones do.
 */
#ifndef MQS_TESTS_LIVE_SEND_ORDER_H
#define MQS_TESTS_LIVE_SEND_ORDER_H

#include <jansson.h>
#include <stdbool.h>

/** What sends_arrange() has changed, if anything. */
enum { SENDS_UNKNOWN = 1, SENDS_ORDER = 2 };

/** Arranges a process's sends, in its record and in the report, so that they can be compared.
 *
 * Nothing tells the order of MPICH's sends within a node, and of some nothing is known: those are
 * taken away, from the record as many as can be, and the others are put in the order of the record
 * by their buffers.
 * @param truth  the record, which is changed
 * @param report likewise
 * @param where  "BUILD/SCENARIO"
 * @return SENDS_UNKNOWN if as many were taken away from both, SENDS_ORDER if others were put in
 * order
 */
unsigned sends_arrange(json_t *truth, json_t *report, const char *where);

/** Whether nothing is known of most sends, whatever they are: up to 4.1 short messages of all kinds
 * leave what makes a long one uncertain. */
bool sends_are_early(const char *where);

#endif
