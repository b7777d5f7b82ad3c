// SPDX-License-Identifier: BSD-3-Clause
// Setting members of JSON objects that may not be known.
#include "mqshow/base/json.h"

#include "mqshow/base/escape.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void
json_set_text(json_t *object, const char *key, const char *text)
{
    if (text != NULL)
        json_object_set_new(object, key, json_string(text));
}

void
json_set_integer(json_t *object, const char *key, bool known, int64_t value)
{
    if (known)
        json_object_set_new(object, key, json_integer(value));
}

void
json_set_bool(json_t *object, const char *key, bool known, bool value)
{
    if (known)
        json_object_set_new(object, key, json_boolean(value));
}

void
json_set_or_any(json_t *object, const char *key, bool known, bool any, int64_t value)
{
    if (known)
        json_object_set_new(object, key, any ? json_string("any") : json_integer(value));
}

void
json_set_hex(json_t *object, const char *key, bool known, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "0x%" PRIx64, value);
    if (known)
        json_object_set_new(object, key, json_string(text));
}

void
json_set_raw_text(json_t *object, const char *key, const char *text, size_t size)
{
    char *escaped = escape_text(text, size);
    if (*escaped != '\0')
        json_set_text(object, key, escaped);
    free(escaped);
}
