// SPDX-License-Identifier: BSD-3-Clause
// Reads scripts: strips comments, follows includes, expands macros and repeats.
#include "tests/script/source.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 32, MAX_PARAMETERS = 24, MAX_REPEAT = 1 << 20, EXIT_HARD_ERROR = 99 };

struct macro {
    struct macro *next;
    char *head; // "NAME\0PARAMETER\0..." cut into words
    char *names[MAX_PARAMETERS + 1];
    size_t n_names; // the macro's own is the first
    const struct line *body;
    size_t n_body;
};

/** What `$NAME` stands for. */
struct binding {
    char *const *names;
    char *const *values;
    size_t n;
};

static void expand(struct source *source, const struct line *lines, size_t n);

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
static char *
keep(struct source *source, char *text)
{
    source->files = need_array(source->files, source->n_files + 1, sizeof(*source->files));
    source->files[source->n_files++] = text;
    return text;
}

static void
emit(struct source *source, const struct line *line)
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

static size_t
name_length(const char *text)
{
    size_t n = 0;
    while (isalnum((unsigned char) text[n]) || text[n] == '_')
        n++;
    return n;
}

static const char *
bound_value(const struct binding *binding, const char *name, size_t length)
{
    for (size_t i = 0; i < binding->n; i++) {
        if (strlen(binding->names[i]) == length && !memcmp(binding->names[i], name, length))
            return binding->values[i];
    }
    return NULL;
}

// Copies `text` with every bound $NAME or ${NAME} replaced; others stay, for an outer level.
static char *
substitute(const char *text, const struct binding *binding)
{
    char *copy = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&copy, &size);
    if (!out)
        source_error(NULL, "out of memory");

    while (*text) {
        bool braces = text[0] == '$' && text[1] == '{';
        const char *name = text + 1 + braces;
        size_t length = *text == '$' ? name_length(name) : 0;
        const char *value = length ? bound_value(binding, name, length) : NULL;
        if (!value) {
            fputc(*text++, out);
            continue;
        }
        fputs(value, out);
        text = name + length + braces;
    }
    fclose(out);
    return copy;
}

static void
expand_bound(struct source *source, const struct line *lines, size_t n,
             const struct binding *binding)
{
    struct line *copies = need_array(NULL, n, sizeof(*copies));

    for (size_t i = 0; i < n; i++) {
        copies[i] = lines[i];
        copies[i].text = keep(source, substitute(lines[i].text, binding));
    }
    expand(source, copies, n);
    free(copies);
}

static bool
starts_block(const char *text)
{
    static const char *const words[] = {"macro", "repeat", "struct", "union"};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        size_t length = strlen(words[i]);
        if (!strncmp(text, words[i], length) && isspace((unsigned char) text[length]))
            return true;
    }
    return false;
}

// Number of lines of the block's body, without its first line and its `end`.
static size_t
body_length(const struct line *lines, size_t n)
{
    size_t depth = 1;

    for (size_t i = 1; i < n; i++) {
        depth += starts_block(lines[i].text);
        depth -= !strcmp(lines[i].text, "end");
        if (depth == 0)
            return i - 1;
    }
    source_error(&lines[0], "this has no end");
}

static void
define(struct source *source, const struct line *lines, char *rest, size_t n_body)
{
    struct macro *macro = need_alloc(sizeof(*macro));
    struct line *body = need_array(NULL, n_body, sizeof(*body));

    memcpy(body, lines + 1, n_body * sizeof(*body));
    macro->head = need_copy(rest);
    macro->body = body;
    macro->n_body = n_body;
    macro->next = source->macros;
    source->macros = macro;
    rest = macro->head;
    for (char *word; (word = word_next(&rest)); macro->names[macro->n_names++] = word) {
        if (macro->n_names > MAX_PARAMETERS)
            source_error(&lines[0], "more than %d parameters", MAX_PARAMETERS);
    }
    if (macro->n_names == 0)
        source_error(&lines[0], "a macro needs a name");
}

