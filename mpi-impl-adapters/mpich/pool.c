// SPDX-License-Identifier: BSD-3-Clause
// Pools of objects: MPIR_Object_alloc_t, and which of its objects are in use.
//
// An object that is not in use has no references, whether it was used before or never. The block of
// a pool may have just been made, or an object be half given back: one more or less than the pool
// counts is fine. Windows, infos and sessions have none in use either.
#include "mpi-impl-adapters/mpich/mpich.h"

enum {
    BLOCKS_MAX = 8192,        // of a pool
    OBJECTS_PER_BLOCK = 1024, // where the pool does not say
    OBJECTS_MAX = 1 << 16,    // of a block
    INDICES = 1 << 12,        // of a block, in handles
    DIRECT_MAX = 1 << 14,
};

static bool
is_sane(const struct pool *pool)
{
    return pool->n_blocks <= BLOCKS_MAX && pool->n_direct <= DIRECT_MAX && pool->per_block > 0 &&
           pool->per_block <= OBJECTS_MAX && (pool->n_blocks == 0 || pool->blocks != 0) &&
           (pool->n_direct == 0 || pool->direct != 0);
}

// The handle of an object of the first block; 0: it has none.
static uint64_t
read_handle(const struct mpi *mpi, const struct pool *pool, taddr block, uint32_t index)
{
    uint64_t handle;

    return inferior_read_uint(mpi->inf, block + (taddr) index * pool->stride,
                              mpi->inf->model.int_size, &handle) == STATUS_OK
               ? handle
               : 0;
}

// Where the pool does not say, its builder may have made blocks larger (Intel did): all objects of
// a block have their handles from the beginning.
static uint32_t
count_per_block(const struct mpi *mpi, const struct pool *pool)
{
    uint32_t count = OBJECTS_PER_BLOCK;
    taddr block;

    if (pool->n_blocks == 0 || inferior_read_pointer(mpi->inf, pool->blocks, &block) != STATUS_OK)
        return count;
    const uint64_t first = read_handle(mpi, pool, block, 0);
    while (handle_kind(first) == pool->kind && count < INDICES &&
           read_handle(mpi, pool, block, count) == first + count)
        count *= 2;
    trail_reset(&mpi->inf->trail);
    return count;
}

enum status
pool_load(const struct mpi *mpi, taddr addr, unsigned kind, unsigned number, struct pool *ret)
{
    struct view view;

    TRY((is_uncounted(kind) ? view_load_whole : view_load)(mpi->inf, mpi->layout,
                                                           S(MPIR_Object_alloc_t), addr, &view));
    const uint64_t size = view_uint(&view, F(MPIR_Object_alloc_t, size));
    const bool in_use = view_int(&view, F(MPIR_Object_alloc_t, initialized)) != 0;
    struct pool pool = {
        .addr = addr,
        .kind = (unsigned) view_uint(&view, F(MPIR_Object_alloc_t, kind)),
        .stride = (uint32_t) size,
        .direct = view_uint(&view, F(MPIR_Object_alloc_t, direct)),
        .n_direct = in_use ? (uint32_t) view_uint(&view, F(MPIR_Object_alloc_t, direct_size)) : 0,
        .blocks = view_uint(&view, F(MPIR_Object_alloc_t, indirect)),
        .n_blocks = (uint32_t) view_uint(&view, F(MPIR_Object_alloc_t, indirect_size)),
        .per_block = OBJECTS_PER_BLOCK,
        .n_live = -1,
        .avail = view_uint(&view, F(MPIR_Object_alloc_t, avail)),
        .uncounted = is_uncounted(kind),
    };
    if (view_has(&view, F(MPIR_Object_alloc_t, indirect_block_size)))
        pool.per_block = (uint32_t) view_uint(&view, F(MPIR_Object_alloc_t, indirect_block_size));
    if (view_has(&view, F(MPIR_Object_alloc_t, num_avail)))
        pool.n_live = view_int(&view, F(MPIR_Object_alloc_t, num_allocated)) -
                      view_int(&view, F(MPIR_Object_alloc_t, num_avail));
    if (pool.n_blocks == 0)
        pool.per_block = OBJECTS_PER_BLOCK;
    if (pool.kind != kind || size != mpi->layout->structs[number].size || !is_sane(&pool))
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT,
                           "the pool of %s at %#llx: kind %u, objects of %llu bytes, %u blocks",
                           mpi->layout->needs->structs[number].name, (unsigned long long) addr,
                           pool.kind, (unsigned long long) size, pool.n_blocks);
    if (!view_has(&view, F(MPIR_Object_alloc_t, indirect_block_size)))
        pool.per_block = count_per_block(mpi, &pool);
    *ret = pool;
    return STATUS_OK;
}

