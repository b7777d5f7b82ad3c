// SPDX-License-Identifier: BSD-3-Clause
// Comparing what the tool reports with what the program recorded.
#include "compare.h"
#include "run.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PATH = 400, MAX_SHOWN = 300 };

// Where the comparison is, and the first difference.
struct comparison {
    char path[MAX_PATH];
    char *difference;
};

static bool contains(struct comparison *here, const json_t *expected, const json_t *actual);

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
    here->difference = run_text("%s: expected %s, found %s", here->path, wanted, found);
    free(found);
    free(wanted);
    return false;
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

// The member of an array of objects whose member `key` has that value.
static json_t *
find_by(const json_t *array, const char *key, const json_t *value)
{
    size_t i;
    json_t *item;
    json_array_foreach (array, i, item) {
        if (json_equal(json_object_get(item, key), value))
            return item;
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
        char *id = shown(json_object_get(item, key)), *step = run_text("[%s]", id);
        bool good = contains_at(here, step, item, find_by(actual, key, json_object_get(item, key)));
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
    json_t *found = only_active(actual);
    bool ret = contains_in_order(here, expected, found);
    json_decref(found);
    return ret;
}

// Members that are compared in a way of their own.
static const struct {
    const char *key;
    bool (*contains)(struct comparison *, const json_t *, const json_t *);
} special[] = {
    {"communicators", contains_by_name}, {"sends", contains_per_peer},
    {"unexpected", contains_per_peer},   {"collectives", contains_active},
    {"threads", contains_by_tid},
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

static bool
contains(struct comparison *here, const json_t *expected, const json_t *actual)
{
    if (json_is_object(expected) && json_is_object(actual))
        return contains_members(here, (json_t *) (void *) expected, actual);
    if (json_is_array(expected) && json_is_array(actual))
        return contains_in_order(here, expected, actual);
    return json_equal(expected, actual) || differ(here, expected, actual);
}

json_t *
compare_find_process(const json_t *report, json_int_t pid)
{
    size_t i;
    json_t *process;
    json_array_foreach (json_object_get(report, "processes"), i, process) {
        if (json_integer_value(json_object_get(process, "pid")) == pid)
            return process;
    }
    return NULL;
}

// Takes "communicator_count" out of the record and compares it.
static char *
compare_count(json_t *expected, const json_t *process)
{
    json_int_t wanted = json_integer_value(json_object_get(expected, "communicator_count"));
    size_t found = json_array_size(json_object_get(process, "communicators"));
    json_object_del(expected, "communicator_count");
    if (found == (size_t) wanted)
        return NULL;
    return run_text("expected %d communicators, found %zu", (int) wanted, found);
}

char *
compare_truth(const json_t *truth, const json_t *report)
{
    json_int_t pid = json_integer_value(json_object_get(truth, "pid"));
    json_t *process = compare_find_process(report, pid), *expected = json_copy((json_t *) truth);
    struct comparison here = {.difference = NULL};
    snprintf(here.path, sizeof here.path, "rank %d (pid %d)",
             (int) json_integer_value(json_object_get(truth, "rank")), (int) pid);
    char *count = compare_count(expected, process);
    if (contains(&here, expected, process))
        here.difference = count;
    else
        free(count);
    json_decref(expected);
    return here.difference;
}

static void
remove_members(json_t *value, const char *const *keys)
{
    size_t i;
    const char *key;
    json_t *item;
    for (const char *const *name = keys; *name != NULL; name++)
        json_object_del(value, *name);
    json_object_foreach (value, key, item)
        remove_members(item, keys);
    json_array_foreach (value, i, item)
        remove_members(item, keys);
}

static json_t *
copy_without(const json_t *value, const char *const *keys)
{
    json_t *ret = json_deep_copy(value);
    remove_members(ret, keys);
    return ret;
}

char *
compare_communicators(const json_t *truth, const json_t *report)
{
    static const char *const queues[] = {"receives", "unexpected", "sends", "collectives", NULL};
    json_t *expected = copy_without(truth, queues);
    char *ret = compare_truth(expected, report);
    json_decref(expected);
    return ret;
}

char *
compare_reports(const json_t *first, const json_t *second)
{
    static const char *const ignored[] = {"layout", "messages", "stats", NULL};
    json_t *a = copy_without(first, ignored), *b = copy_without(second, ignored);
    struct comparison here = {.path = "report"};
    if (!json_equal(a, b) && contains(&here, a, b) && contains(&here, b, a))
        here.difference = run_text("the reports differ in order only");
    json_decref(b);
    json_decref(a);
    return here.difference;
}
