// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * Whether what is said of a recorded process is what its program recorded.
 */
#ifndef MQS_TESTS_RECORDINGS_AGREE_H
#define MQS_TESTS_RECORDINGS_AGREE_H

#include "tests/live/job.h"

#include <jansson.h>

/** The program that is recorded. */
#define MEDLEY "medley"

/** Compares, but for what cannot be seen of the build.
 * @param truth  the program's record; its sends are arranged if the build's have no order
 * @param report likewise
 * @return NULL, or the first difference, on the heap
 */
char *agree(const struct build *build, json_t *truth, json_t *report);

#endif
