// SPDX-License-Identifier: BSD-3-Clause
// libucp's workers: which receives have no message yet, and the messages that nobody has received.
#include "mpi-impl-adapters/mpich/ucx.h"

#include "mpi-impl-adapters/mpich/ch4.h"

enum {
    HASH_QUEUES = 1021, // of the worker's table
};

bool
ucx_readable(const struct layout *layout)
{
    static const unsigned needed[] = {
        S(MPIDI_UCX_context_t), S(MPIDI_UCX_global_t), S(ucp_request_send),   S(ucp_request_recv),
        S(ucp_request_queue),   S(ucp_worker_tags),    S(ucp_recv_desc_tags),
    };

    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); ++i)
        if (layout->structs[needed[i]].origin == ORIGIN_NONE)
            return false;
    return true;
}

// A worker belongs to the context that MPICH made it in.
static enum status
load_worker(const struct mpi *mpi, taddr addr, taddr context, struct view *ret)
{
    TRY(view_load(mpi->inf, mpi->layout, S(ucp_worker_tags), addr, ret));
    if (view_uint(ret, F(ucp_worker_tags, context)) == context)
        return STATUS_OK;
    return trail_begin(&mpi->inf->trail, STATUS_CORRUPT,
                       "libucp's worker at %#llx is of another context", (unsigned long long) addr);
}

// Calls `visit` for each of the library's workers.
static enum status
each_worker(const struct mpi *mpi, enum status (*visit)(void *context, const struct view *worker),
            void *context)
{
    struct view global, ctx, worker;
    taddr addr;

    TRY(inferior_symbol(mpi->inf, "MPIDI_UCX_global", &addr));
    TRY(view_load(mpi->inf, mpi->layout, S(MPIDI_UCX_global_t), addr, &global));
    const uint32_t stride = mpi->layout->structs[S(MPIDI_UCX_context_t)].size;
    const int64_t count = ucx_workers(&global);
    for (int64_t i = 0; i < count; ++i) {
        TRY(view_load(mpi->inf, mpi->layout, S(MPIDI_UCX_context_t),
                      view_addr(&global, F(MPIDI_UCX_global_t, ctx)) + (taddr) (i * stride), &ctx));
        TRY(load_worker(mpi, view_uint(&ctx, F(MPIDI_UCX_context_t, worker)),
                        view_uint(&global, F(MPIDI_UCX_global_t, context)), &worker));
        TRY(visit(context, &worker));
    }
    return STATUS_OK;
}

int64_t
ucx_workers(const struct view *global)
{
    const int64_t room = ((int64_t) global->layout->structs[S(MPIDI_UCX_global_t)].size -
                          global->layout->fields[F(MPIDI_UCX_global_t, ctx)].offset) /
                         (int64_t) global->layout->structs[S(MPIDI_UCX_context_t)].size;
    int64_t count = view_has(global, F(MPIDI_UCX_global_t, num_vnis))
                        ? view_int(global, F(MPIDI_UCX_global_t, num_vnis))
                        : view_int(global, F(MPIDI_UCX_global_t, num_vcis));

    return count < 1 ? 1 : count > room ? room : count;
}

// Notes the requests of a queue: receives that no message has matched.
static enum status
add_queue(struct search *search, taddr head, taddr tail)
{
    const struct mpi *mpi = search->mpi;
    const taddr queue = (taddr) mpi->layout->fields[F(ucp_request_recv, queue)].offset;

    for (taddr item = head; item != 0; head = item) {
        TRY(addrs_add(search, &search->seen, item - queue));
        if (item == tail)
            break;
        if (search->seen.count > chain_limit(search))
            return trail_begin(&mpi->inf->trail, STATUS_CORRUPT, "libucp's queue has no end");
        TRY(inferior_read_pointer(mpi->inf, item, &item));
    }
    return STATUS_OK;
}

static enum status
add_expected(void *context, const struct view *worker)
{
    struct search *search = context;
    const struct mpi *mpi = search->mpi;
    const uint32_t stride = mpi->layout->structs[S(ucp_request_queue)].size;
    const taddr hash = view_uint(worker, F(ucp_worker_tags, hash));
    struct view queue;

    for (int i = -1; i < HASH_QUEUES; ++i) {
        const taddr addr =
            i < 0 ? view_addr(worker, F(ucp_worker_tags, wildcard)) : hash + (taddr) i * stride;
        TRY(view_load(mpi->inf, mpi->layout, S(ucp_request_queue), addr, &queue));
        const taddr tail = view_uint(&queue, F(ucp_request_queue, ptail));
        if (tail != addr)
            TRY(add_queue(search, view_uint(&queue, F(ucp_request_queue, head)), tail));
    }
    return STATUS_OK;
}

