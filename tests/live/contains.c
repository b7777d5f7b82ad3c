// SPDX-License-Identifier: BSD-3-Clause
// Whether what a program recorded is contained in what was reported: the rules, member by member.
#include "contains.h"
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SHOWN = 300 };

static char *
shown(const json_t *value)
{
    char *ret =
        value != NULL ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : strdup("nothing");
    if (ret != NULL && strlen(ret) > MAX_SHOWN)
        strcpy(ret + MAX_SHOWN - 3, "...");
    return ret;
}

static bool
differ(struct comparison *here, const json_t *expected, const json_t *actual)
{
    char *wanted = shown(expected), *found = shown(actual);
    char *text = run_text("%s: expected %s, found %s", here->path, wanted, found);
    bool matters = here->may_differ == NULL || !here->may_differ(here->context, text);
    free(found);
    free(wanted);
    if (matters)
        here->difference = text;
    else
        free(text);
    return !matters;
}

// Goes one step down for a comparison: ".NAME" or "[NUMBER]".
static bool
contains_at(struct comparison *here, const char *step, const json_t *expected, const json_t *actual)
{
    size_t length = strlen(here->path);
    snprintf(here->path + length, sizeof here->path - length, "%s", step);
    bool ret = contains(here, expected, actual);
    here->path[length] = '\0';
    return ret;
}

static bool
contains_in_order(struct comparison *here, const json_t *expected, const json_t *actual)
{
    char step[32];
    for (size_t i = 0; i < json_array_size(expected) || i < json_array_size(actual); i++) {
        snprintf(step, sizeof step, "[%zu]", i);
        if (!contains_at(here, step, json_array_get(expected, i), json_array_get(actual, i)))
            return false;
    }
    return true;
}

struct ranked {
    json_int_t peer;
    size_t index;
};

