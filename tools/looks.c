// SPDX-License-Identifier: BSD-3-Clause
// What moved between two looks at the same processes.
#include "tools/looks.h"

#include "tools/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char *const queues[] = {"receives", "unexpected", "sends"};

enum { QUEUES = sizeof queues / sizeof *queues };

/** An operation and what it is known by. */
struct item {
    char *key;
    json_t *communicator, *operation;
    const char *queue;
    size_t order; // in the document
};

struct items {
    struct item *items;
    size_t count, capacity;
};

/** Members by which an operation is known again, and those that change while it is there. */
static const char *const identity[] = {"request", "kind",  "peer",   "world_peer", "tag",
                                       "bytes",   "count", "buffer", NULL};
static const char *const state[] = {"status", "actual", "blocked", NULL};

/** The values of some members as one text. */
static char *
values_of(const json_t *object, const char *const *keys)
{
    json_t *values = json_array();
    for (; *keys != NULL; keys++) {
        json_t *value = json_object_get(object, *keys);
        json_array_append(values, value != NULL ? value : json_null());
    }
    char *text = json_dumps(values, JSON_COMPACT);
    json_decref(values);
    return text != NULL ? text : alloc_text("");
}

static void
add_queue(struct items *items, json_t *comm, const char *prefix, const char *queue)
{
    size_t i;
    json_t *operation;
    json_array_foreach (json_object_get(comm, queue), i, operation) {
        char *values = values_of(operation, identity);
        items->items =
            alloc_grow(items->items, items->count, &items->capacity, sizeof *items->items);
        items->items[items->count] =
            (struct item){.key = alloc_format("%s%s%s", prefix, queue, values),
                          .communicator = comm,
                          .operation = operation,
                          .queue = queue,
                          .order = items->count};
        items->count++;
        free(values);
    }
}

static int
compare_items(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    int order = strcmp(a->key, b->key);
    return order != 0 ? order : (a->order > b->order) - (a->order < b->order);
}

/** All operations of a process by their keys. */
static struct items
items_of(const json_t *process)
{
    static const char *const names[] = {"id", "name", "address", NULL};
    struct items items = {.items = NULL};
    size_t i;
    json_t *comm;
    json_array_foreach (json_object_get(process, "communicators"), i, comm) {
        char *prefix = values_of(comm, names);
        for (int queue = 0; queue < QUEUES; queue++)
            add_queue(&items, comm, prefix, queues[queue]);
        free(prefix);
    }
    if (items.count > 0)
        qsort(items.items, items.count, sizeof *items.items, compare_items);
    return items;
}

static void
items_deinit(struct items *items)
{
    for (size_t i = 0; i < items->count; i++)
        free(items->items[i].key);
    free(items->items);
}

static void
add_change(struct look_changes *changes, const json_t *process, const struct item *item,
           bool is_new)
{
    changes->items =
        alloc_grow(changes->items, changes->count, &changes->capacity, sizeof *changes->items);
    changes->items[changes->count++] = (struct look_change){.process = process,
                                                            .communicator = item->communicator,
                                                            .operation = item->operation,
                                                            .queue = item->queue,
                                                            .is_new = is_new};
}

static bool
has_equal_members(const json_t *a, const json_t *b, const char *const *keys)
{
    bool equal = true;
    for (; *keys != NULL && equal; keys++) {
        json_t *one = json_object_get(a, *keys), *other = json_object_get(b, *keys);
        equal = one == other || json_equal(one, other);
    }
    return equal;
}

/** Marks an operation that is in both looks. @return whether it moved */
static bool
mark_operation(struct look_changes *changes, const struct item *before, struct item *after)
{
    bool moved = !has_equal_members(before->operation, after->operation, state);
    json_object_set_new(after->operation, "moved", json_boolean(moved));
    if (moved)
        changes->moved++;
    else
        changes->unmoved++;
    return moved;
}

/** @return whether all operations are as before */
static bool
compare_operations(const json_t *before, json_t *after, struct look_changes *changes)
{
    struct items old = items_of(before), new = items_of(after);
    bool same = true;
    for (size_t i = 0, k = 0; i < old.count || k < new.count;) {
        int order = i == old.count   ? 1
                    : k == new.count ? -1
                                     : strcmp(old.items[i].key, new.items[k].key);
        if (order == 0)
            same &= !mark_operation(changes, &old.items[i], &new.items[k]);
        else
            add_change(changes, after != NULL ? after : before,
                       order < 0 ? &old.items[i] : &new.items[k], order > 0);
        same &= order == 0;
        i += order <= 0;
        k += order >= 0;
    }
    items_deinit(&old);
    items_deinit(&new);
    return same;
}

