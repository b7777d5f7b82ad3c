// SPDX-License-Identifier: BSD-3-Clause
// Collects the requests in use, and which of them work for a persistent one.
#include "mpi-impl-adapters/mpich/search.h"

// One damaged request must not hide the others.
static enum status
report(const struct search *search, taddr object, enum status status)
{
    if (status == STATUS_NOMEM)
        return status;
    trail_prepend(&search->mpi->inf->trail, status, "request at %#llx",
                  (unsigned long long) object);
    TRY(search_report(search, OP_SEND, status));
    return search_report(search, OP_RECEIVE, status);
}

static enum status
collect_request(void *context, taddr object)
{
    struct search *search = context;
    struct request request;

    const enum status status = mpich_request_load(search->mpi, search->release, object, &request);
    if (status != STATUS_OK)
        return report(search, object, status);
    if (request.kind == REQUEST_OTHER)
        return STATUS_OK;
    TRY(addrs_add(search->arena, &search->requests, object));
    if (request.kind != REQUEST_PERSISTENT_SEND && request.kind != REQUEST_PERSISTENT_RECEIVE &&
        request.kind != REQUEST_PERSISTENT_COLLECTIVE)
        return STATUS_OK;
    const taddr real = request_real(&request, search->debugger && search->release < RELEASE_4_1);
    return real == 0 ? STATUS_OK : map_add(search, &search->persistent, real, object);
}

// A pool for each of the virtual interfaces; those that are not in use were never set up.
static enum status
collect_pool(struct search *search, taddr addr)
{
    const struct mpi *mpi = search->mpi;
    struct pool pool;
    struct view view;
    int64_t live;

    TRY(view_load(mpi->inf, mpi->layout, S(MPIR_Object_alloc_t), addr, &view));
    if (view_uint(&view, F(MPIR_Object_alloc_t, size)) == 0)
        return STATUS_OK;
    TRY(pool_load(mpi, addr, HANDLE_REQUEST, S(MPIR_Request), &pool));
    TRY(pool_each(mpi, &pool, collect_request, search, &live));
    if (pool.n_live >= 0 && (live > pool.n_live + 1 || live < pool.n_live - 1))
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT, "%lld of %lld requests were found",
                           (long long) live, (long long) pool.n_live);
    return STATUS_OK;
}

enum status
search_collect(struct search *search)
{
    const struct mpi *mpi = search->mpi;
    const uint32_t stride = mpi->layout->structs[S(MPIR_Object_alloc_t)].size;
    taddr addr;

    TRY(inferior_symbol(mpi->inf, "MPIR_Request_mem", &addr));
    for (int i = 0; i < REQUEST_POOLS; ++i) {
        enum status status = collect_pool(search, addr + (taddr) i * stride);
        if (status != STATUS_OK)
            trail_prepend(&mpi->inf->trail, status, "requests of interface %d", i);
        TRY(search_report(search, OP_SEND, status));
        TRY(search_report(search, OP_RECEIVE, status));
        // Intel MPI's messages are found by their requests.
        if (mpi->layout->structs[S(impi_message)].origin != ORIGIN_NONE)
            TRY(search_report(search, OP_UNEXPECTED, status));
    }
    return map_seal(search, &search->persistent);
}