enum status
ucx_prepare(struct search *search)
{
    if (!ucx_readable(search->mpi->layout))
        return STATUS_OK;
    const enum status status = each_worker(search->mpi, add_expected, search);
    if (status == STATUS_NOMEM)
        return status;
    search->unseen = status != STATUS_OK;
    TRY(search_report(search, OP_RECEIVE, status));
    return addrs_sort(search, &search->seen);
}

// Bytes of a message: of a whole one, what is behind its header; of the first part of one in parts,
// and of a rendezvous, what the header says.
static void
measure(const struct view *desc, struct op_ref *ref)
{
    const uint64_t flags = view_uint(desc, F(ucp_recv_desc_tags, flags));
    const uint64_t length = view_uint(desc, F(ucp_recv_desc_tags, length));
    const uint64_t offset = view_uint(desc, F(ucp_recv_desc_tags, payload_offset));

    if (flags & DESC_RENDEZVOUS) {
        ref->flags |= REF_RENDEZVOUS | REF_BYTES;
        ref->count = view_uint(desc, F(ucp_recv_desc_tags, rendezvous_size));
    } else if (flags & DESC_EAGER && flags & DESC_EAGER_ONLY && length >= offset) {
        ref->flags |= REF_BYTES;
        ref->count = length - offset;
    } else if (flags & DESC_EAGER) {
        ref->flags |= REF_BYTES;
        ref->count = view_uint(desc, F(ucp_recv_desc_tags, total));
    }
}

static void
decode_desc(const struct view *desc, struct found *ret)
{
    const struct ucx_word word = ucx_split(view_uint(desc, F(ucp_recv_desc_tags, tag)));

    ret->ref.peer = (int32_t) word.rank;
    ret->ref.tag = (int32_t) word.tag;
    ret->ref.spare = OP_KIND_MESSAGE;
    ret->ref.flags = REF_PEER | REF_TAG | REF_KIND;
    ret->has_context = true;
    ret->context = word.context;
    measure(desc, &ret->ref);
}

static enum status
emit_message(struct search *search, taddr addr, const struct view *desc, uint32_t order)
{
    struct found found = {.ref = {.addr = addr, .order = order, .class = OP_UNEXPECTED},
                          .pending = true};

    decode_desc(desc, &found);
    return search_emit(search, &found);
}

// The request has libucp's message instead of a request of it.
enum status
ucx_decode_message(const struct search *search, const struct request *request, struct found *ret)
{
    const struct mpi *mpi = search->mpi;
    struct view desc;
    taddr addr;

    TRY(inferior_read_pointer(mpi->inf, ch4_part(request), &addr));
    if (addr == 0 || !ucx_readable(mpi->layout) ||
        view_load(mpi->inf, mpi->layout, S(ucp_recv_desc_tags), addr, &desc) != STATUS_OK)
        return STATUS_ABSENT;
    decode_desc(&desc, ret);
    return ret->ref.flags & REF_BYTES ? STATUS_OK : STATUS_ABSENT;
}

// The list goes round through the worker; every item points back at the one before it.
static enum status
emit_unexpected(void *context, const struct view *worker)
{
    struct search *search = context;
    const struct mpi *mpi = search->mpi;
    const taddr sentinel = view_addr(worker, F(ucp_worker_tags, unexpected_prev));
    const taddr link = (taddr) mpi->layout->fields[F(ucp_recv_desc_tags, prev)].offset;
    taddr item = view_uint(worker, F(ucp_worker_tags, unexpected_next));
    taddr before = sentinel;
    struct view desc;

    for (uint32_t i = 0; item != sentinel; ++i) {
        TRY(view_load(mpi->inf, mpi->layout, S(ucp_recv_desc_tags), item - link, &desc));
        if (view_uint(&desc, F(ucp_recv_desc_tags, prev)) != before)
            return trail_begin(&mpi->inf->trail, STATUS_CORRUPT,
                               "libucp's list of messages is broken at %#llx",
                               (unsigned long long) item);
        TRY(emit_message(search, item - link, &desc, i));
        before = item;
        item = view_uint(&desc, F(ucp_recv_desc_tags, next));
    }
    return STATUS_OK;
}

enum status
ucx_messages(struct search *search)
{
    if (!ucx_readable(search->mpi->layout))
        return STATUS_OK;
    return search_report(search, OP_UNEXPECTED, each_worker(search->mpi, emit_unexpected, search));
}

static enum status
add_receives(void *context, const struct view *worker)
{
    if (!view_has(worker, F(ucp_worker_tags, sn)))
        return STATUS_ABSENT;
    *(uint64_t *) context += view_uint(worker, F(ucp_worker_tags, sn));
    return STATUS_OK;
}

enum status
ucx_progress(const struct mpi *mpi, uint64_t *ret)
{
    uint64_t count = 0;

    if (!ucx_readable(mpi->layout))
        return STATUS_UNSUPPORTED;
    TRY(each_worker(mpi, add_receives, &count));
    *ret = count;
    return STATUS_OK;
}
