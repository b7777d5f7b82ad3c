// SPDX-License-Identifier: BSD-3-Clause
// Words of a line, and allocation that cannot fail.
#include "tests/script/source.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_HARD_ERROR = 99 };

static const char *
skip_quoted(const char *text)
{
    for (text++; *text && *text != '"'; text++) {
        if (*text == '\\' && text[1])
            text++;
    }
    return *text ? text + 1 : text;
}

static const char *
word_end(const char *text)
{
    int nested = 0;

    while (*text && (nested > 0 || !isspace((unsigned char) *text))) {
        if (*text == '"') {
            text = skip_quoted(text);
            continue;
        }
        nested += *text == '(';
        nested -= *text == ')';
        text++;
    }
    return text;
}

char *
word_next(char **rest)
{
    char *start = *rest;
    while (isspace((unsigned char) *start))
        start++;
    if (!*start)
        return NULL;
    char *end = start + (word_end(start) - start);
    *rest = *end ? end + 1 : end;
    *end = '\0';
    return start;
}

static char
escaped(const char **text)
{
    const char *at = (*text)++;
    if (*at == 'n')
        return '\n';
    if (*at == 'x' && isxdigit((unsigned char) at[1]) && isxdigit((unsigned char) at[2])) {
        char digits[3] = {at[1], at[2], '\0'};
        *text += 2;
        return (char) strtoul(digits, NULL, 16);
    }
    return *at;
}

size_t
word_unquote(char *word)
{
    if (*word != '"')
        return strlen(word);

    char *out = word;
    const char *in = word + 1;
    while (*in && *in != '"') {
        char c = *in++;
        *out++ = c == '\\' && *in ? escaped(&in) : c;
    }
    *out = '\0';
    return (size_t) (out - word);
}

void *
need_alloc(size_t size)
{
    void *memory = calloc(1, size ? size : 1);
    if (!memory) {
        fputs("out of memory\n", stderr);
        exit(EXIT_HARD_ERROR);
    }
    return memory;
}

void *
need_array(void *old, size_t count, size_t size)
{
    void *memory = reallocarray(old, count ? count : 1, size);
    if (!memory) {
        fputs("out of memory\n", stderr);
        exit(EXIT_HARD_ERROR);
    }
    return memory;
}

char *
need_copy(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(need_alloc(size), text, size);
}
