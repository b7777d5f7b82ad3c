// SPDX-License-Identifier: BSD-3-Clause
// Reading single members of a document that may hold anything.
#include "tools/parse.h"

#include "tools/escape.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

char *
parse_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? escape_text(text, SIZE_MAX) : NULL;
}

void
parse_copy(const json_t *object, const char *key, char *ret, size_t size)
{
    char *text = parse_text(object, key);
    memset(ret, 0, size);
    if (text != NULL)
        memcpy(ret, text, strnlen(text, size - 1));
    free(text);
}

bool
parse_integer(const json_t *object, const char *key, int64_t *ret)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_integer(value))
        return false;
    *ret = json_integer_value(value);
    return true;
}

bool
parse_hex(const json_t *object, const char *key, uint64_t *ret)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL && parse_hex_text(text, ret);
}

bool
parse_hex_text(const char *text, uint64_t *ret)
{
    if (strncmp(text, "0x", 2) != 0)
        return false;
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 16);
    if (errno != 0 || *end != '\0')
        return false;
    *ret = value;
    return true;
}

bool
parse_flag(const json_t *object, const char *key, uint32_t bit, uint32_t *known)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_boolean(value))
        return false;
    *known |= bit;
    return json_is_true(value);
}

int32_t
parse_number(const json_t *ids, const char *id)
{
    const json_t *number = id != NULL ? json_object_get(ids, id) : NULL;
    return json_is_integer(number) ? (int32_t) json_integer_value(number) : -1;
}
