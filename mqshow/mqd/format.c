// SPDX-License-Identifier: BSD-3-Clause
// A message of an MQD library: a format that may hold one %s.
#include "mqshow/mqd/format.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool
is_format(const char *text)
{
    int names = 0;
    for (const char *s = strchr(text, '%'); s != NULL; s = strchr(s + 2, '%')) {
        if (s[1] != 's' && s[1] != '%')
            return false;
        names += s[1] == 's';
    }
    return names <= 1;
}

static char *
fill_in(const char *format, const char *name)
{
    char *filled = alloc_zeroed(strlen(format) + strlen(name) + 1, 1);
    char *end = filled;
    for (const char *s = format; *s != '\0'; s++) {
        if (*s != '%')
            *end++ = *s;
        else if (*++s == '%')
            *end++ = '%';
        else
            end = stpcpy(end, name);
    }
    return filled;
}

char *
format_message(const char *format, const char *name, size_t max)
{
    size_t length = strnlen(format, max);
    char *copy = alloc_zeroed(length + 1, 1);
    memcpy(copy, format, length);
    // A line break at the end or within is layout, not content.
    for (char *s = copy; (s = strchr(s, '\n')) != NULL;)
        *s = ' ';
    char *filled = is_format(copy) ? fill_in(copy, name) : alloc_text(copy);
    char *message = escape_text(filled, 2 * max + strlen(name));
    free(filled);
    free(copy);
    return message;
}