static int
compare_ranked(const void *first, const void *second)
{
    const struct ranked *a = first, *b = second;
    if (a->peer != b->peer)
        return a->peer < b->peer ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

// A copy of an array of operations that is sorted by peer and else keeps the order.
static json_t *
sort_by_peer(const json_t *ops)
{
    size_t count = json_array_size(ops);
    struct ranked *order = calloc(count + 1, sizeof *order);
    json_t *ret = json_array();
    for (size_t i = 0; order != NULL && i < count; i++)
        order[i] =
            (struct ranked){json_integer_value(json_object_get(json_array_get(ops, i), "peer")), i};
    if (order != NULL)
        qsort(order, count, sizeof *order, compare_ranked);
    for (size_t i = 0; order != NULL && i < count; i++)
        json_array_append(ret, json_array_get(ops, order[i].index));
    free(order);
    return ret;
}

static bool
contains_per_peer(struct comparison *here, const json_t *expected, const json_t *actual)
{
    if (!json_is_array(actual))
        return differ(here, expected, actual);
    json_t *wanted = sort_by_peer(expected), *found = sort_by_peer(actual);
    bool ret = contains_in_order(here, wanted, found);
    json_decref(found);
    json_decref(wanted);
    return ret;
}

json_t *
contains_find(const json_t *array, const char *key, const json_t *value)
{
    size_t i;
    json_t *item;
    json_array_foreach (array, i, item) {
        if (json_equal(json_object_get(item, key), value))
            return item;
    }
    return NULL;
}

// Something without a key need only fit one of the items.
static const json_t *
find_fitting(const struct comparison *here, const json_t *array, const json_t *expected)
{
    size_t i;
    json_t *item;
    json_array_foreach (array, i, item) {
        struct comparison trial = *here;
        if (contains(&trial, expected, item))
            return item;
        free(trial.difference);
    }
    return NULL;
}

static bool
contains_keyed(struct comparison *here, const json_t *expected, const json_t *actual,
               const char *key)
{
    size_t i;
    json_t *item;
    json_array_foreach (expected, i, item) {
        const json_t *value = json_object_get(item, key);
        char *id = shown(value), *step = run_text("[%s]", id);
        bool good = contains_at(here, step, item,
                                value != NULL ? contains_find(actual, key, value)
                                              : find_fitting(here, actual, item));
        free(step);
        free(id);
        if (!good)
            return false;
    }
    return true;
}

static bool
contains_by_name(struct comparison *here, const json_t *expected, const json_t *actual)
{
    return contains_keyed(here, expected, actual, "name");
}

static bool
contains_by_tid(struct comparison *here, const json_t *expected, const json_t *actual)
{
    return contains_keyed(here, expected, actual, "tid");
}

static json_t *
only_active(const json_t *collectives)
{
    size_t i;
    json_t *item, *ret = json_array();
    json_array_foreach (collectives, i, item) {
        if (json_is_true(json_object_get(item, "active")))
            json_array_append(ret, item);
    }
    return ret;
}

static bool
contains_active(struct comparison *here, const json_t *expected, const json_t *actual)
{
    if (actual == NULL && json_array_size(expected) > 0)
        return differ(here, expected, actual);
    json_t *found = only_active(actual);
    bool ret = contains_in_order(here, expected, found);
    json_decref(found);
    return ret;
}

// Of a process of another job there is nothing to say, or that it is not in MPI_COMM_WORLD.
static bool
contains_world_peer(struct comparison *here, const json_t *expected, const json_t *actual)
{
    if (json_integer_value(expected) == -1 && actual == NULL)
        return true;
    return contains(here, expected, actual);
}

// Of an array there may be more behind what is expected.
static bool
contains_first(struct comparison *here, const json_t *expected, const json_t *actual)
{
    json_t *first = json_array();
    for (size_t i = 0; i < json_array_size(expected) && i < json_array_size(actual); i++)
        json_array_append(first, json_array_get(actual, i));
    bool ret = contains_in_order(here, expected, first);
    json_decref(first);
    return ret;
}

static const char *
base_name(const json_t *path)
{
    const char *text = json_string_value(path);
    const char *slash = text != NULL ? strrchr(text, '/') : NULL;
    return slash != NULL ? slash + 1 : text;
}

// Compilers write paths relative to where they were called, debuggers whole ones.
static bool
contains_file(struct comparison *here, const json_t *expected, const json_t *actual)
{
    const char *wanted = base_name(expected), *found = base_name(actual);
    return (wanted != NULL && found != NULL && strcmp(wanted, found) == 0) ||
           differ(here, expected, actual);
}

// Compilers make longer names of a name in the program.
static bool
contains_symbol(struct comparison *here, const json_t *expected, const json_t *actual)
{
    const char *wanted = json_string_value(expected), *found = json_string_value(actual);
    return (wanted != NULL && found != NULL && strstr(found, wanted) != NULL) ||
           differ(here, expected, actual);
}

// Members that are compared in a way of their own.
static const struct {
    const char *key;
    bool (*contains)(struct comparison *, const json_t *, const json_t *);
} special[] = {
    {"communicators", contains_by_name}, {"sends", contains_per_peer},
    {"unexpected", contains_per_peer},   {"collectives", contains_active},
    {"threads", contains_by_tid},        {"world_peer", contains_world_peer},
    {"tasks", contains_first},           {"file", contains_file},
    {"symbol", contains_symbol},
};

static bool
contains_member(struct comparison *here, const char *key, const json_t *expected,
                const json_t *actual)
{
    for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
        if (strcmp(special[i].key, key) == 0)
            return special[i].contains(here, expected, actual);
    }
    return contains(here, expected, actual);
}

static bool
contains_members(struct comparison *here, json_t *expected, const json_t *actual)
{
    size_t length = strlen(here->path);
    const char *key;
    json_t *value;
    json_object_foreach (expected, key, value) {
        snprintf(here->path + length, sizeof here->path - length, ".%s", key);
        if (!contains_member(here, key, value, json_object_get(actual, key)))
            return false;
        here->path[length] = '\0';
    }
    return true;
}

bool
contains(struct comparison *here, const json_t *expected, const json_t *actual)
{
    if (json_is_object(expected) && json_is_object(actual))
        return contains_members(here, (json_t *) (void *) expected, actual);
    if (json_is_array(expected) && json_is_array(actual))
        return contains_in_order(here, expected, actual);
    return json_equal(expected, actual) || differ(here, expected, actual);
}
