// SPDX-License-Identifier: BSD-3-Clause
// What moved between two looks at the same processes.
#include "tools/looks_parts.h"

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

/** Whether two looks lack the same of a process: what only one of them could not read is neither
 * new nor gone, nor has it moved.
 */
static bool
lack_the_same(const json_t *before, const json_t *after)
{
    static const char *const lacks[] = {"incomplete", "messages", NULL};
    bool lacks_some = json_is_true(json_object_get(before, "incomplete")) ||
                      json_is_true(json_object_get(after, "incomplete"));
    return !lacks_some || looks_equal_members(before, after, lacks);
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

/** Marks an operation that is in both looks. @return whether it moved */
static bool
mark_operation(struct look_changes *changes, const struct item *before, struct item *after)
{
    bool moved = !looks_equal_members(before->operation, after->operation, state);
    json_object_set_new(after->operation, "moved", json_boolean(moved));
    if (moved)
        changes->moved++;
    else
        changes->unmoved++;
    return moved;
}

/** Number of messages that a process has sent, where MPI counts them; too many begin at 0 again. */
static uint64_t
count_sent(const json_t *process)
{
    size_t i, k;
    json_t *comm, *entry;
    uint64_t count = 0;
    json_array_foreach (json_object_get(process, "communicators"), i, comm)
        json_array_foreach (json_object_get(comm, "traffic"), k, entry)
            count += (uint64_t) json_integer_value(json_array_get(entry, 1));
    return count;
}

/** A message that has come in is what another process did. */
static bool
has_arrived(const struct item *item)
{
    return strcmp(item->queue, "unexpected") == 0;
}

/** @param comparable whether an operation that one look lacks is new, or gone
 * @return whether all operations are as before, but for messages that have come in
 */
static bool
compare_operations(const json_t *before, json_t *after, bool comparable,
                   struct look_changes *changes)
{
    struct items old = items_of(before), new = items_of(after);
    static const char *const progress[] = {"progress", NULL};
    // A loop comes by the same operations again and again, but has sent more by then, or waited for
    // something else.
    bool same = count_sent(before) == count_sent(after) &&
                looks_equal_members(json_object_get(before, "mpi"), json_object_get(after, "mpi"),
                                    progress);
    for (size_t i = 0, k = 0; i < old.count || k < new.count;) {
        int order = i == old.count   ? 1
                    : k == new.count ? -1
                                     : strcmp(old.items[i].key, new.items[k].key);
        if (order == 0)
            same &= !mark_operation(changes, &old.items[i], &new.items[k]);
        else if (comparable)
            add_change(changes, after != NULL ? after : before,
                       order < 0 ? &old.items[i] : &new.items[k], order > 0);
        same &= order == 0 || (order > 0 && has_arrived(&new.items[k]));
        i += order <= 0;
        k += order >= 0;
    }
    items_deinit(&old);
    items_deinit(&new);
    return same;
}

/** Compares two looks at one process. */
static enum look_result
compare(const json_t *before, json_t *after, struct look_changes *changes)
{
    bool comparable = before == NULL || after == NULL || lack_the_same(before, after);
    bool same = compare_operations(before, after, comparable, changes);
    enum look_result threads = looks_compare_threads(before, after, changes);
    if (same && threads == LOOK_SAME && before != NULL && after != NULL)
        return LOOK_SAME;
    return !comparable || (same && threads == LOOK_UNSURE) ? LOOK_UNSURE : LOOK_MOVED;
}

static void
set_settled(json_t *process, enum look_result result)
{
    if (result == LOOK_UNSURE)
        json_object_del(process, "settled");
    else
        json_object_set_new(process, "settled", json_boolean(result == LOOK_SAME));
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
        enum look_result result = compare(looks_find(olds, process, names, i), process, changes);
        if (settled)
            set_settled(process, result);
        same &= result == LOOK_SAME;
    }
    json_array_foreach (olds, i, process) {
        if (looks_find(news, process, names, i) == NULL)
            same = compare(process, NULL, changes) == LOOK_SAME;
    }
    return same;
}

void
look_changes_deinit(struct look_changes *changes)
{
    free(changes->items);
    *changes = (struct look_changes){.items = NULL};
}
