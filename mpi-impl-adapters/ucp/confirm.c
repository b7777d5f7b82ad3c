// SPDX-License-Identifier: BSD-3-Clause
// Whether a layout is that of the libucp in a process, by what a worker must have: its context,
// queues that end, a list that is closed, receives in the queues that their words belong to. And
// whether it can be one at all: what is one in libucp and several in needs.def agrees.
#include "mpi-impl-adapters/ucp/layout.h"

enum { RECEIVES = 16, REQUESTS = 256 }; // of a queue, of the pool that are looked at

static enum status
refuse(const struct ucp *ucp, const char *what)
{
    return trail_begin(&ucp->inf->trail, STATUS_CORRUPT, "libucp's worker at %#llx: %s",
                       (unsigned long long) ucp->worker, what);
}

// The number of the queue that a word belongs to.
static uint32_t
queue_of(uint64_t tag)
{
    return (uint32_t) tag % UCP_HASH_PRIME ^ (uint32_t) (tag >> 32) % UCP_HASH_PRIME;
}

// Receives of a queue of the table have no mask, and those of the other one have. Each has a higher
// number than the one before it.
static enum status
confirm_receives(const struct ucp *ucp, int number, taddr head, taddr tail)
{
    const taddr queue = (taddr) ucp->layout.fields[F(ucp_request_recv, queue)].offset;
    struct ucp_receive receive;
    uint64_t least = 0, count;

    if (ucp_count_queued(ucp, &count) != STATUS_OK)
        count = UINT64_MAX;
    for (unsigned i = 0; i < RECEIVES && head != 0; ++i) {
        TRY(ucp_receive_load(ucp, head - queue, &receive));
        if (receive.worker != ucp->worker)
            return refuse(ucp, "a receive is of another worker");
        if ((receive.tag_mask == UINT64_MAX) != (number >= 0) ||
            (number >= 0 && queue_of(receive.tag) != (uint32_t) number))
            return refuse(ucp, "a receive is in another queue than its own");
        if (receive.sequence < least || receive.sequence >= count)
            return refuse(ucp, "its receives are not in the order of their numbers");
        least = receive.sequence + 1;
        if (head == tail)
            break;
        TRY(inferior_read_pointer(ucp->inf, head, &head));
    }
    return STATUS_OK;
}

static enum status
confirm_queues(const struct ucp *ucp, const struct view *worker)
{
    const uint32_t stride = ucp->layout.structs[S(ucp_request_queue)].size;
    const taddr hash = view_uint(worker, F(ucp_worker_tags, hash));
    struct view queue;

    for (int i = -1; i < UCP_HASH_QUEUES; ++i) {
        const taddr addr =
            i < 0 ? view_addr(worker, F(ucp_worker_tags, wildcard)) : hash + (taddr) i * stride;
        TRY(view_load(ucp->inf, &ucp->layout, S(ucp_request_queue), addr, &queue));
        const taddr head = view_uint(&queue, F(ucp_request_queue, head));
        const taddr tail = view_uint(&queue, F(ucp_request_queue, ptail));
        if (tail == addr)
            continue;
        if (head == 0 || tail == 0)
            return refuse(ucp, "a queue has no end");
        TRY(confirm_receives(ucp, i, head, tail));
    }
    return STATUS_OK;
}

static enum status
confirm_messages(const struct ucp *ucp, const struct view *worker)
{
    const taddr sentinel = view_addr(worker, F(ucp_worker_tags, unexpected_prev));
    const taddr width = ucp->inf->model.pointer_size;
    taddr before, after;

    TRY(inferior_read_pointer(ucp->inf, view_uint(worker, F(ucp_worker_tags, unexpected_next)),
                              &before));
    TRY(inferior_read_pointer(
        ucp->inf, view_uint(worker, F(ucp_worker_tags, unexpected_prev)) + width, &after));
    return before == sentinel && after == sentinel ? STATUS_OK
                                                   : refuse(ucp, "its list of messages is open");
}

