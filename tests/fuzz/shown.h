// SPDX-License-Identifier: BSD-3-Clause
// All that is done with a document that came in.
#ifndef TESTS_FUZZ_SHOWN_H
#define TESTS_FUZZ_SHOWN_H

#include "mqshow/report/document.h"

#include <stdbool.h>

/** Prepares for the others. */
bool shown_init(void);

/** Judges a document and writes all that mqshow and "mqshow merge" can. */
void shown_judge(struct document *document);

/** Finds what moved since another sample. */
void shown_compare(const struct document *before, struct document *after);

#endif
