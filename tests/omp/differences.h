// SPDX-License-Identifier: BSD-3-Clause
// The list of known differences between OMPD libraries and the native reader.
#ifndef TESTS_OMP_DIFFERENCES_H
#define TESTS_OMP_DIFFERENCES_H

#include <stdbool.h>

enum { DIFFERENCES_MAX = 64, DIFFERENCES_VALUES = 5 };

/** Reads the list: lines of patterns as of fnmatch() for question, situation, runtime and both
 * answers, then a reason, separated by "|". @return false: says why on standard error */
bool differences_read(const char *path);

/** The number of the first line that matches all values, in the order of the columns; -1: none. */
int differences_find(const char *const values[DIFFERENCES_VALUES]);

/** A line, as it is shown. @return NULL past the last */
const char *differences_line(unsigned number);

#endif
