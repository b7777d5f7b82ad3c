// SPDX-License-Identifier: BSD-3-Clause
#include "mqs/objects.h"

#include <string.h>

void
found_list_init(struct found_list *list, struct target target)
{
    memset(list, 0, sizeof(*list));
    arena_init(&list->arena, target);
    list->end = &list->first;
}

void
found_list_deinit(struct found_list *list)
{
    const struct target_ops *ops = list->arena.ops;

    arena_deinit(&list->arena);
    memset(list, 0, sizeof(*list));
    list->arena.ops = ops;
    list->end = &list->first;
}

// A new last item of `size` bytes.
static enum status
add(struct found_list *list, size_t size, void **ret)
{
    if (list->count >= FOUND_MAX)
        return STATUS_CORRUPT;
    struct found_item *item = arena_alloc(&list->arena, 1, size);
    if (item == NULL)
        return STATUS_NOMEM;
    list->count++;
    *list->end = item;
    list->end = &item->next;
    *ret = item;
    return STATUS_OK;
}

static void
begin(struct found_list *list)
{
    list->next = list->first;
    list->ready = true;
}

static enum status
next(struct found_list *list, const struct found_item **ret)
{
    if (!list->ready)
        return STATUS_MISUSE;
    if (list->next == NULL) {
        const enum status tail = list->tail;
        list->tail = STATUS_OK;
        return tail == STATUS_OK ? STATUS_END : tail;
    }
    *ret = list->next;
    list->next = list->next->next;
    return STATUS_OK;
}

struct object_collector {
    struct object_sink sink;
    struct found_list *list;
};

static enum status
collect_object(struct object_sink *sink, const struct object *object)
{
    void *item;

    TRY(add(((struct object_collector *) sink)->list, sizeof(struct object_item), &item));
    ((struct object_item *) item)->object = *object;
    return STATUS_OK;
}

static void
note_broken(struct object_sink *sink, enum status status)
{
    ((struct object_collector *) sink)->list->tail = status;
}

enum status
objects_find(struct found_list *list, const struct adapter *adapter, const struct mpi *mpi,
             enum object_kind kind)
{
    struct object_collector collector = {{collect_object, note_broken}, list};

    found_list_deinit(list);
    if (adapter->objects == NULL)
        return STATUS_UNSUPPORTED;
    const enum status status = adapter->objects(mpi, kind, &collector.sink);
    if (status == STATUS_UNSUPPORTED || status == STATUS_NOMEM || status == STATUS_ABSENT)
        return status;
    if (status != STATUS_OK)
        list->tail = status;
    begin(list);
    return STATUS_OK;
}

enum status
objects_next(struct found_list *list, struct object *ret)
{
    const struct found_item *item;

    TRY(next(list, &item));
    *ret = ((const struct object_item *) item)->object;
    return STATUS_OK;
}

struct member_collector {
    struct member_sink sink;
    struct found_list *list;
};

static enum status
collect_member(struct member_sink *sink, const struct member *member)
{
    const size_t length = member->text == NULL ? 0 : strnlen(member->text, MEMBER_TEXT - 1);
    void *room;

    TRY(add(((struct member_collector *) sink)->list, sizeof(struct member_item) + length + 1,
            &room));
    struct member_item *item = room;
    item->member = *member;
    item->member.text = (char *) (item + 1);
    if (length > 0)
        memcpy(item + 1, member->text, length);
    return STATUS_OK;
}

enum status
members_find(struct found_list *list, const struct adapter *adapter, const struct mpi *mpi,
             const struct object *object)
{
    struct member_collector collector = {{collect_member}, list};

    found_list_deinit(list);
    if (adapter->members == NULL)
        return STATUS_UNSUPPORTED;
    if (object->state != OBJECT_NULL)
        list->tail = adapter->members(mpi, object, &collector.sink);
    if (list->tail == STATUS_NOMEM || list->tail == STATUS_UNSUPPORTED)
        return list->tail;
    begin(list);
    return STATUS_OK;
}

enum status
members_next(struct found_list *list, struct member *ret)
{
    const struct found_item *item;

    TRY(next(list, &item));
    *ret = *member_of(item);
    return STATUS_OK;
}

const struct member *
members_first(const struct found_list *list, enum member_id id)
{
    for (const struct found_item *item = list->first; item != NULL; item = item->next)
        if (member_of(item)->id == id)
            return member_of(item);
    return NULL;
}
