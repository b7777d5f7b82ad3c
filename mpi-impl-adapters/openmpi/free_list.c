// SPDX-License-Identifier: BSD-3-Clause
// opal_free_list_t: every object of one kind that was ever allocated, in use or not.
//
// The list of chunks says where they start but not how many items each holds: all but the first
// hold fl_num_per_alloc, unless a limit cut one short. An item is recognised by its first word, the
// class.
#include "mpi-impl-adapters/openmpi/openmpi.h"

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
    if ((list.allocated == 0 && list.n_chunks == 0) || list.class_addr == 0) {
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

/** The chunks that were seen, by a hash of their addresses: what links one twice is damaged. */
struct chunks {
    struct arena *arena;
    taddr *slots; // 0: free
    size_t size;  // a power of two
    size_t count;
};

static taddr *
chunks_slot(const struct chunks *chunks, taddr chunk)
{
    const size_t mask = chunks->size - 1;
    size_t at = (size_t) (chunk * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;

    while (chunks->slots[at] != 0 && chunks->slots[at] != chunk)
        at = (at + 1) & mask;
    return &chunks->slots[at];
}

/** Makes room for one more. The length that the list says it has is not believed. */
static enum status
chunks_grow(struct chunks *chunks)
{
    const struct chunks old = *chunks;

    if (2 * old.count < old.size)
        return STATUS_OK;
    chunks->size = old.size > 0 ? 2 * old.size : 64;
    chunks->slots = arena_alloc(chunks->arena, chunks->size, sizeof(*chunks->slots));
    if (chunks->slots == NULL)
        return STATUS_NOMEM;
    for (size_t i = 0; i < old.size; ++i)
        if (old.slots[i] != 0)
            *chunks_slot(chunks, old.slots[i]) = old.slots[i];
    return STATUS_OK;
}

static enum status
chunks_add(const struct mpi *mpi, struct chunks *chunks, taddr chunk)
{
    TRY(chunks_grow(chunks));
    taddr *slot = chunks_slot(chunks, chunk);
    if (*slot != 0)
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT, "the chunk at %#llx is linked twice",
                           (unsigned long long) chunk);
    *slot = chunk;
    ++chunks->count;
    return STATUS_OK;
}

// Visits the items of one chunk, at most `most`, below `limit`.
static enum status
visit_chunk(const struct mpi *mpi, const struct free_list *list, taddr chunk, uint64_t most,
            taddr limit, uint64_t *seen, enum status (*visit)(void *context, taddr item),
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
    const uint32_t next =
        (uint32_t) mpi->layout->fields[F(opal_list_item_t, opal_list_next)].offset;
    // The first chunk made holds what the others do not, and ends before the next one in memory.
    taddr chunk, first = 0, limit = UINT64_MAX;
    struct chunks chunks = {.arena = arena};
    enum status partial;
    struct walk walk;
    uint64_t seen = 0;

    if (list->allocated == 0)
        return STATUS_OK;
    TRY(walk_circular(&walk, mpi->inf, list->chunks_sentinel, next, list->n_chunks));
    while ((partial = walk_next(&walk, &chunk)) == STATUS_OK && seen < list->allocated) {
        const uint64_t left = list->allocated - seen;
        partial = chunks_add(mpi, &chunks, chunk);
        if (partial == STATUS_NOMEM)
            return partial;
        if (partial != STATUS_OK)
            break;
        if (first == 0) {
            first = chunk;
            continue;
        }
        if (chunk > first && chunk < limit)
            limit = chunk;
        TRY(visit_chunk(mpi, list, chunk, list->per_chunk < left ? list->per_chunk : left,
                        UINT64_MAX, &seen, visit, context));
    }
    // There was a chunk that is not visited, or the first one is not.
    if (partial == STATUS_OK || seen == list->allocated)
        return trail_begin(
            &mpi->inf->trail, STATUS_CORRUPT, "%llu requests do not fill %llu chunks",
            (unsigned long long) list->allocated, (unsigned long long) list->n_chunks);
    if (first != 0)
        TRY(visit_chunk(mpi, list, first, list->allocated - seen, limit, &seen, visit, context));
    if (partial != STATUS_END)
        TRY(partial);
    if (seen < list->allocated)
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT, "%llu of %llu requests were found",
                           (unsigned long long) seen, (unsigned long long) list->allocated);
    return STATUS_OK;
}
