// SPDX-License-Identifier: BSD-3-Clause
// A table without headings or borders, indented, whose columns line up.
#include "tools/table.h"

#include "tools/say.h"

#include <libsmartcols.h>
#include <stdlib.h>
#include <string.h>

struct libscols_table *
table_create(unsigned columns, bool color)
{
    struct libscols_table *table = scols_new_table();
    if (table == NULL)
        say_and_exit("out of memory");
    scols_table_enable_noheadings(table, 1);
    scols_table_enable_noencoding(table, 1); // texts are escaped already
    scols_table_set_termforce(table, SCOLS_TERMFORCE_NEVER);
    scols_table_set_column_separator(table, "  ");
    scols_table_enable_colors(table, color);
    for (unsigned i = 0; i < columns; i++)
        if (scols_table_new_column(table, "", 0, 0) == NULL)
            say_and_exit("out of memory");
    return table;
}

struct libscols_line *
table_line(struct libscols_table *table)
{
    struct libscols_line *line = scols_table_new_line(table, NULL);
    if (line == NULL)
        say_and_exit("out of memory");
    return line;
}

/** A text that the locale can read, in place of the one: libsmartcols 2.38 never finds the end of
 * another one. What is not ASCII becomes \xHH there.
 */
static char *
make_readable(char *text)
{
    if (text == NULL || mbstowcs(NULL, text, 0) != (size_t) -1)
        return text;
    char *escaped = alloc_zeroed(4 * strlen(text) + 1, 1), *end = escaped;
    for (const unsigned char *s = (const unsigned char *) text; *s != '\0'; s++)
        end += sprintf(end, *s < 0x80 ? "%c" : "\\x%02x", *s);
    free(text);
    return escaped;
}

void
table_cell(struct libscols_line *line, unsigned column, char *text, const char *color)
{
    if (scols_line_refer_data(line, column, make_readable(text)) != 0)
        say_and_exit("out of memory");
    if (color != NULL)
        scols_cell_set_color(scols_line_get_cell(line, column), color);
}

void
table_free_line(struct libscols_table *table, char *text)
{
    scols_line_set_userdata(table_line(table), text);
}

static void
print_line(FILE *out, const char *line, size_t length, int indent)
{
    while (length > 0 && line[length - 1] == ' ')
        length--;
    fprintf(out, "%*s%.*s\n", indent, "", (int) length, line);
}

/** The text of the next line, when it does not follow the columns, for free(); NULL when it does.
 */
static char *
take_free_text(struct libscols_table *table, struct libscols_iter *at)
{
    struct libscols_line *line;
    return scols_table_next_line(table, at, &line) == 0 ? scols_line_get_userdata(line) : NULL;
}

void
table_print(struct libscols_table *table, FILE *out, int indent)
{
    char *text = NULL;
    // Lines are in a list: the next one is near, one by its number is not.
    struct libscols_iter *at = scols_new_iter(SCOLS_ITER_FORWARD);
    if (at == NULL)
        say_and_exit("out of memory");
    if (scols_table_get_nlines(table) > 0 && scols_print_table_to_string(table, &text) == 0) {
        for (char *line = text; *line != '\0';) {
            size_t length = strcspn(line, "\n");
            char *own = take_free_text(table, at);
            print_line(out, own != NULL ? own : line, own != NULL ? strlen(own) : length, indent);
            free(own);
            line += length + (line[length] == '\n');
        }
    }
    free(text);
    scols_free_iter(at);
    scols_unref_table(table);
}
