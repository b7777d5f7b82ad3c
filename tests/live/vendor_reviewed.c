// SPDX-License-Identifier: BSD-3-Clause
// The list of differences from the vendor's DLL that were looked into, with reasons.
#include "vendor_diff.h"
#include "run.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Appends "PATTERN | REASON" to the list; comments and empty lines are left out.
static int
add_entry(json_t *list, char *line)
{
    char *bar = strstr(line, " | ");
    if (*line == '#' || *line == '\0')
        return 0;
    if (bar == NULL)
        return -1;
    *bar = '\0';
    return json_array_append_new(
        list, json_pack("{s:s, s:s}", "pattern", line, "reason", bar + strlen(" | ")));
}

json_t *
vendor_reviewed_load(const char *path)
{
    char *text = run_read_file(path), *rest = text, *line;
    json_t *list = json_array();
    int failed = text == NULL;
    while (!failed && (line = strsep(&rest, "\n")) != NULL)
        failed = add_entry(list, line) != 0;
    free(text);
    if (!failed)
        return list;
    fprintf(stderr, "%s: cannot be read, or has a line without a reason\n", path);
    json_decref(list);
    return NULL;
}

const json_t *
vendor_reviewed_find(json_t *reviewed, const char *line)
{
    size_t i;
    json_t *entry;
    json_array_foreach (reviewed, i, entry) {
        if (fnmatch(json_string_value(json_object_get(entry, "pattern")), line, 0) == 0) {
            json_object_set_new(entry, "used", json_true());
            return entry;
        }
    }
    return NULL;
}

const json_t *
vendor_reviewed_unused(const json_t *reviewed, const char *other)
{
    size_t i;
    json_t *entry;
    json_array_foreach (reviewed, i, entry) {
        if (json_object_get(entry, "used") == NULL &&
            fnmatch(other, json_string_value(json_object_get(entry, "pattern")), 0) != 0)
            return entry;
    }
    return NULL;
}
