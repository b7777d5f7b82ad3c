// SPDX-License-Identifier: BSD-3-Clause
// What a case must print: lines as they are, but for macros, repeats and numbers to be worked out.
#include "tests/script/expected.h"

#include "tests/script/script.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *
read_text(const char *path)
{
    char *text = NULL;
    size_t room = 0;
    FILE *file = fopen(path, "r");
    if (!file)
        source_error(NULL, "%s is missing", path);
    if (getdelim(&text, &room, '\0', file) < 0) {
        free(text);
        text = need_copy("");
    }
    fclose(file);
    return text;
}

/** Adds the lines of a text, expanded, whose blanks stay. */
static void
expand(struct source *source, const char *path, char *text)
{
    struct line *lines = NULL;
    size_t n = 0;
    for (char *one; (one = strsep(&text, "\n")) && (*one || text);) {
        lines = need_array(lines, n + 1, sizeof *lines);
        lines[n] = (struct line){path, (int) n + 1, one};
        n++;
    }
    source_expand(source, lines, n);
    free(lines);
}

/** The end of the parenthesis that a text starts with. */
static const char *
closing(const struct line *line, const char *text)
{
    size_t depth = 0;
    for (; *text; text++) {
        depth += *text == '(';
        depth -= *text == ')';
        if (depth == 0)
            return text;
    }
    source_error(line, "a parenthesis is not closed");
}

static void
print_line(FILE *out, const struct line *line)
{
    static const struct script no_names;
    const char *rest = line->text;
    for (const char *found; (found = strstr(rest, "$(")); rest = closing(line, found + 1) + 1) {
        const char *end = closing(line, found + 1);
        char *value = strndup(found + 2, (size_t) (end - found - 2));
        if (!value)
            source_error(line, "out of memory");
        fprintf(out, "%.*s%" PRIu64, (int) (found - rest), rest,
                expression(&no_names, line, value));
        free(value);
    }
    fprintf(out, "%s\n", rest);
}

char *
expected_load(const char *path)
{
    struct source source = {0};
    char *ret = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&ret, &size);
    if (!out)
        source_error(NULL, "out of memory");
    expand(&source, path, source_keep(&source, read_text(path)));
    for (size_t i = 0; i < source.n_lines; i++)
        print_line(out, &source.lines[i]);
    fclose(out);
    source_deinit(&source);
    return ret;
}
