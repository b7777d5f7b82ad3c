// SPDX-License-Identifier: BSD-3-Clause
// opal_free_list_t: every object of one kind that was ever allocated, in use or not.
//
// The list of chunks says where they start but not how many items each holds: all but the first
// hold fl_num_per_alloc, unless a limit cut one short. An item is recognised by its first word, the
// class.
#include "mpi-impl-adapters/openmpi/openmpi.h"

#include "target/sort.h"
#include "target/walk.h"

enum {
    ITEMS_MAX = 1 << 28,  // items; more is taken for damaged memory
    STRIDE_MAX = 1 << 20, // bytes
};

enum status
free_list_load(const struct mpi *mpi, taddr addr, struct free_list *ret)
{
    struct inferior *inf = mpi->inf;
    struct view view, chunks;

    TRY(view_load(inf, mpi->layout, S(opal_free_list_t), addr, &view));
    TRY(view_load(inf, mpi->layout, S(opal_list_t),
                  view_addr(&view, F(opal_free_list_t, fl_allocations)), &chunks));
    struct free_list list = {
        .class_addr = view_uint(&view, F(opal_free_list_t, fl_frag_class)),
        .allocated = view_uint(&view, F(opal_free_list_t, fl_num_allocated)),
        .per_chunk = view_uint(&view, F(opal_free_list_t, fl_num_per_alloc)),
        .alignment = view_uint(&view, F(opal_free_list_t, fl_frag_alignment)),
        .chunks_sentinel = view_addr(&chunks, F(opal_list_t, opal_list_sentinel)),
        .n_chunks = view_uint(&chunks, F(opal_list_t, opal_list_length)),
    };
    const uint64_t size = view_uint(&view, F(opal_free_list_t, fl_frag_size));
    if (list.allocated == 0 || list.class_addr == 0) {
        *ret = (struct free_list){.class_addr = list.class_addr};
        return STATUS_OK;
    }
    const bool aligned = list.alignment != 0 && (list.alignment & (list.alignment - 1)) == 0 &&
                         list.alignment <= STRIDE_MAX;
    if (!aligned || size == 0 || size > STRIDE_MAX || list.allocated > ITEMS_MAX ||
        list.n_chunks > list.allocated)
        return trail_begin(&inf->trail, STATUS_CORRUPT,
                           "free list at %#llx: %llu items of %llu bytes in %llu chunks",
                           (unsigned long long) addr, (unsigned long long) list.allocated,
                           (unsigned long long) size, (unsigned long long) list.n_chunks);
    list.stride = (size + list.alignment - 1) & ~(list.alignment - 1);
    *ret = list;
    return STATUS_OK;
}

/** The chunks by address, so that each is known to end before the next one starts. */
struct chunks {
    taddr *addr;
    uint32_t *order;
    uint32_t count;
};

static int
lower(void *context, uint32_t a, uint32_t b)
{
    const struct chunks *chunks = context;

    return chunks->addr[a] < chunks->addr[b];
}

static enum status
load_chunks(const struct mpi *mpi, const struct free_list *list, struct arena *arena,
            struct chunks *ret)
{
    const uint32_t next =
        (uint32_t) mpi->layout->fields[F(opal_list_item_t, opal_list_next)].offset;
    enum status status;
    struct walk walk;

    ret->count = 0;
    ret->addr = arena_alloc(arena, list->n_chunks + 1, sizeof(*ret->addr));
    ret->order = arena_alloc(arena, list->n_chunks + 1, sizeof(*ret->order));
    if (ret->addr == NULL || ret->order == NULL)
        return STATUS_NOMEM;
    TRY(walk_circular(&walk, mpi->inf, list->chunks_sentinel, next, list->n_chunks));
    while ((status = walk_next(&walk, &ret->addr[ret->count])) == STATUS_OK) {
        ret->order[ret->count] = ret->count;
        ++ret->count;
    }
    sort_numbers(ret->order, ret->count, lower, ret);
    return status == STATUS_END ? STATUS_OK : status;
}

// Visits the items of one chunk, at most `most`, below `limit`.
static enum status
visit_chunk(const struct mpi *mpi, const struct free_list *list, taddr chunk, taddr limit,
            uint64_t most, uint64_t *seen, enum status (*visit)(void *context, taddr item),
            void *context)
{
    const size_t width = mpi->inf->model.pointer_size;
    const uint64_t header = mpi->layout->structs[S(opal_free_list_item_t)].size;
    taddr item = (chunk + header + list->alignment - 1) & ~(list->alignment - 1);

    for (uint64_t i = 0; i < most && item < limit; ++i, item += list->stride) {
        taddr class_addr;
        TRY(inferior_read_uint(mpi->inf, item, width, &class_addr));
        if (class_addr != list->class_addr)
            return STATUS_OK;
        TRY(visit(context, item));
        ++*seen;
    }
    return STATUS_OK;
}

enum status
free_list_each(const struct mpi *mpi, const struct free_list *list, struct arena *arena,
               enum status (*visit)(void *context, taddr item), void *context)
{
    struct chunks chunks;
    uint64_t seen = 0;

    if (list->allocated == 0)
        return STATUS_OK;
    const enum status partial = load_chunks(mpi, list, arena, &chunks);
    if (partial == STATUS_NOMEM)
        return partial;
    for (uint32_t i = 0; i < chunks.count && seen < list->allocated; ++i) {
        const uint32_t at = chunks.order[i];
        const taddr limit = i + 1 < chunks.count ? chunks.addr[chunks.order[i + 1]] : UINT64_MAX;
        const uint64_t left = list->allocated - seen;
        // The first chunk made may hold any number of items.
        const uint64_t most = at != 0 && list->per_chunk < left ? list->per_chunk : left;
        TRY(visit_chunk(mpi, list, chunks.addr[at], limit, most, &seen, visit, context));
    }
    TRY(partial);
    if (seen < list->allocated)
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT, "%llu of %llu requests were found",
                           (unsigned long long) seen, (unsigned long long) list->allocated);
    return STATUS_OK;
}
