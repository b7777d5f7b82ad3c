// SPDX-License-Identifier: BSD-3-Clause
// Ranks that follow each other.
#include "tools/html/run.h"

#include <stdint.h>
#include <stdlib.h>

static bool
read_text(const char *text, struct run *ret)
{
    char *end;
    ret->first = strtoll(text, &end, 10);
    if (end == text || *end != '-')
        return false;
    const char *second = end + 1;
    ret->last = strtoll(second, &end, 10);
    return end != second && *end == '\0';
}

bool
run_read(const json_t *item, struct run *ret)
{
    *ret = (struct run){json_integer_value(item), json_integer_value(item)};
    if (json_is_string(item) ? !read_text(json_string_value(item), ret) : !json_is_integer(item))
        return false;
    return ret->first >= -1 && ret->last >= ret->first && ret->last <= INT32_MAX;
}
