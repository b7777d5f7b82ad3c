// SPDX-License-Identifier: BSD-3-Clause
// A text that grows, and the forms of lists of ranks.
#include "mqshow/base/strbuf.h"

#include "mqshow/base/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void
make_room(struct strbuf *words, size_t more)
{
    if (words->length + more < words->capacity)
        return;
    words->capacity = 2 * (words->length + more) + 64;
    words->text = realloc(words->text, words->capacity);
    if (words->text == NULL)
        die("out of memory");
    words->text[words->length] = '\0';
}

void
strbuf_add(struct strbuf *words, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    make_room(words, length > 0 ? (size_t) length : 0);
    if (length > 0)
        words->length +=
            (size_t) vsnprintf(words->text + words->length, (size_t) length + 1, format, again);
    va_end(again);
    va_end(args);
}

char *
strbuf_take(struct strbuf *words)
{
    char *text = words->text != NULL ? words->text : alloc_text("");
    *words = (struct strbuf){.text = NULL};
    return text;
}

void
strbuf_add_runs(struct strbuf *words, const int32_t *numbers, size_t count, size_t max)
{
    size_t runs = 0;
    for (size_t first = 0, last; first < count; first = last + 1, runs++) {
        last = first;
        while (last + 1 < count && numbers[last + 1] - 1 == numbers[last])
            last++;
        if (runs == max) {
            strbuf_add(words, ",...");
            break;
        }
        strbuf_add(words, "%s%d", runs > 0 ? "," : "", numbers[first]);
        if (last > first)
            strbuf_add(words, "%c%d", last > first + 1 ? '-' : ',', numbers[last]);
    }
}

void
strbuf_add_ranges(struct strbuf *words, const int32_t *numbers, size_t count, size_t max)
{
    strbuf_add(words, "[");
    strbuf_add_runs(words, numbers, count, max);
    strbuf_add(words, "]");
}
