// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * What communicators of the program "labels" are to be called.
 */
#ifndef MQS_TESTS_LIVE_LABEL_WORDS_H
#define MQS_TESTS_LIVE_LABEL_WORDS_H

#include <jansson.h>
#include <stdbool.h>

/** Compares the labels in a report about all ranks: one communicator has one label, different ones
 * have different ones, and each is what it should be.
 * @return NULL, or what is wrong, on the heap
 */
char *labels_wrong(const json_t *report, bool is_openmpi);

/** A label that the report has for the half of the odd ranks, to free(); NULL: it has none. */
char *labels_odd_half(const json_t *report);

#endif
