// SPDX-License-Identifier: BSD-3-Clause
// Reads scripts: cuts files into lines, strips comments, follows includes.
#include "tests/script/source.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_HARD_ERROR = 99 };

void
source_error(const struct line *line, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (line)
        fprintf(stderr, "%s:%d: ", line->file, line->number);
    vfprintf(stderr, format, args);
    if (line)
        fprintf(stderr, "\n    %s", line->text);
    fputc('\n', stderr);
    va_end(args);
    exit(EXIT_HARD_ERROR);
}

// Texts live as long as the source: lines of macros point into them.
char *
source_keep(struct source *source, char *text)
{
    source->files = need_array(source->files, source->n_files + 1, sizeof(*source->files));
    source->files[source->n_files++] = text;
    return text;
}

void
source_emit(struct source *source, const struct line *line)
{
    if (source->n_lines == source->room) {
        source->room = source->room ? 2 * source->room : 256;
        source->lines = need_array(source->lines, source->room, sizeof(*source->lines));
    }
    source->lines[source->n_lines++] = *line;
}

static char *
strip(char *text)
{
    bool quoted = false;

    while (isspace((unsigned char) *text))
        text++;
    char *end = text;
    for (; *end && (quoted || *end != '#'); end++) {
        if (*end == '\\' && quoted && end[1])
            end++;
        else
            quoted ^= *end == '"';
    }
    while (end > text && isspace((unsigned char) end[-1]))
        end--;
    *end = '\0';
    return text;
}

void
source_include(struct source *source, const struct line *line, char *rest)
{
    char *name = word_next(&rest);
    if (!name)
        source_error(line, "expected: include FILE");
    word_unquote(name);

    const char *slash = strrchr(line->file, '/');
    int folder = slash && *name != '/' ? (int) (slash - line->file) + 1 : 0;
    char *path = NULL;
    if (asprintf(&path, "%.*s%s", folder, line->file, name) < 0)
        source_error(line, "out of memory");
    source_load(source, source_keep(source, path));
}

void
source_load_text(struct source *source, const char *name, const char *text)
{
    struct line *lines = NULL;
    size_t n = 0;
    int number = 0;
    char *rest = source_keep(source, need_copy(text));

    name = source_keep(source, need_copy(name));
    for (char *one; (one = strsep(&rest, "\n"));) {
        number++;
        one = strip(one);
        if (!*one)
            continue;
        lines = need_array(lines, n + 1, sizeof(*lines));
        lines[n++] = (struct line){name, number, one};
    }
    source_expand(source, lines, n);
    free(lines);
}

void
source_load(struct source *source, const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t room = 0;
    if (!file)
        source_error(NULL, "%s: cannot be read", path);

    ssize_t length = getdelim(&text, &room, '\0', file);
    source_load_text(source, path, length > 0 ? text : "");
    free(text);
    fclose(file);
}

void
source_deinit(struct source *source)
{
    macros_deinit(source);
    for (size_t i = 0; i < source->n_files; i++)
        free(source->files[i]);
    free(source->files);
    free(source->lines);
    *source = (struct source){0};
}

char **
source_files(int argc, char **argv, const char *pattern, glob_t *found, int *ret_count)
{
    if (argc > 1) {
        *ret_count = argc - 1;
        return argv + 1;
    }
    if (glob(pattern, 0, NULL, found) != 0)
        source_error(NULL, "there are no files %s", pattern);
    *ret_count = (int) found->gl_pathc;
    return found->gl_pathv;
}
