// SPDX-License-Identifier: BSD-3-Clause
// The table of handles: it grows, and uses free places again.
#include "ompd-bridge/exports/handles.h"

#include "ompd-bridge/exports/proxy.h"

#include <string.h>

enum {
    PLACE_BITS = 22, // of a handle; the serial stands above them
    FIRST_ROOM = 64,
};
_Static_assert(sizeof(void *) == 8, "the tool's side is LP64");

// No pointer on any machine begins with this byte.
static const uint64_t tag = UINT64_C(0xa5) << 56;

static void *
encode(uint32_t place, uint64_t serial)
{
    return (void *) (uintptr_t) (tag | (serial << PLACE_BITS & ~(UINT64_C(0xff) << 56)) | place);
}

static uint32_t
place_of(const void *opaque)
{
    return (uint32_t) ((uintptr_t) opaque & ((1U << PLACE_BITS) - 1));
}

static bool
grow(struct handle_table *table)
{
    const uint32_t room = table->room ? 2 * table->room : FIRST_ROOM;
    if (room > 1U << PLACE_BITS)
        return false;
    struct handle *places = ompd_host_alloc(room * sizeof(*places));
    if (!places)
        return false;
    if (table->count > 0)
        memcpy(places, table->places, table->count * sizeof(*places));
    ompd_host_free(table->places);
    table->places = places;
    table->room = room;
    return true;
}

static bool
take_place(struct handle_table *table, uint32_t *ret)
{
    if (table->free != 0) {
        *ret = table->free - 1;
        table->free = table->places[*ret].next;
        return true;
    }
    if (table->count == table->room && !grow(table))
        return false;
    *ret = table->count++;
    return true;
}

void *
handles_add(struct handle_table *table, enum omp_kind kind, struct proxy_process *process,
            const struct reader *reader, const struct omp_object *object)
{
    uint32_t place;
    if (!take_place(table, &place))
        return NULL;
    struct handle *handle = &table->places[place];
    *handle = (struct handle){
        .serial = ++table->last_serial, .kind = kind, .process = process, .reader = reader};
    if (object)
        handle->object = *object;
    return encode(place, handle->serial);
}

ompd_rc_t
handles_find(const struct handle_table *table, const void *opaque, enum omp_kind kind,
             struct handle **ret)
{
    uint32_t place = place_of(opaque);
    if (place >= table->count)
        return ompd_rc_stale_handle;
    struct handle *handle = &table->places[place];
    if (handle->serial == 0 || encode(place, handle->serial) != opaque)
        return ompd_rc_stale_handle;
    if (handle->kind != kind)
        return ompd_rc_bad_input;
    *ret = handle;
    return ompd_rc_ok;
}

static void
release_object(struct handle *handle)
{
    if (handle->reader)
        reader_release(handle->reader, handle->kind, &handle->object);
    handle->reader = NULL;
}

static void
remove_place(struct handle_table *table, uint32_t place)
{
    struct handle *handle = &table->places[place];
    release_object(handle);
    handle->serial = 0;
    handle->next = table->free;
    table->free = place + 1;
}

void
handles_remove(struct handle_table *table, const void *opaque)
{
    remove_place(table, place_of(opaque));
}

void
handles_remove_process(struct handle_table *table, const struct proxy_process *process)
{
    for (uint32_t i = 0; i < table->count; i++)
        if (table->places[i].serial != 0 && table->places[i].process == process)
            remove_place(table, i);
}

void
handles_expire(struct handle_table *table, const struct proxy_process *process)
{
    for (uint32_t i = 0; i < table->count; i++)
        if (table->places[i].serial != 0 && table->places[i].process == process)
            release_object(&table->places[i]);
}

void
handles_deinit(struct handle_table *table)
{
    ompd_host_free(table->places);
    *table = (struct handle_table){.last_serial = table->last_serial};
}

static int
order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

int
handles_compare(const struct handle *a, const struct handle *b)
{
    if (a->process != b->process)
        return order(a->process->number, b->process->number);
    int by_address = order(a->object.addr, b->object.addr);
    return by_address != 0 ? by_address : order(a->object.detail, b->object.detail);
}
