// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * Comparing the verdict about a job with what its programs know.
 */
#ifndef MQS_TESTS_LIVE_VERDICT_H
#define MQS_TESTS_LIVE_VERDICT_H

#include <jansson.h>
#include <stdbool.h>

/** Whether the verdict of a document says what the records say, and nothing else: the kind; the
 * cycles, wherever they begin; for each thread the call and, together, all that it waits for in it;
 * the unmatched operations with at least the near misses that were recorded; the collectives.
 *
 * Waits of threads outside of MPI are not recorded and not compared.
 * @return NULL if so, else the first difference, on the heap
 */
char *verdict_compare(const json_t *truths, const json_t *document);

/** Whether a document claims a deadlock that the records know nothing of.
 * @return NULL if not, else what it says, on the heap
 */
char *verdict_false_alarm(const json_t *truths, const json_t *document);

#endif