static void
call(struct source *source, const struct line *line, const struct macro *macro, char *rest)
{
    char *values[MAX_PARAMETERS];
    size_t n = 0;

    for (char *word; (word = word_next(&rest)); values[n++] = word) {
        if (n == macro->n_names - 1)
            source_error(line, "%s takes %zu arguments", macro->names[0], n);
    }
    if (n != macro->n_names - 1)
        source_error(line, "%s lacks its argument %s", macro->names[0], macro->names[n + 1]);
    struct binding binding = {macro->names + 1, values, n};
    expand_bound(source, macro->body, macro->n_body, &binding);
}

static void
repeat(struct source *source, const struct line *lines, char *rest, size_t n_body)
{
    char *variable = word_next(&rest);
    char *count = word_next(&rest);
    unsigned long n = count ? strtoul(count, NULL, 0) : 0;
    if (!n || n > MAX_REPEAT)
        source_error(&lines[0], "expected: repeat VARIABLE COUNT");

    for (unsigned long i = 0; i < n; i++) {
        char digits[24];
        snprintf(digits, sizeof(digits), "%lu", i);
        char *value = digits;
        struct binding binding = {&variable, &value, 1};
        expand_bound(source, lines + 1, n_body, &binding);
    }
}

static void
include(struct source *source, const struct line *line, char *rest)
{
    char *name = word_next(&rest);
    if (!name)
        source_error(line, "expected: include FILE");
    word_unquote(name);

    const char *slash = strrchr(line->file, '/');
    int folder = slash ? (int) (slash - line->file) + 1 : 0;
    char *path = NULL;
    if (asprintf(&path, "%.*s%s", folder, line->file, name) < 0)
        source_error(line, "out of memory");
    source_load(source, keep(source, path));
}

static const struct macro *
find_macro(const struct source *source, const char *name)
{
    const struct macro *macro = source->macros;
    while (macro && strcmp(macro->names[0], name))
        macro = macro->next;
    return macro;
}

// Handles the statement at lines[0]. @return number of lines that it took
static size_t
expand_one(struct source *source, const struct line *lines, size_t n)
{
    size_t n_body = starts_block(lines[0].text) ? body_length(lines, n) : 0;
    char *copy = need_copy(lines[0].text);
    char *rest = copy;
    const char *first = word_next(&rest);
    size_t taken = 1;
    const struct macro *macro = find_macro(source, first);

    if (!strcmp(first, "macro") || !strcmp(first, "repeat")) {
        (*first == 'm' ? define : repeat)(source, lines, rest, n_body);
        taken = n_body + 2;
    } else if (!strcmp(first, "include")) {
        include(source, &lines[0], rest);
    } else if (macro) {
        call(source, &lines[0], macro, rest);
    } else {
        emit(source, &lines[0]);
    }
    free(copy);
    return taken;
}

static void
expand(struct source *source, const struct line *lines, size_t n)
{
    if (++source->depth > MAX_DEPTH)
        source_error(n ? &lines[0] : NULL, "includes and macros are nested too deeply");
    for (size_t i = 0; i < n;)
        i += expand_one(source, lines + i, n - i);
    source->depth--;
}

void
source_load_text(struct source *source, const char *name, const char *text)
{
    struct line *lines = NULL;
    size_t n = 0;
    int number = 0;
    char *rest = keep(source, need_copy(text));

    name = keep(source, need_copy(name));
    for (char *one; (one = strsep(&rest, "\n"));) {
        number++;
        one = strip(one);
        if (!*one)
            continue;
        lines = need_array(lines, n + 1, sizeof(*lines));
        lines[n++] = (struct line){name, number, one};
    }
    expand(source, lines, n);
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
    while (source->macros) {
        struct macro *macro = source->macros;
        source->macros = macro->next;
        free((void *) macro->body);
        free(macro->head);
        free(macro);
    }
    for (size_t i = 0; i < source->n_files; i++)
        free(source->files[i]);
    free(source->files);
    free(source->lines);
    *source = (struct source){0};
}
