// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * What the parts of the comparison of verdicts share.
 */
#ifndef MQS_TESTS_LIVE_VERDICT_PARTS_H
#define MQS_TESTS_LIVE_VERDICT_PARTS_H

#include <jansson.h>

/** The text of a member, or words for none. */
const char *verdict_text(const json_t *object, const char *member);

/** All entries of one member of the records' verdicts, to be released. */
json_t *verdict_gather(const json_t *truths, const char *member);

/** "WHAT: expected ..., found ...", on the heap. @param found NULL: nothing */
char *verdict_differ(const char *what, const json_t *expected, const json_t *found);

/** Whether these threads, and no others, wait outside of MPI for another one of their process, and
 * for what and in which function.
 * @return NULL if so, else the first difference, on the heap
 */
char *verdict_compare_inside(const json_t *truths, const json_t *verdict);

#endif
