// SPDX-License-Identifier: BSD-3-Clause
// Setting members of JSON objects: what is not known is left out.
#ifndef MQSHOW_BASE_JSON_H
#define MQSHOW_BASE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** An escaped text; nothing for NULL. */
void json_set_text(json_t *object, const char *key, const char *text);

/** A text that is not escaped yet, of at most `size` bytes; nothing when it is empty. */
void json_set_raw_text(json_t *object, const char *key, const char *text, size_t size);

void json_set_integer(json_t *object, const char *key, bool known, int64_t value);
void json_set_bool(json_t *object, const char *key, bool known, bool value);

/** A number, or the word "any". */
void json_set_or_any(json_t *object, const char *key, bool known, bool any, int64_t value);

/** The number as a text, "0x4711". */
void json_set_hex(json_t *object, const char *key, bool known, uint64_t value);

#endif