// Every object starts with its handle and its count of references, an int each. What is built in
// may lie behind those of a pool.
static enum status
visit_objects(const struct mpi *mpi, const struct pool *pool, unsigned place, taddr first,
              uint32_t count, enum status (*visit)(void *context, taddr object), void *context,
              int64_t *live)
{
    const struct datamodel *model = &mpi->inf->model;
    const size_t width = model->int_size;
    uint8_t bytes[2 * sizeof(uint64_t)];

    for (uint32_t i = 0; i < count; ++i) {
        const taddr object = first + (taddr) i * pool->stride;
        TRY(inferior_read(mpi->inf, object, 2 * width, bytes));
        const uint64_t handle = datamodel_uint(model, bytes, width);
        const bool counts = pool->uncounted || datamodel_int(model, bytes + width, width) > 0;
        if (!counts || handle_kind(handle) != pool->kind || handle_place(handle) != place)
            continue;
        ++*live;
        TRY(visit(context, object));
    }
    return STATUS_OK;
}

enum status
pool_each(const struct mpi *mpi, const struct pool *pool,
          enum status (*visit)(void *context, taddr object), void *context, int64_t *ret_live)
{
    const size_t width = mpi->inf->model.pointer_size;
    enum status worst = STATUS_OK;
    taddr block;

    *ret_live = 0;
    TRY(visit_objects(mpi, pool, HANDLE_DIRECT, pool->direct, pool->n_direct, visit, context,
                      ret_live));
    for (uint32_t i = 0; i < pool->n_blocks; ++i) {
        enum status status = inferior_read_pointer(mpi->inf, pool->blocks + i * width, &block);
        if (status == STATUS_OK)
            status = visit_objects(mpi, pool, HANDLE_INDIRECT, block, pool->per_block, visit,
                                   context, ret_live);
        if (status == STATUS_NOMEM)
            return status;
        if (status != STATUS_OK)
            worst = trail_prepend(&mpi->inf->trail, status, "block %u of the pool", i);
    }
    return worst;
}

// Behind the handle and the count of references of such an object is the pointer to the next one.
enum status
pool_each_free(const struct mpi *mpi, const struct pool *pool,
               enum status (*visit)(void *context, taddr object), void *context)
{
    const uint64_t most = pool->n_direct + (uint64_t) pool->n_blocks * pool->per_block;
    const size_t link = 2 * mpi->inf->model.int_size;
    taddr object = pool->avail;

    for (uint64_t i = 0; object != 0 && i < most; ++i) {
        TRY(visit(context, object));
        TRY(inferior_read_pointer(mpi->inf, object + link, &object));
    }
    return STATUS_OK;
}

/** Parts of a handle that say which object of its pool it is. */
struct parts {
    uint32_t direct; // mask of the number of a direct one
    uint32_t block;  // mask of the block, above the number in it
};

enum { ALL = (1 << 26) - 1, BLOCK_SHIFT = 12, INDEX = INDICES - 1 };

// Keyvals have the kind of their objects in it, requests the number of their pool.
static struct parts
parts_of(unsigned kind)
{
    switch (kind) {
    case HANDLE_KEYVAL:
        return (struct parts){(1 << 22) - 1, (1 << 10) - 1};
    case HANDLE_REQUEST:
        return (struct parts){(1 << REQUEST_POOL_SHIFT) - 1, (1 << 8) - 1};
    default:
        return (struct parts){ALL, ALL >> BLOCK_SHIFT};
    }
}

enum status
pool_find(const struct mpi *mpi, const struct pool *pool, uint32_t handle, taddr *ret)
{
    const struct parts parts = parts_of(pool->kind);
    const bool direct = handle_place(handle) == HANDLE_DIRECT;
    const uint32_t block = handle >> BLOCK_SHIFT & parts.block;
    const uint32_t index = handle & (direct ? parts.direct : (uint32_t) INDEX);
    taddr first = pool->direct;

    if (!direct && handle_place(handle) != HANDLE_INDIRECT)
        return STATUS_ABSENT;
    if (direct ? index >= pool->n_direct : block >= pool->n_blocks || index >= pool->per_block)
        return STATUS_ABSENT;
    if (!direct)
        TRY(inferior_read_pointer(
            mpi->inf, pool->blocks + (taddr) block * mpi->inf->model.pointer_size, &first));
    *ret = first + (taddr) index * pool->stride;
    return STATUS_OK;
}

enum status
mpich_find_object(const struct mpi *mpi, unsigned kind, uint32_t handle, taddr *ret)
{
    const unsigned number = kind == HANDLE_REQUEST ? handle >> REQUEST_POOL_SHIFT & 63 : 0;
    struct pool pool;
    uint64_t there;

    if (handle_kind(handle) != kind)
        return STATUS_ABSENT;
    TRY(mpich_pool(mpi, kind, number, &pool));
    TRY(pool_find(mpi, &pool, handle, ret));
    TRY(inferior_read_uint(mpi->inf, *ret, mpi->inf->model.int_size, &there));
    return there == handle ? STATUS_OK : STATUS_ABSENT;
}
