// SPDX-License-Identifier: BSD-3-Clause
// Texts from the target, made harmless.
#ifndef MQSHOW_BASE_ESCAPE_H
#define MQSHOW_BASE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

/** Copies a text up to its NUL or `max` bytes, whichever comes first, to memory for free().
 *
 * Control characters, what is not UTF-8 and the characters that change the direction of writing
 * become \xHH of their bytes. The result is valid UTF-8.
 */
char *escape_text(const char *text, size_t max);

/** Whether two texts are the same, or both NULL. */
bool text_equals(const char *a, const char *b);

/** The text behind the last slash of a path. */
const char *base_name(const char *path);

#endif
