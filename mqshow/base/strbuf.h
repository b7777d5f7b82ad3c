// SPDX-License-Identifier: BSD-3-Clause
// A text that grows, and the forms of lists of ranks.
#ifndef MQSHOW_BASE_STRBUF_H
#define MQSHOW_BASE_STRBUF_H

#include "mqshow/base/alloc.h"

#include <stddef.h>
#include <stdint.h>

struct strbuf {
    char *text; // NULL: empty
    size_t length, capacity;
};

/** Appends a formatted text. */
void strbuf_add(struct strbuf *buf, const char *format, ...) PRINTF(2, 3);

/** Gives the text away, to free(). */
char *strbuf_take(struct strbuf *buf);

/** Appends "0-3,7" for rising numbers; "..." replaces what follows `max` runs. */
void strbuf_add_runs(struct strbuf *buf, const int32_t *numbers, size_t count, size_t max);

/** Appends "[0-3,7]" for rising numbers; "..." replaces what follows `max` runs. */
void strbuf_add_ranges(struct strbuf *buf, const int32_t *numbers, size_t count, size_t max);

#endif
