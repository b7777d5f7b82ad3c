// SPDX-License-Identifier: BSD-3-Clause
// Comparing a report with a record of which some things cannot be seen.
#include "limits.h"
#include "compare.h"
#include "paths.h"
#include "run.h"
#include "vendor_diff.h"

#include <stdlib.h>
#include <string.h>

json_t *
limits_load(enum device device)
{
    return device == DEVICE_OB1 ? json_array() : vendor_reviewed_load(path_limits(device));
}

// One comparison.
struct look {
    json_t *limits;
    const char *where;
    json_t *words; // an array: what must be said
};

// The words at the beginning of a reason.
static json_t *
words_of(const json_t *limit)
{
    const char *reason = json_string_value(json_object_get(limit, "reason"));
    const char *bar = strstr(reason, " | ");
    return bar != NULL ? json_stringn(reason, (size_t) (bar - reason)) : NULL;
}

static bool
may_differ(void *context, const char *text)
{
    struct look *look = context;
    char *line = run_text("%s: %s", look->where, text);
    const json_t *limit = vendor_reviewed_find(look->limits, line);
    json_t *words = limit != NULL ? words_of(limit) : NULL;
    if (words != NULL)
        json_array_append_new(look->words, words);
    free(line);
    return limit != NULL;
}

static bool
is_said(const json_t *messages, const char *words)
{
    size_t i;
    json_t *message;
    json_array_foreach (messages, i, message) {
        if (strstr(json_string_value(message), words) != NULL)
            return true;
    }
    return false;
}

static char *
expect_said(const json_t *words, const json_t *process)
{
    size_t i;
    json_t *item;
    json_array_foreach (words, i, item) {
        if (!is_said(json_object_get(process, "messages"), json_string_value(item)))
            return run_text("something is missing and no message says \"%s\"",
                            json_string_value(item));
    }
    return NULL;
}

char *
limits_compare(json_t *limits, const char *where, const json_t *truth, const json_t *report)
{
    struct look look = {limits, where, json_array()};
    json_int_t pid = json_integer_value(json_object_get(truth, "pid"));
    char *ret = compare_allowing(truth, report, may_differ, &look);
    if (ret == NULL)
        ret = expect_said(look.words, compare_find_process(report, pid));
    json_decref(look.words);
    return ret;
}