/** Whether an entry of a stack is the MPI call that the thread is in. */
static bool
is_call(const json_t *entry, const char *call)
{
    const char *function = json_string_value(json_object_get(entry, "function"));
    return function != NULL && call != NULL && strcmp(function + (*function == 'P'), call) == 0;
}

/** Where the user's part of a stack begins: what libraries do inside of a call is no movement. */
static size_t
users_part(const json_t *thread)
{
    static const char *const place[] = {"function", "file", "line", NULL};
    const char *call = json_string_value(json_object_get(thread, "call"));
    const json_t *frame = json_object_get(thread, "frame");
    size_t i, after_call = 0;
    json_t *entry;
    json_array_foreach (json_object_get(thread, "stack"), i, entry) {
        if (frame != NULL && has_equal_members(frame, entry, place))
            return i;
        if (is_call(entry, call))
            after_call = i + 1;
    }
    return after_call;
}

static bool
is_same_thread_state(const json_t *before, const json_t *after)
{
    static const char *const of_call[] = {"call", "frame", NULL};
    const json_t *old = json_object_get(before, "stack"), *new = json_object_get(after, "stack");
    size_t i = users_part(before), k = users_part(after);
    if (!has_equal_members(before, after, of_call) ||
        json_array_size(old) - i != json_array_size(new) - k)
        return false;
    for (; i < json_array_size(old); i++, k++) {
        if (!json_equal(json_array_get(old, i), json_array_get(new, k)))
            return false;
    }
    return true;
}

/** An object of an array by some of its members. @param hint where it probably is */
static json_t *
find_equal(const json_t *array, const json_t *object, const char *const *keys, size_t hint)
{
    size_t count = json_array_size(array);
    for (size_t i = 0; i < count; i++) {
        json_t *item = json_array_get(array, (hint + i) % count);
        if (has_equal_members(item, object, keys))
            return item;
    }
    return NULL;
}

/** Whether a thread runs code of the user's, or may: those of libraries come and go. */
static bool
is_users(const json_t *thread)
{
    return json_object_get(thread, "call") != NULL || json_object_get(thread, "frame") != NULL;
}

static size_t
count_users(const json_t *threads)
{
    size_t i, count = 0;
    json_t *thread;
    json_array_foreach (threads, i, thread)
        count += is_users(thread);
    return count;
}

/** @return whether all threads are as before */
static bool
compare_threads(const json_t *before, json_t *after, struct look_changes *changes)
{
    static const char *const names[] = {"tid", NULL};
    const json_t *olds = json_object_get(before, "threads"),
                 *news = json_object_get(after, "threads");
    size_t i;
    json_t *thread;
    bool same = count_users(olds) == count_users(news);
    json_array_foreach (news, i, thread) {
        const json_t *old = find_equal(olds, thread, names, i);
        bool moved = old == NULL || !is_same_thread_state(old, thread);
        same &= !moved || !is_users(thread);
        if (old == NULL || !is_users(thread))
            continue;
        json_object_set_new(thread, "moved", json_boolean(moved));
        changes->threads_moved += moved;
        changes->threads_unmoved += !moved;
    }
    return same;
}

/** Number of messages that a process has sent, where MPI counts them. */
static json_int_t
count_sent(const json_t *process)
{
    size_t i, k;
    json_t *comm, *entry;
    json_int_t count = 0;
    json_array_foreach (json_object_get(process, "communicators"), i, comm)
        json_array_foreach (json_object_get(comm, "traffic"), k, entry)
            count += json_integer_value(json_array_get(entry, 1));
    return count;
}

bool
looks_compare(const json_t *before, json_t *after, struct look_changes *changes)
{
    // A loop comes by the same operations again and again, but has sent more by then.
    bool same =
        compare_operations(before, after, changes) && count_sent(before) == count_sent(after);
    return compare_threads(before, after, changes) && same && before != NULL && after != NULL;
}

bool
looks_compare_all(const json_t *before, json_t *after, bool settled, struct look_changes *changes)
{
    static const char *const names[] = {"host", "pid", NULL};
    const json_t *olds = json_object_get(before, "processes"),
                 *news = json_object_get(after, "processes");
    bool same = true;
    size_t i;
    json_t *process;
    json_array_foreach (news, i, process) {
        bool is_same = looks_compare(find_equal(olds, process, names, i), process, changes);
        if (settled)
            json_object_set_new(process, "settled", json_boolean(is_same));
        same &= is_same;
    }
    json_array_foreach (olds, i, process) {
        if (find_equal(news, process, names, i) == NULL)
            same = looks_compare(process, NULL, changes);
    }
    return same;
}

void
look_changes_deinit(struct look_changes *changes)
{
    free(changes->items);
    *changes = (struct look_changes){.items = NULL};
}
