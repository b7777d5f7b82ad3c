// SPDX-License-Identifier: BSD-3-Clause
// A text that grows, and the forms of lists of ranks.
#include "mqshow/base/strbuf.h"

#include "mqshow/base/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void
make_room(struct strbuf *buf, size_t more)
{
    if (buf->length + more < buf->capacity)
        return;
    buf->capacity = 2 * (buf->length + more) + 64;
    buf->text = realloc(buf->text, buf->capacity);
    if (buf->text == NULL)
        die("out of memory");
    buf->text[buf->length] = '\0';
}

void
strbuf_add(struct strbuf *buf, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    make_room(buf, length > 0 ? (size_t) length : 0);
    if (length > 0)
        buf->length +=
            (size_t) vsnprintf(buf->text + buf->length, (size_t) length + 1, format, again);
    va_end(again);
    va_end(args);
}

char *
strbuf_take(struct strbuf *buf)
{
    char *text = buf->text != NULL ? buf->text : alloc_text("");
    *buf = (struct strbuf){.text = NULL};
    return text;
}

void
strbuf_add_runs(struct strbuf *buf, const int32_t *numbers, size_t count, size_t max)
{
    size_t runs = 0;
    for (size_t first = 0, last; first < count; first = last + 1, runs++) {
        last = first;
        while (last + 1 < count && numbers[last + 1] - 1 == numbers[last])
            last++;
        if (runs == max) {
            strbuf_add(buf, ",...");
            break;
        }
        strbuf_add(buf, "%s%d", runs > 0 ? "," : "", numbers[first]);
        if (last > first)
            strbuf_add(buf, "%c%d", last > first + 1 ? '-' : ',', numbers[last]);
    }
}

void
strbuf_add_ranges(struct strbuf *buf, const int32_t *numbers, size_t count, size_t max)
{
    strbuf_add(buf, "[");
    strbuf_add_runs(buf, numbers, count, max);
    strbuf_add(buf, "]");
}
