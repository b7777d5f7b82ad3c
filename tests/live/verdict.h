// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * Comparing the verdict about a job with what its programs know.
 */
#ifndef MQS_TESTS_LIVE_VERDICT_H
#define MQS_TESTS_LIVE_VERDICT_H

#include <jansson.h>
#include <stdbool.h>

/** What a verdict stems from. */
enum verdict_source {
    VERDICT_OF_LOOKS,    /**< as many looks at a living job as it takes */
    VERDICT_OF_ONE_LOOK, /**< a debugger's: a deadlock is but possible */
    VERDICT_OF_CORES     /**< one look, too, and perhaps at different moments: not even that there
                              is no deadlock can be told */
};

/** Whether the verdict of a document says what the records say, and nothing else: the kind, or the
 * weaker one that its source allows, and then only that; and verdict_compare_parts().
 * @param counts whether this MPI counts its messages, so that one look tells a deadlock where all
 *               wait for messages alone
 * @return NULL if so, else the first difference, on the heap
 */
char *verdict_compare(const json_t *truths, const json_t *document, enum verdict_source source,
                      bool counts);

/** Whether these are the same: the cycles, wherever they begin; for each thread the call and,
 * together, all that it waits for in it; the unmatched operations with at least the near misses
 * that were recorded; the collectives; the threads that wait for others of their process, and for
 * what.
 * @return likewise
 */
char *verdict_compare_parts(const json_t *truths, const json_t *document);

/** Whether a document claims a deadlock that the records know nothing of.
 * @return NULL if not, else what it says, on the heap
 */
char *verdict_false_alarm(const json_t *truths, const json_t *document);

#endif
