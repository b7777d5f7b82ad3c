// SPDX-License-Identifier: BSD-3-Clause
// The threads of a process for people.
#ifndef MQSHOW_TEXT_PRINT_THREADS_H
#define MQSHOW_TEXT_PRINT_THREADS_H

#include "mqshow/text/print.h"

/** Prints in which call each thread is and what it waits for: threads that are alike in one line,
 * threads that runtimes made only counted, unless all is shown.
 */
void print_threads(FILE *out, const struct report *report, struct style style);

#endif
