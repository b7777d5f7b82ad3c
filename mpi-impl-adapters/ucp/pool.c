// SPDX-License-Identifier: BSD-3-Clause
// The pool of a worker's requests: a chain of chunks, the newest first, each an array of elements.
// The word before an element leads to the pool while the element is in use, else to the next free
// one.
#include "mpi-impl-adapters/ucp/layout.h"

#include <string.h>

enum {
    ELEMENTS_MAX = 1 << 24, // of a chunk; more is taken for damaged memory
    CHUNKS_MAX = 1 << 16,
    ELEMENT_MAX = 1 << 16, // bytes
    POOL_NAME = 16,
};

/** A pool, and what visits its elements. */
struct pool {
    taddr addr;
    uint64_t stride; // bytes from element to element
    taddr chunks;
    enum status (*visit)(void *context, taddr request);
    void *context;
};

// A member in the width that it has; 0: in neither.
static uint64_t
either(const struct view *view, unsigned wide, unsigned narrow)
{
    return view_has(view, wide)     ? view_uint(view, wide)
           : view_has(view, narrow) ? view_uint(view, narrow)
                                    : 0;
}

static enum status
load_pool(const struct ucp *ucp, struct pool *ret)
{
    const uint64_t least = ucp->inf->model.pointer_size + (uint64_t) ucp_request_size(ucp);
    const uint64_t wanted = least + ucp->user_size;
    struct view worker, head, data;
    char name[POOL_NAME];

    TRY(view_load(ucp->inf, &ucp->layout, S(ucp_worker_tags), ucp->worker, &worker));
    ret->addr = view_addr(&worker, F(ucp_worker_tags, req_mp));
    TRY(view_load(ucp->inf, &ucp->layout, S(ucs_mpool_t), ret->addr, &head));
    TRY(view_load(ucp->inf, &ucp->layout, S(ucs_mpool_data_t),
                  view_uint(&head, F(ucs_mpool_t, data)), &data));
    TRY(inferior_read_string(ucp->inf, view_uint(&data, F(ucs_mpool_data_t, name)), sizeof(name),
                             name));
    const uint64_t size =
        either(&data, F(ucs_mpool_data_t, elem_size_wide), F(ucs_mpool_data_t, elem_size_32));
    const uint64_t alignment =
        either(&data, F(ucs_mpool_data_t, alignment_wide), F(ucs_mpool_data_t, alignment_32));
    if (strcmp(name, "ucp_requests") != 0 || size < least ||
        (ucp->user_size != 0 && size != wanted) || alignment == 0 ||
        (alignment & (alignment - 1)) != 0 || alignment > ELEMENT_MAX || size > ELEMENT_MAX)
        return trail_begin(&ucp->inf->trail, STATUS_CORRUPT,
                           "libucp's pool of requests at %#llx: elements of %llu bytes, not %llu",
                           (unsigned long long) ret->addr, (unsigned long long) size,
                           (unsigned long long) wanted);
    ret->stride = (size + alignment - 1) & ~(alignment - 1);
    ret->chunks = view_uint(&data, F(ucs_mpool_data_t, chunks));
    return STATUS_OK;
}

/** A chunk. Before it may stand a number of 4 bytes, so it need not be aligned. */
struct chunk {
    taddr addr;
    taddr next;
    taddr first; // element
    uint64_t count;
};

static enum status
load_chunk(const struct ucp *ucp, taddr addr, struct chunk *ret)
{
    const struct field_layout *fields = ucp->layout.fields;
    const size_t width = ucp->inf->model.pointer_size;

    ret->addr = addr;
    TRY(inferior_read_uint(ucp->inf, addr + (taddr) fields[F(ucs_mpool_chunk_t, next)].offset,
                           width, &ret->next));
    TRY(inferior_read_uint(ucp->inf, addr + (taddr) fields[F(ucs_mpool_chunk_t, elems)].offset,
                           width, &ret->first));
    TRY(inferior_read_uint(ucp->inf, addr + (taddr) fields[F(ucs_mpool_chunk_t, num_elems)].offset,
                           fields[F(ucs_mpool_chunk_t, num_elems)].width, &ret->count));
    if (ret->count > ELEMENTS_MAX || ret->first < addr || ret->first - addr > 2 * ELEMENT_MAX)
        return trail_begin(&ucp->inf->trail, STATUS_CORRUPT,
                           "libucp's chunk at %#llx: %llu requests from %#llx on",
                           (unsigned long long) addr, (unsigned long long) ret->count,
                           (unsigned long long) ret->first);
    return STATUS_OK;
}

// Requests are handed out from the end: the newest one comes first.
static enum status
visit_chunk(const struct ucp *ucp, const struct pool *pool, const struct chunk *chunk)
{
    taddr owner;

    for (uint64_t i = 0; i < chunk->count; ++i) {
        const taddr element = chunk->first + i * pool->stride;
        TRY(inferior_read_pointer(ucp->inf, element, &owner));
        if (owner == pool->addr)
            TRY(pool->visit(pool->context, element + ucp->inf->model.pointer_size));
    }
    return STATUS_OK;
}

bool
ucp_has_pool(const struct ucp *ucp)
{
    return ucp_readable(ucp) && ucp->layout.structs[S(ucs_mpool_data_t)].origin != ORIGIN_NONE &&
           ucp->layout.structs[S(ucs_mpool_chunk_t)].origin != ORIGIN_NONE &&
           ucp->layout.structs[S(ucs_mpool_t)].origin != ORIGIN_NONE &&
           ucp->layout.fields[F(ucp_worker_tags, req_mp)].offset >= 0;
}

bool
ucp_is_of_pool(const struct ucp *ucp, taddr request)
{
    const taddr pool = ucp->worker + (taddr) ucp->layout.fields[F(ucp_worker_tags, req_mp)].offset;
    taddr owner;

    if (!ucp_has_pool(ucp))
        return false;
    if (inferior_read_pointer(ucp->inf, request - ucp->inf->model.pointer_size, &owner) !=
        STATUS_OK) {
        trail_reset(&ucp->inf->trail);
        return false;
    }
    return owner == pool;
}

// A chain that goes round meets the chunk that was kept when the number of chunks last doubled.
enum status
ucp_each_request(const struct ucp *ucp, enum status (*visit)(void *context, taddr request),
                 void *context)
{
    struct pool pool = {.visit = visit, .context = context};
    taddr kept = 0;
    struct chunk chunk;

    TRY(load_pool(ucp, &pool));
    taddr addr = pool.chunks;
    for (uint32_t i = 1, power = 1; addr != 0; ++i, addr = chunk.next) {
        if (addr == kept || i > CHUNKS_MAX)
            return trail_begin(&ucp->inf->trail, STATUS_CORRUPT,
                               "libucp's chain of chunks has no end");
        if (i == power) {
            kept = addr;
            power *= 2;
        }
        TRY(load_chunk(ucp, addr, &chunk));
        TRY(visit_chunk(ucp, &pool, &chunk));
    }
    return STATUS_OK;
}
