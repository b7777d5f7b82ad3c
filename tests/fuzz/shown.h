// SPDX-License-Identifier: BSD-3-Clause
// All that is done with a document that came in.
#ifndef TESTS_FUZZ_SHOWN_H
#define TESTS_FUZZ_SHOWN_H

#include "tools/model.h"

#include <jansson.h>
#include <stdbool.h>

/** Prepares for the others. */
bool shown_init(void);

/** Judges a document and writes all that "mqshow merge" can. */
void shown_judge(json_t *document);

/** Prints reports in all forms. @param document what they are of */
void shown_print(json_t *document, const struct report *reports, size_t count);

/** Finds what moved since another look, which saw the processes in another order. */
void shown_compare(const json_t *document);

#endif