/** Bytes from one member to another one. */
static const struct {
    unsigned from, to;
    int32_t bytes;
} distances[] = {
    // A link of a list is two pointers. All blocks are for those of 8 bytes.
    {F(ucp_recv_desc_tags, prev), F(ucp_recv_desc_tags, next), 8},
    // What libucp's messages begin with, as it is sent.
    {F(ucp_recv_desc_tags, tag), F(ucp_recv_desc_tags, total), 8},
    {F(ucp_recv_desc_tags, tag), F(ucp_recv_desc_tags, rendezvous_size), 32},
};

// From where receives have one: members of an iterator over data, which sends that follow a
// protocol have as well.
static const struct {
    unsigned of_receive, of_send;
} iterator[] = {
    {F(ucp_request_recv, length), F(ucp_request_proto, length)},
    {F(ucp_request_recv, buffer), F(ucp_request_proto, buffer)},
    {F(ucp_request_recv, datatype), F(ucp_request_proto, datatype)},
};

static enum status
confirm_iterator(const struct ucp *ucp)
{
    const struct field_layout *at = ucp->layout.fields;
    const int32_t receive = at[F(ucp_request_recv, dt_class)].offset;
    const int32_t send = at[F(ucp_request_proto, dt_class)].offset;

    for (size_t i = 0; i < sizeof(iterator) / sizeof(iterator[0]) && receive >= 0 && send >= 0; ++i)
        if (at[iterator[i].of_receive].offset - receive != at[iterator[i].of_send].offset - send)
            return refuse(ucp, "the data of receives and of sends have two forms");
    return STATUS_OK;
}

// What is one in libucp and declared for several uses is in one place.
static enum status
confirm_members(const struct ucp *ucp)
{
    const struct field_layout *at = ucp->layout.fields;

    if (at[F(ucp_request_recv, flags)].offset >= 0 &&
        at[F(ucp_request_recv, flags)].offset != at[F(ucp_request_send, flags)].offset)
        return refuse(ucp, "requests have two kinds of flags");
    for (size_t i = 0; i < sizeof(distances) / sizeof(distances[0]); ++i)
        if (at[distances[i].to].offset - at[distances[i].from].offset != distances[i].bytes)
            return refuse(ucp, "messages have another form");
    return confirm_iterator(ucp);
}

// What debug information says needs no proof but the context: damage is found by the walks.
enum status
ucp_confirm(const struct ucp *ucp, taddr context)
{
    struct view worker;

    TRY(ucp_load_worker(ucp, &worker));
    if (view_uint(&worker, F(ucp_worker_tags, context)) != context)
        return refuse(ucp, "it is of another context");
    if (ucp->layout.structs[S(ucp_worker_tags)].origin == ORIGIN_DEBUG)
        return STATUS_OK;
    TRY(confirm_members(ucp));
    TRY(confirm_queues(ucp, &worker));
    return confirm_messages(ucp, &worker);
}

/** What looks at requests, and how many more. */
struct look {
    const struct ucp *ucp;
    unsigned left;
};

// A receive that was complete as soon as it was called, without a callback, need not name its
// worker.
static enum status
confirm_request(void *context, taddr request)
{
    struct look *look = context;
    struct ucp_receive receive;
    struct ucp_state state;

    if (look->left-- == 0)
        return STATUS_END;
    TRY(ucp_state_load(look->ucp, request, &state));
    if (!state.receives || (state.complete && !state.has_callback))
        return STATUS_OK;
    TRY(ucp_receive_load(look->ucp, request, &receive));
    return receive.worker == look->ucp->worker
               ? STATUS_OK
               : refuse(look->ucp, "a receive in its pool is of another worker");
}

enum status
ucp_confirm_pool(const struct ucp *ucp)
{
    struct look look = {ucp, REQUESTS};

    if (!ucp_has_pool(ucp))
        return STATUS_OK;
    const enum status status = ucp_each_request(ucp, confirm_request, &look);
    return status == STATUS_END ? STATUS_OK : status;
}
