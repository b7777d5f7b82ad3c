// SPDX-License-Identifier: BSD-3-Clause
// Ranks that follow each other.
#include "tools/html/run.h"

#include <stdlib.h>

bool
run_read(const json_t *item, struct run *ret)
{
    *ret = (struct run){json_integer_value(item), json_integer_value(item)};
    if (!json_is_string(item))
        return json_is_integer(item);
    const char *text = json_string_value(item);
    char *end;
    ret->first = strtoll(text, &end, 10);
    if (end == text || *end != '-')
        return false;
    const char *second = end + 1;
    ret->last = strtoll(second, &end, 10);
    return end != second && *end == '\0' && ret->last >= ret->first;
}
