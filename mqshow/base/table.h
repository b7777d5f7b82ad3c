// SPDX-License-Identifier: BSD-3-Clause
// A table without headings or borders, indented, whose columns line up.
//
// It keeps the texts of its cells in one piece of memory: it may have very many lines.
#ifndef MQSHOW_BASE_TABLE_H
#define MQSHOW_BASE_TABLE_H

#include <stdbool.h>
#include <stdio.h>

struct table;

/** A table of `columns` columns. @param color whether cells may have colors */
struct table *table_create(unsigned columns, bool color);

/** Begins a line; its cells are filled by table_cell(). */
void table_line(struct table *table);

/** Adds a line that does not follow the columns, taking the text over. */
void table_free_line(struct table *table, char *text);

/** Fills a cell of the last line, from the left to the right, taking the text over; one that is
 * NULL or left out is empty. @param color escape sequence, a constant, or NULL */
void table_cell(struct table *table, unsigned column, char *text, const char *color);

/** Prints the table, if it has lines, with `indent` blanks in front of each, and frees it. */
void table_print(struct table *table, FILE *out, int indent);

#endif
