// SPDX-License-Identifier: BSD-3-Clause
// Comparing what the tool reports with what the program recorded, and two reports with each other.
#include "compare.h"
#include "contains.h"
#include "run.h"

#include <stdio.h>
#include <stdlib.h>

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

// Communicators that were recorded and not reported: whether that matters is found out elsewhere.
static size_t
count_missing(const json_t *expected, const json_t *process)
{
    const json_t *found = json_object_get(process, "communicators");
    size_t i, ret = 0;
    json_t *comm;
    json_array_foreach (json_object_get(expected, "communicators"), i, comm) {
        const json_t *name = json_object_get(comm, "name");
        ret += name != NULL && contains_find(found, "name", name) == NULL;
    }
    return ret;
}

// Takes "communicator_count" out of the record, where it is there, and compares it.
static char *
compare_count(json_t *expected, const json_t *process)
{
    const json_t *count = json_object_get(expected, "communicator_count");
    if (count == NULL)
        return NULL;
    json_int_t wanted = json_integer_value(count);
    size_t found = json_array_size(json_object_get(process, "communicators"));
    found += count_missing(expected, process);
    json_object_del(expected, "communicator_count");
    if (found == (size_t) wanted)
        return NULL;
    return run_text("expected %d communicators, found %zu", (int) wanted, found);
}

static json_t *
find_region(const json_t *regions, const json_t *id)
{
    size_t i;
    json_t *region;
    json_array_foreach (regions, i, region) {
        if (id != NULL && json_equal(json_object_get(region, "id"), id))
            return region;
    }
    return NULL;
}

// A region with the enclosing one in the place of its id, and so on. A new value; NULL: none.
static json_t *
join_region(const json_t *regions, const json_t *id, size_t levels)
{
    json_t *region = levels > 0 ? json_copy(find_region(regions, id)) : NULL;
    json_t *parent =
        region != NULL ? join_region(regions, json_object_get(region, "parent"), levels - 1) : NULL;
    if (parent != NULL)
        json_object_set_new(region, "parent", parent);
    return region;
}

// A copy of a process in which the threads have their regions in the place of the ids.
static json_t *
join_regions(const json_t *process)
{
    size_t i;
    json_t *thread, *ret = json_copy((json_t *) process);
    json_t *openmp = json_deep_copy(json_object_get(process, "openmp"));
    if (openmp != NULL)
        json_object_set_new(ret, "openmp", openmp);
    const json_t *regions = json_object_get(openmp, "regions");
    json_array_foreach (json_object_get(openmp, "threads"), i, thread) {
        json_t *region =
            join_region(regions, json_object_get(thread, "region"), json_array_size(regions));
        if (region != NULL)
            json_object_set_new(thread, "region", region);
    }
    return ret;
}

char *
compare_allowing(const json_t *truth, const json_t *report,
                 bool (*may_differ)(void *context, const char *text), void *context)
{
    json_int_t pid = json_integer_value(json_object_get(truth, "pid"));
    json_t *process = join_regions(compare_find_process(report, pid));
    json_t *expected = json_copy((json_t *) truth);
    json_object_del(expected, "verdict"); // not about this process alone
    json_object_del(expected, "calls");   // not told in this form
    struct comparison here = {.may_differ = may_differ, .context = context};
    snprintf(here.path, sizeof here.path, "rank %d (pid %d)",
             (int) json_integer_value(json_object_get(truth, "rank")), (int) pid);
    char *count = compare_count(expected, process);
    if (contains(&here, expected, process))
        here.difference = count;
    else
        free(count);
    json_decref(expected);
    json_decref(process);
    return here.difference;
}

char *
compare_truth(const json_t *truth, const json_t *report)
{
    return compare_allowing(truth, report, NULL, NULL);
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
compare_reports(json_t *first, json_t *second)
{
    static const char *const ignored[] = {"layout", "messages",       "stats",
                                          "stack",  "stack_complete", "stopped_ms",
                                          "looks",  "kernel",         NULL};
    struct comparison here = {.path = "report"};
    remove_members(first, ignored);
    remove_members(second, ignored);
    if (!json_equal(first, second) && contains(&here, first, second) &&
        contains(&here, second, first))
        here.difference = run_text("the reports differ in order only");
    return here.difference;
}
