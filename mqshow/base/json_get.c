// SPDX-License-Identifier: BSD-3-Clause
// Members of JSON objects that may be absent or of another type than they should be.
#include "mqshow/base/json_get.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *
json_get_text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

int64_t
json_get_number(const json_t *object, const char *key, int64_t low, int64_t high, int64_t otherwise)
{
    const json_t *member = json_object_get(object, key);
    if (!json_is_integer(member))
        return otherwise;
    int64_t value = json_integer_value(member);
    return value >= low && value <= high ? value : otherwise;
}

bool
json_get_true(const json_t *object, const char *key)
{
    return json_is_true(json_object_get(object, key));
}

bool
json_get_hex(const json_t *value, uint64_t *ret)
{
    char again[32];
    const char *text = json_string_value(value);
    uint64_t number = text && strncmp(text, "0x", 2) == 0 ? strtoull(text, NULL, 16) : 0;
    snprintf(again, sizeof again, "0x%" PRIx64, number);
    if (!text || strcmp(again, text) != 0)
        return false;
    *ret = number;
    return true;
}
