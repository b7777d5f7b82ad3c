// SPDX-License-Identifier: BSD-3-Clause
// The table of handles: slabs that grow, free places used again in the order they became free.
#include "ompd-bridge/handles.h"

#include "ompd-bridge/proxy.h"

#include <string.h>

enum {
    PLACE_BITS = 22, // of a handle; the serial stands above them
    PLACES = HANDLE_FIRST_SLAB * ((1 << HANDLE_SLABS) - 1),
};
_Static_assert(PLACES <= 1 << PLACE_BITS, "every place has a number");
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

// Slab number n begins with place number (2^n - 1) * HANDLE_FIRST_SLAB.
static unsigned
slab_of(uint32_t place, uint32_t *ret_offset)
{
    uint32_t position = place / HANDLE_FIRST_SLAB + 1;
    unsigned slab = 31U - (unsigned) __builtin_clz(position);
    *ret_offset = place - HANDLE_FIRST_SLAB * ((1U << slab) - 1);
    return slab;
}

// The place of that number, which is below table->count.
static struct handle *
at(const struct handle_table *table, uint32_t place)
{
    uint32_t offset;
    unsigned slab = slab_of(place, &offset);
    return &table->slabs[slab][offset];
}

// A place that was never used.
static bool
extend(struct handle_table *table, uint32_t *ret)
{
    uint32_t offset;
    if (table->count == PLACES)
        return false;
    unsigned slab = slab_of(table->count, &offset);
    if (!table->slabs[slab])
        table->slabs[slab] =
            ompd_host_alloc(((size_t) HANDLE_FIRST_SLAB << slab) * sizeof(struct handle));
    if (!table->slabs[slab])
        return false;
    *ret = table->count++;
    return true;
}

static bool
take_place(struct handle_table *table, uint32_t *ret)
{
    if (table->oldest == 0)
        return extend(table, ret);
    *ret = table->oldest - 1;
    table->oldest = at(table, *ret)->next;
    if (table->oldest == 0)
        table->newest = 0;
    return true;
}

void *
handles_add(struct handle_table *table, enum omp_kind kind, struct proxy_process *process,
            const struct reader *reader, const struct omp_object *object)
{
    uint32_t place;
    if (!take_place(table, &place))
        return NULL;
    struct handle *handle = at(table, place);
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
    struct handle *handle = at(table, place);
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
    const struct reader *reader = handle->reader;
    if (reader && reader->backend->release)
        reader->backend->release(reader->state, handle->kind, &handle->object);
    handle->reader = NULL;
}

static void
remove_place(struct handle_table *table, uint32_t place)
{
    struct handle *handle = at(table, place);
    release_object(handle);
    handle->serial = 0;
    handle->next = 0;
    if (table->newest != 0)
        at(table, table->newest - 1)->next = place + 1;
    else
        table->oldest = place + 1;
    table->newest = place + 1;
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
        if (at(table, i)->serial != 0 && at(table, i)->process == process)
            remove_place(table, i);
}

void
handles_expire(struct handle_table *table, const struct proxy_process *process)
{
    for (uint32_t i = 0; i < table->count; i++)
        if (at(table, i)->serial != 0 && at(table, i)->process == process)
            release_object(at(table, i));
}

void
handles_deinit(struct handle_table *table)
{
    for (unsigned i = 0; i < HANDLE_SLABS; i++)
        ompd_host_free(table->slabs[i]);
    *table = (struct handle_table){.last_serial = table->last_serial};
}

static bool
is_same(const struct handle *a, const struct handle *b)
{
    const struct reader *reader = a->reader;
    return reader->backend->same(reader->state, a->kind, &a->object, &b->object);
}

// A reader that says only whether objects are the same gives them no order: equal ones get the
// serial of the first of them that was ever compared.
static uint64_t
rank_of(struct handle_table *table, struct handle *handle)
{
    for (uint32_t i = 0; i < table->count && handle->rank == 0; i++) {
        const struct handle *other = at(table, i);
        if (other->serial != 0 && other->rank != 0 && other->kind == handle->kind &&
            other->reader == handle->reader && is_same(handle, other))
            handle->rank = other->rank;
    }
    if (handle->rank == 0)
        handle->rank = handle->serial;
    return handle->rank;
}

static int
order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

int
handles_compare(struct handle_table *table, struct handle *a, struct handle *b)
{
    if (a->process != b->process)
        return order(a->process->number, b->process->number);
    if (a->reader != b->reader)
        return order((uintptr_t) a->reader, (uintptr_t) b->reader);
    if (a->reader->backend->same)
        return order(rank_of(table, a), rank_of(table, b));
    int by_address = order(a->object.addr, b->object.addr);
    return by_address != 0 ? by_address : order(a->object.detail, b->object.detail);
}
