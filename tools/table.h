// SPDX-License-Identifier: BSD-3-Clause
// A table without headings or borders, indented, whose columns line up.
#ifndef TOOLS_TABLE_H
#define TOOLS_TABLE_H

#include <stdbool.h>
#include <stdio.h>

struct libscols_table;

/** A table of `columns` columns. @param color whether cells may have colors */
struct libscols_table *table_create(unsigned columns, bool color);

/** Adds a line; its cells are filled by table_cell(). */
struct libscols_line *table_line(struct libscols_table *table);

/** Adds a line that does not follow the columns, taking the text over. */
void table_free_line(struct libscols_table *table, char *text);

/** Fills a cell, taking the text over. @param color escape sequence, or NULL */
void table_cell(struct libscols_line *line, unsigned column, char *text, const char *color);

/** Prints the table, if it has lines, with `indent` blanks in front of each, and frees it. */
void table_print(struct libscols_table *table, FILE *out, int indent);

#endif
