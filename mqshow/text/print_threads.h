// SPDX-License-Identifier: BSD-3-Clause
// The threads of a process for people.
#ifndef MQSHOW_TEXT_PRINT_THREADS_H
#define MQSHOW_TEXT_PRINT_THREADS_H

#include "mqshow/text/print.h"

/** Prints in which call each thread is and what it waits for: threads that are alike in one line,
 * threads that runtimes made only counted, unless all is shown.
 */
void print_threads(FILE *out, const struct report *report, struct style style);

// Parts of it.

/** "exchange at ring.c:17", for free(); "" when nothing is known. */
char *print_frame_text(const struct frame_record *frame);

/** "waits for receive from 3 tag 42 on ring", for free(); "" when nothing is known. */
char *print_awaits_text(const struct report *report, const struct awaits_record *awaits);

/** Prints the stack of a thread, frames of runtimes in one line unless all is shown. */
void print_stack(FILE *out, const struct thread_record *thread, int indent, bool all);

#endif
