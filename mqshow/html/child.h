// SPDX-License-Identifier: BSD-3-Clause
// A program that is asked something and answers, within limits.
#ifndef MQSHOW_HTML_CHILD_H
#define MQSHOW_HTML_CHILD_H

#include <stddef.h>

struct child_limits {
    int milliseconds;
    size_t bytes; // of the answer
};

/** Runs a program, found by PATH, with a text as standard input.
 * @param argv   ends with NULL
 * @param answer what it writes to standard output, for free(); NULL on failure
 * @return NULL, or what went wrong, for free(). When a signal is to end this program, ends the
 * other one first.
 */
char *child_ask(char *const *argv, const char *question, struct child_limits limits, char **answer);

#endif
