// SPDX-License-Identifier: BSD-3-Clause
// What moved between two looks at the same processes.
#include "tools/looks_parts.h"

#include "tools/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const int classes[] = {mqs_pending_receives, mqs_unexpected_messages, mqs_pending_sends};

/** Members by which an operation is known again, and those that change while it is there. */
static const enum op_member identity[] = {OP_REQUEST, OP_KIND,  OP_PEER,  OP_WORLD_PEER,
                                          OP_TAG,     OP_BYTES, OP_COUNT, OP_BUFFER};

/** The operations of a queue of a communicator. */
struct part {
    json_t *communicator;
    char *key; // what is equal in both looks
    int op_class;
    struct operations operations;
};

/** An operation: its place. */
struct item {
    uint32_t part, number;
};

/** All operations of a process. */
struct items {
    struct part *parts; // those that have some
    size_t n_parts, parts_capacity;
    struct item *items; // behind those that both looks begin with
    size_t count;
};

/** What a communicator is known by. */
static char *
key_of(const json_t *comm, int op_class)
{
    static const char *const names[] = {"id", "name", "address"};
    json_t *values = json_array();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        json_t *value = json_object_get(comm, names[i]);
        json_array_append(values, value != NULL ? value : json_null());
    }
    char *text = json_dumps(values, JSON_COMPACT);
    char *key = alloc_format("%s%s", text != NULL ? text : "", queue_key(op_class));
    json_decref(values);
    free(text);
    return key;
}

static void
add_part(struct items *items, json_t *comm, int op_class)
{
    struct part part = {.communicator = comm, .op_class = op_class};
    if (!operations_of(comm, op_class, &part.operations) || part.operations.count == 0)
        return;
    part.key = key_of(comm, op_class);
    items->parts =
        alloc_grow(items->parts, items->n_parts, &items->parts_capacity, sizeof *items->parts);
    items->parts[items->n_parts++] = part;
}

static struct items
items_of(const json_t *process)
{
    struct items items = {.items = NULL};
    size_t i;
    json_t *comm;
    json_array_foreach (json_object_get(process, "communicators"), i, comm)
        for (size_t k = 0; k < sizeof classes / sizeof *classes; k++)
            add_part(&items, comm, classes[k]);
    return items;
}

/** Goes to the next operation in the order of the document. */
static void
advance(const struct items *items, struct item *item)
{
    if (++item->number == items->parts[item->part].operations.count)
        *item = (struct item){item->part + 1, 0};
}

/** Lists the operations from one on. */
static void
list_from(struct items *items, struct item first)
{
    for (size_t part = first.part; part < items->n_parts; part++)
        items->count += items->parts[part].operations.count;
    items->count -= first.number;
    items->items = alloc_zeroed(items->count, sizeof *items->items);
    for (size_t i = 0; i < items->count; i++, advance(items, &first))
        items->items[i] = first;
}

static void
items_deinit(struct items *items)
{
    for (size_t i = 0; i < items->n_parts; i++)
        free(items->parts[i].key);
    free(items->parts);
    free(items->items);
}

static const struct part *
part_of(const struct items *items, const struct item *item)
{
    return &items->parts[item->part];
}

static struct operation *
record_of(const struct items *items, const struct item *item)
{
    return &part_of(items, item)->operations.items[item->number];
}

static int
compare_values(const struct op_value *a, const struct op_value *b)
{
    if (a->type != b->type || a->type == OP_NONE)
        return (a->type > b->type) - (a->type < b->type);
    if (a->type == OP_WORD)
        return strcmp(a->word, b->word);
    if (a->type == OP_HEX)
        return (a->hex > b->hex) - (a->hex < b->hex);
    return (a->integer > b->integer) - (a->integer < b->integer);
}

/** Orders two operations by what they are known by. */
static int
compare(const struct items *left, const struct item *a, const struct items *right,
        const struct item *b)
{
    const struct part *one = part_of(left, a), *other = part_of(right, b);
    const struct operation *op = record_of(left, a), *than = record_of(right, b);
    int order = one != other ? strcmp(one->key, other->key) : 0;
    for (size_t i = 0; i < sizeof identity / sizeof *identity && order == 0; i++) {
        struct op_value value = operations_value(&one->operations, op, identity[i]);
        struct op_value with = operations_value(&other->operations, than, identity[i]);
        order = compare_values(&value, &with);
    }
    return order != 0 ? order
                      : strcmp(operations_text(&one->operations, op->others),
                               operations_text(&other->operations, than->others));
}

