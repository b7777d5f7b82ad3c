// SPDX-License-Identifier: BSD-3-Clause
// The threads of a process for people.
#ifndef TOOLS_PRINT_THREADS_H
#define TOOLS_PRINT_THREADS_H

#include "tools/print.h"

/** Prints in which call each thread is and what it waits for: threads that are alike in one line,
 * threads that runtimes made only counted, unless all is shown.
 */
void print_threads(FILE *out, const struct report *report, struct style style);

// Parts of it.

/** "exchange at ring.c:17" of a frame in a document, for free(); "" when nothing is known. */
char *print_frame_text(const json_t *frame);

/** "receive from 3 tag 42 on ring" of what a thread of a document waits for, for free(); "" when
 * nothing is known.
 */
char *print_awaits_text(const struct report *report, const json_t *awaits);

/** Prints a stack of a document, frames of runtimes in one line unless all is shown. */
void print_stack(FILE *out, const json_t *stack, int indent, bool all);

#endif
