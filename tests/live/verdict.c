// SPDX-License-Identifier: BSD-3-Clause
// Whether the parts of the verdict about a job are what its programs know.
#include "verdict.h"
#include "run.h"
#include "verdict_parts.h"

#include <stdlib.h>
#include <string.h>

json_t *
verdict_gather(const json_t *truths, const char *member)
{
    json_t *ret = json_array(), *truth, *entry;
    size_t i, k;
    json_array_foreach (truths, i, truth) {
        json_array_foreach (json_object_get(json_object_get(truth, "verdict"), member), k, entry)
            json_array_append(ret, entry);
    }
    return ret;
}

static const json_t *
first_verdict(const json_t *truths)
{
    return json_object_get(json_array_get(truths, 0), "verdict");
}

const char *
verdict_text(const json_t *object, const char *member)
{
    const char *text = json_string_value(json_object_get(object, member));
    return text != NULL ? text : "(nothing)";
}

char *
verdict_differ(const char *what, const json_t *expected, const json_t *found)
{
    char *one = json_dumps(expected, JSON_ENCODE_ANY | JSON_COMPACT);
    char *two = found != NULL ? json_dumps(found, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    char *ret = run_text("%s: expected %s, found %s", what, one, two != NULL ? two : "nothing");
    free(two);
    free(one);
    return ret;
}

static bool
has_equal_members(const json_t *a, const json_t *b, const char *const *keys)
{
    for (; *keys != NULL; keys++) {
        const json_t *one = json_object_get(a, *keys), *other = json_object_get(b, *keys);
        if (one != other && !json_equal(one, other))
            return false;
    }
    return true;
}

static json_t *
find(const json_t *array, const json_t *entry, const char *const *keys)
{
    size_t i;
    json_t *item;
    json_array_foreach (array, i, item) {
        if (has_equal_members(item, entry, keys))
            return item;
    }
    return NULL;
}

// Whether one cycle is the other one, begun elsewhere.
static bool
is_rotation(const json_t *a, const json_t *b)
{
    size_t count = json_array_size(a);
    for (size_t shift = 0; shift < count && count == json_array_size(b); shift++) {
        size_t i = 0;
        while (i < count &&
               json_equal(json_array_get(a, i), json_array_get(b, (i + shift) % count)))
            i++;
        if (i == count)
            return true;
    }
    return false;
}

static char *
compare_cycles(const json_t *truths, const json_t *verdict)
{
    const json_t *expected = json_object_get(first_verdict(truths), "cycles");
    const json_t *found = json_object_get(verdict, "cycles");
    size_t i, k, matches = 0;
    json_t *one, *other;
    json_array_foreach (expected, i, one) {
        json_array_foreach (found, k, other)
            matches += is_rotation(one, other);
    }
    bool same = matches == json_array_size(expected) && matches == json_array_size(found);
    return expected == NULL || same ? NULL : verdict_differ("cycles", expected, found);
}

// Adds ranks that are not there yet. Runs of ranks that are texts occur in larger jobs only.
static void
add_ranks(json_t *ranks, const json_t *more)
{
    size_t i, k;
    json_t *rank, *old;
    json_array_foreach (more, i, rank) {
        bool known = false;
        json_array_foreach (ranks, k, old)
            known |= json_equal(old, rank);
        if (!known)
            json_array_append(ranks, rank);
    }
}

static bool
has_all(const json_t *ranks, const json_t *others)
{
    json_t *all = json_deep_copy(ranks);
    add_ranks(all, others);
    bool ret = json_array_size(all) == json_array_size(ranks);
    json_decref(all);
    return ret;
}

static bool
is_same_set(const json_t *a, const json_t *b)
{
    return has_all(a, b) && has_all(b, a);
}

static const char *const thread_keys[] = {"rank", "tid", "call", NULL};

// The waits of threads in MPI calls, those of one call put together.
static json_t *
join_waits(const json_t *waits)
{
    json_t *ret = json_array(), *wait;
    size_t i;
    json_array_foreach (waits, i, wait) {
        if (json_object_get(wait, "call") == NULL)
            continue;
        json_t *joined = find(ret, wait, thread_keys);
        if (joined == NULL)
            json_array_append_new(ret, json_deep_copy(wait));
        else
            add_ranks(json_object_get(joined, "for"), json_object_get(wait, "for"));
    }
    return ret;
}

// Who suffices is told of calls for several operations.
static bool
is_same_wait(const json_t *a, const json_t *b)
{
    return is_same_set(json_object_get(a, "for"), json_object_get(b, "for")) &&
           (strncmp(verdict_text(a, "call"), "MPI_Wait", strlen("MPI_Wait")) != 0 ||
            json_equal(json_object_get(a, "needs"), json_object_get(b, "needs")));
}

static char *
compare_waits(const json_t *truths, const json_t *verdict)
{
    json_t *all = verdict_gather(truths, "waits"), *expected = join_waits(all), *wait;
    json_t *found = join_waits(json_object_get(verdict, "waits"));
    char *ret = NULL;
    size_t i;
    json_array_foreach (expected, i, wait) {
        const json_t *same = find(found, wait, thread_keys);
        if (ret == NULL && (same == NULL || !is_same_wait(wait, same)))
            ret = verdict_differ("waits", wait, same != NULL ? same : found);
    }
    if (ret == NULL && json_array_size(expected) != json_array_size(found))
        ret = verdict_differ("waits", expected, found);
    json_decref(found);
    json_decref(all);
    json_decref(expected);
    return ret;
}

static json_t *
tag_of(const json_t *entry)
{
    return json_object_get(json_object_get(entry, "operation"), "tag");
}

static json_t *
find_operation(const json_t *array, const json_t *entry, const char *const *keys)
{
    size_t i;
    json_t *item;
    json_array_foreach (array, i, item) {
        if (has_equal_members(item, entry, keys) && json_equal(tag_of(item), tag_of(entry)))
            return item;
    }
    return NULL;
}

static char *
compare_near_misses(const json_t *expected, const json_t *found)
{
    static const char *const keys[] = {"rank", "why", NULL};
    size_t i;
    json_t *miss;
    json_array_foreach (json_object_get(expected, "near_misses"), i, miss) {
        const json_t *misses = json_object_get(found, "near_misses");
        if (find_operation(misses, miss, keys) == NULL)
            return verdict_differ("near misses", miss, misses);
    }
    return NULL;
}

static char *
compare_unmatched(const json_t *truths, const json_t *verdict)
{
    static const char *const keys[] = {"rank", "communicator", "queue", NULL};
    const json_t *found = json_object_get(verdict, "unmatched");
    json_t *expected = verdict_gather(truths, "unmatched"), *entry;
    char *ret = NULL;
    size_t i;
    json_array_foreach (expected, i, entry) {
        const json_t *same = find_operation(found, entry, keys);
        if (ret == NULL)
            ret = same == NULL ? verdict_differ("unmatched", entry, found)
                               : compare_near_misses(entry, same);
    }
    if (ret == NULL && json_array_size(expected) != json_array_size(found))
        ret = verdict_differ("unmatched", expected, found);
    json_decref(expected);
    return ret;
}

static bool
is_same_collective(const json_t *a, const json_t *b)
{
    static const char *const keys[] = {"communicator", "name", "other", NULL};
    return has_equal_members(a, b, keys) &&
           is_same_set(json_object_get(a, "in"), json_object_get(b, "in")) &&
           is_same_set(json_object_get(a, "missing"), json_object_get(b, "missing"));
}

// Every member of a collective has recorded it.
static char *
compare_collectives(const json_t *truths, const json_t *verdict)
{
    const json_t *found = json_object_get(verdict, "collectives");
    json_t *expected = verdict_gather(truths, "collectives"), *one, *other;
    char *ret = NULL;
    size_t i, k, members = 0;
    json_array_foreach (found, i, one) {
        size_t matches = 0;
        json_array_foreach (expected, k, other)
            matches += is_same_collective(one, other);
        if (ret == NULL && matches == 0)
            ret = verdict_differ("collectives", expected, one);
        members += matches;
    }
    if (ret == NULL && members != json_array_size(expected))
        ret = verdict_differ("collectives", expected, found);
    json_decref(expected);
    return ret;
}

char *
verdict_compare_parts(const json_t *truths, const json_t *document)
{
    static char *(*const parts[])(const json_t *, const json_t *) = {
        compare_waits, verdict_compare_inside, compare_unmatched, compare_collectives,
        compare_cycles};
    const json_t *verdict = json_object_get(document, "verdict");
    char *ret = NULL;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && ret == NULL; i++)
        ret = parts[i](truths, verdict);
    return ret;
}
