// SPDX-License-Identifier: BSD-3-Clause
// Whether gdb tells what mqshow does.
#include "gdb.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// What is not compared: remarks, which name their tool, and what belongs to one look.
static const char *const ignored[] = {"messages", "stats",   "verdict", "stopped_ms", "world",
                                      "moved",    "settled", "looks",   NULL};

// Likewise of a thread; where it sleeps is not known to who asks a debugger for its registers.
static const char *const of_stacks[] = {"stack",  "stack_complete", "name", "communicator",
                                        "kernel", "mpi_main",       NULL};

// What gdb may say and mqshow not.
static const char *const of_gdb[] = {"traffic", NULL};

static bool
is_in(const char *const *list, const char *key)
{
    while (*list != NULL && strcmp(*list, key) != 0)
        list++;
    return *list != NULL;
}

static bool
is_ignored(const json_t *object, const char *key)
{
    // Each unwinds in its own way, and a core does not tell what threads are called.
    bool of_thread = json_object_get(object, "stack") != NULL;
    return is_in(ignored, key) || (of_thread && is_in(of_stacks, key));
}

static char *
differ(const char *path, const json_t *first, const json_t *second)
{
    char *one = first != NULL ? json_dumps(first, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    char *two = second != NULL ? json_dumps(second, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    char *ret = run_text("%s: mqshow says %s, gdb says %s", path, one != NULL ? one : "nothing",
                         two != NULL ? two : "nothing");
    free(one);
    free(two);
    return ret;
}

static char *compare(const char *path, json_t *first, json_t *second);

static char *
compare_member(const char *path, const char *key, json_t *first, json_t *second)
{
    char *inner = run_text("%s.%s", path, key);
    char *ret = compare(inner, json_object_get(first, key), json_object_get(second, key));
    free(inner);
    return ret;
}

static char *
compare_objects(const char *path, json_t *first, json_t *second)
{
    const char *key;
    json_t *value;
    char *ret = NULL;
    json_object_foreach (first, key, value) {
        if (ret == NULL && !is_ignored(first, key))
            ret = compare_member(path, key, first, second);
    }
    json_object_foreach (second, key, value) {
        if (ret == NULL && !is_ignored(first, key) && !is_in(of_gdb, key) &&
            json_object_get(first, key) == NULL)
            ret = compare_member(path, key, first, second);
    }
    return ret;
}

static char *
compare_arrays(const char *path, json_t *first, json_t *second)
{
    char *ret = NULL;
    if (json_array_size(first) != json_array_size(second))
        return differ(path, first, second);
    for (size_t i = 0; i < json_array_size(first) && ret == NULL; i++) {
        char *inner = run_text("%s[%zu]", path, i);
        ret = compare(inner, json_array_get(first, i), json_array_get(second, i));
        free(inner);
    }
    return ret;
}

static char *
compare(const char *path, json_t *first, json_t *second)
{
    if (json_is_object(first) && json_is_object(second))
        return compare_objects(path, first, second);
    if (json_is_array(first) && json_is_array(second))
        return compare_arrays(path, first, second);
    return json_equal(first, second) ? NULL : differ(path, first, second);
}

char *
gdb_compare(const json_t *of_mqshow, const json_t *gdbs)
{
    return compare_member("document", "processes", (json_t *) of_mqshow, (json_t *) gdbs);
}