static int
compare_items(const void *left, const void *right, void *data)
{
    const struct item *a = left, *b = right;
    int order = compare(data, a, data, b);
    if (order == 0)
        order = (a->part > b->part) - (a->part < b->part);
    return order != 0 ? order : (a->number > b->number) - (a->number < b->number);
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
add_change(struct look_changes *changes, const json_t *process, const struct items *items,
           const struct item *item, bool is_new)
{
    const struct part *part = part_of(items, item);
    changes->items =
        alloc_grow(changes->items, changes->count, &changes->capacity, sizeof *changes->items);
    changes->items[changes->count++] = (struct look_change){.process = process,
                                                            .communicator = part->communicator,
                                                            .op_class = part->op_class,
                                                            .number = item->number,
                                                            .is_new = is_new};
}

json_t *
looks_operation(const struct look_change *change)
{
    struct operations operations;
    operations_of(change->communicator, change->op_class, &operations);
    return operations_json(&operations, &operations.items[change->number]);
}

static bool
is_equal_actual(const struct actual *a, const struct actual *b)
{
    if (a == NULL || b == NULL)
        return a == b;
    return a->has == b->has && a->bytes == b->bytes && a->peer == b->peer &&
           a->world_peer == b->world_peer && a->tag == b->tag;
}

/** Marks an operation that is in both looks. @return whether it moved */
static bool
mark_operation(struct look_changes *changes, const struct items *old, const struct item *before,
               const struct items *new, const struct item *after)
{
    enum { STATES = OP_HAS(OP_STATUS) | OP_HAS(OP_BLOCKED) | OP_HAS(OP_ACTUAL) };
    const struct operation *was = record_of(old, before);
    struct operation *is = record_of(new, after);
    bool moved = (was->has & STATES) != (is->has & STATES) || was->status != is->status ||
                 !is_equal_actual(operations_actual(&part_of(old, before)->operations, was),
                                  operations_actual(&part_of(new, after)->operations, is));
    is->has |= OP_HAS(OP_MOVED);
    is->moved = moved;
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
has_arrived(const struct part *part)
{
    return part->op_class == mqs_unexpected_messages;
}

static void
sort(struct items *items)
{
    if (items->count > 0)
        qsort_r(items->items, items->count, sizeof *items->items, compare_items, items);
}

/** Marks the operations that both looks begin with, most often all, and lists the others in order.
 * @return whether none of them moved */
static bool
compare_begin(struct items *old, struct items *new, struct look_changes *changes)
{
    struct item was = {0, 0}, is = {0, 0};
    bool same = true;
    while (was.part < old->n_parts && is.part < new->n_parts &&compare(old, &was, new, &is) == 0) {
        same &= !mark_operation(changes, old, &was, new, &is);
        advance(old, &was);
        advance(new, &is);
    }
    list_from(old, was);
    list_from(new, is);
    sort(old);
    sort(new);
    return same;
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
    same &= compare_begin(&old, &new, changes);
    for (size_t i = 0, k = 0; i < old.count || k < new.count;) {
        const struct item *was = &old.items[i], *is = &new.items[k];
        int order = i == old.count ? 1 : k == new.count ? -1 : compare(&old, was, &new, is);
        if (order == 0)
            same &= !mark_operation(changes, &old, was, &new, is);
        else if (comparable && order < 0)
            add_change(changes, after != NULL ? after : before, &old, was, false);
        else if (comparable)
            add_change(changes, after != NULL ? after : before, &new, is, true);
        same &= order == 0 || (order > 0 && has_arrived(part_of(&new, is)));
        i += order <= 0;
        k += order >= 0;
    }
    items_deinit(&old);
    items_deinit(&new);
    return same;
}

/** Compares two looks at one process. */
static enum look_result
compare_process(const json_t *before, json_t *after, struct look_changes *changes)
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
        enum look_result result =
            compare_process(looks_find(olds, process, names, i), process, changes);
        if (settled)
            set_settled(process, result);
        same &= result == LOOK_SAME;
    }
    json_array_foreach (olds, i, process) {
        if (looks_find(news, process, names, i) == NULL)
            same = compare_process(process, NULL, changes) == LOOK_SAME;
    }
    return same;
}

void
look_changes_deinit(struct look_changes *changes)
{
    free(changes->items);
    *changes = (struct look_changes){.items = NULL};
}
