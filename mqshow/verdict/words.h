// SPDX-License-Identifier: BSD-3-Clause
// A text that grows, and the ways in which ranks are told.
#ifndef MQSHOW_VERDICT_WORDS_H
#define MQSHOW_VERDICT_WORDS_H

#include "mqshow/base/alloc.h"

#include <stddef.h>
#include <stdint.h>

struct words {
    char *text; // NULL: empty
    size_t length, capacity;
};

/** Appends a formatted text. */
void words_add(struct words *words, const char *format, ...) PRINTF(2, 3);

/** Gives the text away, to free(). */
char *words_take(struct words *words);

/** Appends "0-3,7" for rising numbers; "..." stands for what is behind `max` runs. */
void words_add_runs(struct words *words, const int32_t *numbers, size_t count, size_t max);

/** Appends "[0-3,7]" for rising numbers; "..." stands for what is behind `max` runs. */
void words_add_ranges(struct words *words, const int32_t *numbers, size_t count, size_t max);

#endif
