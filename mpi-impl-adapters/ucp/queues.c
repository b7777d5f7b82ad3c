// SPDX-License-Identifier: BSD-3-Clause
// A worker: which receives have no message yet, and the messages that nobody has received.
#include "mpi-impl-adapters/ucp/layout.h"

enum status
ucp_load_worker(const struct ucp *ucp, struct view *ret)
{
    return view_load(ucp->inf, &ucp->layout, S(ucp_worker_tags), ucp->worker, ret);
}

/** What visits receives, and how many more there can be. */
struct visitor {
    enum status (*visit)(void *context, taddr request);
    void *context;
    uint64_t left;
};

static enum status
visit_queue(const struct ucp *ucp, taddr head, taddr tail, struct visitor *visitor)
{
    const taddr queue = (taddr) ucp->layout.fields[F(ucp_request_recv, queue)].offset;

    for (taddr item = head; item != 0;) {
        if (visitor->left-- == 0)
            return trail_begin(&ucp->inf->trail, STATUS_CORRUPT, "libucp's queue has no end");
        TRY(visitor->visit(visitor->context, item - queue));
        if (item == tail)
            break;
        TRY(inferior_read_pointer(ucp->inf, item, &item));
    }
    return STATUS_OK;
}

enum status
ucp_each_expected(const struct ucp *ucp, uint64_t most,
                  enum status (*visit)(void *context, taddr request), void *context)
{
    const uint32_t stride = ucp->layout.structs[S(ucp_request_queue)].size;
    struct visitor visitor = {visit, context, most};
    struct view worker, queue;

    TRY(ucp_load_worker(ucp, &worker));
    const taddr hash = view_uint(&worker, F(ucp_worker_tags, hash));
    for (int i = -1; i < UCP_HASH_QUEUES; ++i) {
        const taddr addr =
            i < 0 ? view_addr(&worker, F(ucp_worker_tags, wildcard)) : hash + (taddr) i * stride;
        TRY(view_load(ucp->inf, &ucp->layout, S(ucp_request_queue), addr, &queue));
        const taddr tail = view_uint(&queue, F(ucp_request_queue, ptail));
        if (tail != addr)
            TRY(visit_queue(ucp, view_uint(&queue, F(ucp_request_queue, head)), tail, &visitor));
    }
    return STATUS_OK;
}

enum status
ucp_count_queued(const struct ucp *ucp, uint64_t *ret)
{
    struct view worker;

    TRY(ucp_load_worker(ucp, &worker));
    if (!view_has(&worker, F(ucp_worker_tags, sn)))
        return STATUS_ABSENT;
    *ret = view_uint(&worker, F(ucp_worker_tags, sn));
    return STATUS_OK;
}

// The list goes round through the worker; every item points back at the one before it.
enum status
ucp_each_message(const struct ucp *ucp,
                 enum status (*visit)(void *context, const struct ucp_message *message,
                                      uint32_t order),
                 void *context)
{
    const taddr link = (taddr) ucp->layout.fields[F(ucp_recv_desc_tags, prev)].offset;
    struct view worker, view;

    TRY(ucp_load_worker(ucp, &worker));
    const taddr sentinel = view_addr(&worker, F(ucp_worker_tags, unexpected_prev));
    taddr item = view_uint(&worker, F(ucp_worker_tags, unexpected_next));
    taddr before = sentinel;
    for (uint32_t i = 0; item != sentinel; ++i) {
        struct ucp_message message;
        TRY(view_load(ucp->inf, &ucp->layout, S(ucp_recv_desc_tags), item - link, &view));
        if (view_uint(&view, F(ucp_recv_desc_tags, prev)) != before)
            return trail_begin(&ucp->inf->trail, STATUS_CORRUPT,
                               "libucp's list of messages is broken at %#llx",
                               (unsigned long long) item);
        TRY(ucp_message_load(ucp, item - link, &message));
        TRY(visit(context, &message, i));
        before = item;
        item = view_uint(&view, F(ucp_recv_desc_tags, next));
    }
    return STATUS_OK;
}
