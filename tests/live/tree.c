// SPDX-License-Identifier: BSD-3-Clause
// The tree of OpenMP regions that mqshow prints for people, against what the program recorded.
#include "tree.h"
#include "run.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// The line of a thread that begins at `line`, or the one that it is below: the nearest above with
// fewer blanks in front. NULL: there is none.
static const char *
line_around(const char *text, const char *line)
{
    size_t indent = strspn(line, " ");
    while (line > text) {
        do
            line--;
        while (line > text && line[-1] != '\n');
        if (strspn(line, " ") < indent)
            return line;
    }
    return NULL;
}

static json_int_t
number(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

// "region at ring.c:14 in work   team of 3, level 1".
static char *
region_text(const json_t *region)
{
    const json_t *function = json_object_get(region, "function");
    const char *file = json_string_value(json_object_get(function, "file"));
    const char *slash = file != NULL ? strrchr(file, '/') : NULL;
    return run_text("region at %s:%d in %s   team of %d, level %d",
                    slash != NULL ? slash + 1 : file, (int) number(function, "line"),
                    json_string_value(json_object_get(function, "name")),
                    (int) number(region, "team_size"), (int) number(region, "level"));
}

static char *
region_missing(const json_t *region, const char *text, const char *line)
{
    char *expected = region_text(region), *problem = NULL;
    const char *found = line_around(text, line);
    const char *start = found != NULL ? found + strspn(found, " ") : "";
    if (strncmp(start, expected, strlen(expected)) != 0)
        problem = run_text("expected \"%s\", found \"%.*s\"", expected, (int) strcspn(start, "\n"),
                           start);
    free(expected);
    const json_t *parent = json_object_get(region, "parent");
    // The one around the whole program is not shown.
    if (problem != NULL || number(parent, "level") == 0)
        return problem;
    // Between a region and the one around it is the thread that started it.
    const char *starter = line_around(text, found);
    return starter != NULL ? region_missing(parent, text, starter)
                           : run_text("nothing is around a nested region");
}

static char *
thread_missing(const json_t *thread, const char *text)
{
    char *who = run_text(" thread %d ", (int) number(thread, "thread_num"));
    char *tid = run_text("  tid %d", (int) number(thread, "tid"));
    char *problem = NULL;
    const char *line = NULL;
    // A thread that started a nested region stands in the outer one, too: the last line counts.
    for (const char *at = text; (at = strstr(at, tid)) != NULL; at++)
        line = isdigit((unsigned char) at[strlen(tid)]) ? line : at;
    while (line != NULL && line > text && line[-1] != '\n')
        line--;
    if (line == NULL || strncmp(line + strspn(line, " ") - 1, who, strlen(who)) != 0)
        problem = run_text("there is no%swith%s", who, tid);
    else
        problem = region_missing(json_object_get(thread, "region"), text, line);
    free(tid);
    free(who);
    return problem;
}

char *
tree_missing(const json_t *truth, const char *text)
{
    size_t i;
    json_t *thread;
    char *problem = NULL;
    json_array_foreach (json_object_get(json_object_get(truth, "openmp"), "threads"), i, thread) {
        if (problem == NULL)
            problem = thread_missing(thread, text);
    }
    return problem;
}
