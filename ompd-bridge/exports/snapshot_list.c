// SPDX-License-Identifier: BSD-3-Clause
// Lists of objects in which each object stands once.
#include "ompd-bridge/exports/snapshot_list.h"

#include <string.h>

enum { FIRST_ROOM = 64 }; // items; places are twice as many

static const struct {
    size_t size;
    uint32_t most;
} kinds[] = {
    [OMP_THREAD] = {sizeof(struct snapshot_thread), UINT32_MAX / 4},
    [OMP_PARALLEL] = {sizeof(struct snapshot_region), SNAPSHOT_REGIONS_MAX},
    [OMP_TASK] = {sizeof(struct snapshot_task), SNAPSHOT_TASKS_MAX},
};

// An item of any kind begins with its object.
static struct omp_object *
object_at(const struct snapshot_list *list, uint32_t number)
{
    return (struct omp_object *) ((char *) list->items + number * kinds[list->kind].size);
}

void *
snapshot_item(const struct snapshot_list *list, int64_t number)
{
    return number >= 0 && number < list->count ? object_at(list, (uint32_t) number) : NULL;
}

void
snapshot_list_deinit(struct omp_snapshot *snapshot, struct snapshot_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        reader_release(&snapshot->reader, list->kind, object_at(list, i));
    inferior_free(snapshot->inf, list->items);
    inferior_free(snapshot->inf, list->places);
    *list = (struct snapshot_list){.kind = list->kind};
}

static uint32_t
hash(const struct omp_object *object)
{
    uint64_t mixed = (object->addr ^ (object->detail << 17)) * 0x9e3779b97f4a7c15U;
    return (uint32_t) (mixed >> 32);
}

// The place of the object, or the free one where it would be.
static uint32_t *
find_place(const struct snapshot_list *list, const struct omp_object *object)
{
    for (uint32_t at = hash(object);; at++) {
        uint32_t *place = &list->places[at & (list->n_places - 1)];
        if (*place == 0)
            return place;
        const struct omp_object *other = object_at(list, *place - 1);
        if (other->addr == object->addr && other->detail == object->detail)
            return place;
    }
}

static enum status
grow(struct omp_snapshot *snapshot, struct snapshot_list *list)
{
    uint32_t room = list->room ? 2 * list->room : FIRST_ROOM;
    char *items = inferior_alloc(snapshot->inf, room * kinds[list->kind].size);
    uint32_t *places = inferior_alloc(snapshot->inf, 2 * room * sizeof(*places));
    if (!items || !places) {
        inferior_free(snapshot->inf, items);
        inferior_free(snapshot->inf, places);
        return trail_begin(&snapshot->inf->trail, STATUS_NOMEM, "%s", status_text(STATUS_NOMEM));
    }
    if (list->count > 0)
        memcpy(items, list->items, list->count * kinds[list->kind].size);
    memset(places, 0, 2 * room * sizeof(*places));
    inferior_free(snapshot->inf, list->items);
    inferior_free(snapshot->inf, list->places);
    list->items = items;
    list->room = room;
    list->places = places;
    list->n_places = 2 * room;
    for (uint32_t i = 0; i < list->count; i++)
        *find_place(list, object_at(list, i)) = i + 1;
    return STATUS_OK;
}

static bool
find(const struct snapshot_list *list, const struct omp_object *object, uint32_t *ret)
{
    if (list->count == 0)
        return false;
    const uint32_t *place = find_place(list, object);
    if (*place == 0)
        return false;
    *ret = *place - 1;
    return true;
}

static enum status
add(struct omp_snapshot *snapshot, struct snapshot_list *list, const struct omp_object *object)
{
    if (list->count >= kinds[list->kind].most)
        return trail_begin(&snapshot->inf->trail, STATUS_CORRUPT, "OpenMP: the list does not end");
    if (list->count == list->room)
        TRY(grow(snapshot, list));
    void *item = object_at(list, list->count);
    memset(item, 0, kinds[list->kind].size);
    memcpy(item, object, sizeof(*object));
    *find_place(list, object) = ++list->count;
    return STATUS_OK;
}

enum status
snapshot_put(struct omp_snapshot *snapshot, struct snapshot_list *list, struct omp_object *object,
             uint32_t *ret_number, bool *ret_fresh)
{
    enum status status = STATUS_OK;
    *ret_fresh = !find(list, object, ret_number);
    if (*ret_fresh) {
        *ret_number = list->count;
        status = add(snapshot, list, object);
    }
    if (status != STATUS_OK || !*ret_fresh)
        reader_release(&snapshot->reader, list->kind, object);
    return status;
}
