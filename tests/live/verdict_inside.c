// SPDX-License-Identifier: BSD-3-Clause
// Whether the waits inside of processes, for locks and barriers, are what the programs know.
#include "verdict_parts.h"

#include <stdbool.h>
#include <string.h>

// What is told of a wait begins with what is recorded; the program does not know its lines.
static bool
is_same_wait(const json_t *recorded, const json_t *told)
{
    static const char *const keys[] = {"rank", "tid", "needs", "for"};
    const char *inside = verdict_text(recorded, "inside");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (!json_equal(json_object_get(recorded, keys[i]), json_object_get(told, keys[i])))
            return false;
    }
    return strncmp(verdict_text(told, "inside"), inside, strlen(inside)) == 0;
}

static json_t *
waits_inside(const json_t *waits)
{
    json_t *ret = json_array(), *wait;
    size_t i;
    json_array_foreach (waits, i, wait) {
        if (json_object_get(wait, "inside") != NULL)
            json_array_append(ret, wait);
    }
    return ret;
}

static bool
has_wait(const json_t *waits, const json_t *recorded)
{
    size_t i;
    const json_t *wait;
    json_array_foreach (waits, i, wait) {
        if (is_same_wait(recorded, wait))
            return true;
    }
    return false;
}

char *
verdict_compare_inside(const json_t *truths, const json_t *verdict)
{
    json_t *all = verdict_gather(truths, "waits"), *expected = waits_inside(all), *wait;
    json_t *found = waits_inside(json_object_get(verdict, "waits"));
    bool same = json_array_size(expected) == json_array_size(found);
    size_t i;
    json_array_foreach (expected, i, wait)
        same &= has_wait(found, wait);
    char *ret = same ? NULL : verdict_differ("waits inside of processes", expected, found);
    json_decref(found);
    json_decref(expected);
    json_decref(all);
    return ret;
}
