// SPDX-License-Identifier: BSD-3-Clause
// Macros and repeats of a script.
#include "tests/script/source.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 32, MAX_PARAMETERS = 24, MAX_REPEAT = 1 << 20 };

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
        copies[i].text = source_keep(source, substitute(lines[i].text, binding));
    }
    source_expand(source, copies, n);
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
        source_include(source, &lines[0], rest);
    } else if (macro) {
        call(source, &lines[0], macro, rest);
    } else {
        source_emit(source, &lines[0]);
    }
    free(copy);
    return taken;
}

void
source_expand(struct source *source, const struct line *lines, size_t n)
{
    if (++source->depth > MAX_DEPTH)
        source_error(n ? &lines[0] : NULL, "includes and macros are nested too deeply");
    for (size_t i = 0; i < n;)
        i += expand_one(source, lines + i, n - i);
    source->depth--;
}

void
macros_deinit(struct source *source)
{
    while (source->macros) {
        struct macro *macro = source->macros;
        source->macros = macro->next;
        free((void *) macro->body);
        free(macro->head);
        free(macro);
    }
}
