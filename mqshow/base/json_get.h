// SPDX-License-Identifier: BSD-3-Clause
// Members of JSON objects that may be absent or of another type than they should be.
#ifndef MQSHOW_BASE_JSON_GET_H
#define MQSHOW_BASE_JSON_GET_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/** A text; NULL when there is none. */
const char *json_get_text(const json_t *object, const char *key);

/** A whole number from `low` to `high`; `otherwise` when there is none. */
int64_t json_get_number(const json_t *object, const char *key, int64_t low, int64_t high,
                        int64_t otherwise);

/** Whether the member is true. */
bool json_get_true(const json_t *object, const char *key);

/** The number of the text "0x4711". @return false: the value is something else, or written in
 * another way */
bool json_get_hex(const json_t *value, uint64_t *ret);

#endif
