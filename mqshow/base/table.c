// SPDX-License-Identifier: BSD-3-Clause
// A table without headings or borders, indented, whose columns line up.
#include "mqshow/base/table.h"

#include "mqshow/base/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum { COLUMNS_MAX = 16, COLORS_MAX = 16, SEPARATOR = 2 };
enum { FREE_LINE = COLORS_MAX }; // instead of a color: the line is this text

static const char plain[] = "\033[0m";

struct table {
    unsigned columns, filled; // of the last line
    bool color;
    const char *colors[COLORS_MAX]; // by number; 0: none
    int widths[COLUMNS_MAX];
    char *cells; // of each cell the number of its color and its text with the NUL
    size_t size, capacity;
};

struct table *
table_create(unsigned columns, bool color)
{
    struct table *table = alloc_zeroed(1, sizeof *table);
    table->columns = table->filled = columns < COLUMNS_MAX ? columns : COLUMNS_MAX;
    table->color = color;
    return table;
}

/** Columns that a text takes on a screen. */
static int
width_of(const char *text)
{
    size_t length = strlen(text), plain_length = 0;
    while (text[plain_length] > 0)
        plain_length++;
    if (plain_length == length)
        return (int) length;
    wchar_t *wide = alloc_zeroed(length + 1, sizeof *wide);
    int width = mbstowcs(wide, text, length + 1) != (size_t) -1 ? wcswidth(wide, length) : -1;
    free(wide);
    return width >= 0 ? width : (int) length;
}

static unsigned char
number_of(struct table *table, const char *color)
{
    unsigned char i = 1;
    if (color == NULL || !table->color)
        return 0;
    while (i < COLORS_MAX && table->colors[i] != NULL && table->colors[i] != color)
        i++;
    if (i == COLORS_MAX)
        return 0;
    table->colors[i] = color;
    return i;
}

static void
add(struct table *table, unsigned char mark, const char *text)
{
    table->cells = alloc_append(table->cells, &table->size, &table->capacity, &mark, 1);
    table->cells =
        alloc_append(table->cells, &table->size, &table->capacity, text, strlen(text) + 1);
}

static void
fill_to(struct table *table, unsigned column)
{
    for (; table->filled < column; table->filled++)
        add(table, 0, "");
}

void
table_line(struct table *table)
{
    fill_to(table, table->columns);
    table->filled = 0;
}

void
table_cell(struct table *table, unsigned column, char *text, const char *color)
{
    const char *shown = text != NULL ? text : "";
    int width = width_of(shown);
    if (column >= table->filled && column < table->columns) {
        fill_to(table, column);
        add(table, number_of(table, color), shown);
        table->filled++;
        if (width > table->widths[column])
            table->widths[column] = width;
    }
    free(text);
}

void
table_free_line(struct table *table, char *text)
{
    fill_to(table, table->columns);
    add(table, FREE_LINE, text);
    free(text);
}

/** Prints the cells of a line, without the blanks at its end. @return what is behind them */
static const char *
print_line(const struct table *table, FILE *out, int indent, const char *cell)
{
    int blanks = indent;
    for (unsigned i = 0; i < table->columns; i++) {
        const char *color = table->colors[(unsigned char) *cell], *text = cell + 1;
        size_t length = strlen(text);
        if (length > 0) {
            fprintf(out, "%*s%s%s%s", blanks, "", color != NULL ? color : "", text,
                    color != NULL ? plain : "");
            blanks = 0;
        }
        blanks += table->widths[i] - width_of(text) + SEPARATOR;
        cell = text + length + 1;
    }
    fputc('\n', out);
    return cell;
}

static const char *
print_free_line(FILE *out, int indent, const char *cell)
{
    fprintf(out, "%*s%s\n", indent, "", cell + 1);
    return cell + strlen(cell) + 1;
}

void
table_print(struct table *table, FILE *out, int indent)
{
    fill_to(table, table->columns);
    for (size_t at = 0; at < table->size;) {
        const char *cell = table->cells + at;
        const char *behind = *cell == FREE_LINE ? print_free_line(out, indent, cell)
                                                : print_line(table, out, indent, cell);
        at += (size_t) (behind - cell);
    }
    free(table->cells);
    free(table);
}
