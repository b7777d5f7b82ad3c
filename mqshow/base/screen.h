// SPDX-License-Identifier: BSD-3-Clause
// How much text a terminal has room for.
#ifndef MQSHOW_BASE_SCREEN_H
#define MQSHOW_BASE_SCREEN_H

#include <stddef.h>
#include <stdio.h>

struct screen {
    size_t rows;
    size_t columns; // 0: a line takes one row, however long it is
};

/** The terminal that a file is; one of 24 rows where it is none. */
struct screen screen_of(FILE *out);

/** Rows that lines of text take, escape sequences for colors taking none. */
size_t screen_rows(const struct screen *screen, const char *text);

/** Prints a text, or as many of its lines as fit in `rows` with one that counts the others.
 * @return rows that were used
 */
size_t screen_print(const struct screen *screen, FILE *out, const char *text, size_t rows);

#endif
