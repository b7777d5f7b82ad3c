// SPDX-License-Identifier: BSD-3-Clause
// Queues that have lists for each source. Receives have numbers, which rise along each list.
#include "mpi-impl-adapters/ofi/layout.h"

enum { CHUNKS = 1 << 10, CHUNK_LISTS = 1 << 10, READ_LISTS = 1 << 6, MOST_MESSAGES = 1 << 24 };

/** What receives are visited with. */
struct receives {
    enum status (*visit)(void *context, const struct ofi_receive *receive);
    void *context;
    uint64_t posted; // numbers are less
};

static enum status
broken(const struct ofi *ofi, taddr at)
{
    return trail_begin(&ofi->inf->trail, STATUS_CORRUPT, "libfabric's list is broken at %#llx",
                       (unsigned long long) at);
}

// @param source the address that all are from; OFI_ANY_ADDRESS: any
// @param ret_last the last one, 0: none
static enum status
visit_list(const struct ofi *ofi, taddr first, uint64_t source, const struct receives *receives,
           taddr *ret_last)
{
    const taddr link = (taddr) ofi->layout.fields[F(ofi_receive, next)].offset;
    struct ofi_receive receive;
    uint64_t before = 0;

    *ret_last = 0;
    for (taddr at = first; at != 0;) {
        TRY(ofi_receive_load(ofi, at - link, &receive));
        if (receive.number <= before || receive.number > receives->posted || receive.context == 0 ||
            (source != OFI_ANY_ADDRESS && receive.address != source))
            return broken(ofi, at);
        before = receive.number;
        TRY(receives->visit(receives->context, &receive));
        *ret_last = at;
        TRY(inferior_read_pointer(ofi->inf, at, &at));
    }
    return STATUS_OK;
}

// The list of a source, whose address is its place in the array.
static enum status
visit_source_list(const struct ofi *ofi, const uint8_t *list, uint64_t source,
                  const struct receives *receives)
{
    const struct datamodel *model = &ofi->inf->model;
    const struct field_layout *fields = ofi->layout.fields;
    const taddr first =
        datamodel_uint(model, list + fields[F(ofi_list, first)].offset, model->pointer_size);
    const taddr last =
        datamodel_uint(model, list + fields[F(ofi_list, last)].offset, model->pointer_size);
    taddr end;

    if (first == 0)
        return STATUS_OK;
    TRY(visit_list(ofi, first, source, receives, &end));
    return end == last ? STATUS_OK : broken(ofi, end);
}

// Most lists are empty.
static enum status
visit_chunk(const struct ofi *ofi, taddr chunk, uint64_t source, const struct receives *receives)
{
    const struct field_layout *fields = ofi->layout.fields;
    const uint32_t stride = ofi->layout.structs[S(ofi_list)].size;
    const uint32_t first = (uint32_t) fields[F(ofi_list, first)].offset;
    const uint32_t last = (uint32_t) fields[F(ofi_list, last)].offset;
    const unsigned width = ofi->layout.model.pointer_size;
    uint8_t bytes[READ_LISTS * 2 * sizeof(taddr)];

    if (stride > sizeof(bytes) / READ_LISTS || first + width > stride || last + width > stride)
        return trail_begin(&ofi->inf->trail, STATUS_MISMATCH, "libfabric's lists have %u bytes",
                           stride);
    for (unsigned i = 0; i < CHUNK_LISTS; i += READ_LISTS) {
        TRY(inferior_read(ofi->inf, chunk + i * stride, READ_LISTS * stride, bytes));
        for (unsigned k = 0; k < READ_LISTS; ++k)
            TRY(visit_source_list(ofi, bytes + k * stride, source + i + k, receives));
    }
    return STATUS_OK;
}

static enum status
each_receive(const struct ofi *ofi,
             enum status (*visit)(void *context, const struct ofi_receive *receive), void *context)
{
    const taddr chunks = ofi_member(ofi, F(ofi_shared, chunks));
    const unsigned width = ofi->inf->model.pointer_size;
    struct receives receives = {.visit = visit, .context = context};
    uint64_t any, last;
    taddr chunk, end;

    TRY(ofi_member_load(ofi, F(ofi_shared, posted), &receives.posted));
    TRY(ofi_member_load(ofi, F(ofi_shared, receives), &any));
    TRY(ofi_member_load(ofi, F(ofi_shared, receives_last), &last));
    TRY(visit_list(ofi, any, OFI_ANY_ADDRESS, &receives, &end));
    if (end != last)
        return broken(ofi, ofi_member(ofi, F(ofi_shared, receives)));
    for (unsigned i = 0; i < CHUNKS; ++i) {
        TRY(inferior_read_pointer(ofi->inf, chunks + i * width, &chunk));
        if (chunk != 0)
            TRY(visit_chunk(ofi, chunk, (uint64_t) i * CHUNK_LISTS, &receives));
    }
    return STATUS_OK;
}

/** What messages are visited with. */
struct messages {
    enum status (*visit)(void *context, const struct ofi_message *message);
    void *context;
    bool unread; // a connection is not
};

static enum status
visit_message(const struct ofi *ofi, const struct view *item, struct messages *messages)
{
    struct ofi_message message;
    const enum status status = ofi_message_decode(ofi, item, &message);

    if (status == STATUS_ABSENT)
        return STATUS_OK;
    TRY(status);
    return messages->visit(messages->context, &message);
}

static enum status
visit_source(const struct ofi *ofi, const struct view *source, struct messages *messages)
{
    const taddr link = (taddr) ofi->layout.fields[F(ofi_message, next)].offset;
    const int64_t count = view_int(source, F(ofi_source, count));
    int64_t left = count < MOST_MESSAGES ? count : MOST_MESSAGES;
    struct view item;

    for (taddr at = view_uint(source, F(ofi_source, messages)); at != 0;) {
        if (left-- <= 0)
            return broken(ofi, at);
        TRY(view_load(ofi->inf, &ofi->layout, S(ofi_message), at - link, &item));
        TRY(visit_message(ofi, &item, messages));
        at = view_uint(&item, F(ofi_message, next));
    }
    return STATUS_OK;
}

static enum status
visit_connection(const struct ofi *ofi, const struct view *connection, struct messages *messages)
{
    struct ofi_message message = {.addr = view_addr(connection, F(ofi_connection, frame))};

    messages->unread = true;
    if (view_uint(connection, F(ofi_connection, claimer)) != 0)
        return STATUS_OK;
    TRY(ofi_frame_decode(ofi, message.addr, &message));
    return messages->visit(messages->context, &message);
}

/** A list that goes round. */
struct ring {
    unsigned owner, head;          // a struct, and its member
    unsigned item, next, previous; // likewise
    enum status (*visit)(const struct ofi *ofi, const struct view *item, struct messages *messages);
};

// clang-format off
#define RING(owner, head, item, visit) \
    {S(owner), F(owner, head), S(item), F(item, next), F(item, previous), visit}
// clang-format on

// Messages of which the source is not known; those of each source; what follows the latter.
static const struct ring rings[] = {
    RING(ofi_shared, messages, ofi_message, visit_message),
    RING(ofi_shared, sources, ofi_source, visit_source),
    RING(ofi_domain, sources, ofi_source, visit_source),
    RING(ofi_domain, connections, ofi_connection, visit_connection),
};

static enum status
visit_ring(const struct ofi *ofi, const struct ring *ring, struct messages *messages)
{
    const taddr link = (taddr) ofi->layout.fields[ring->next].offset;
    taddr owner = ofi->queue, at;
    struct view item;

    if (ring->owner == S(ofi_domain))
        TRY(ofi_member_load(ofi, F(ofi_shared, domain), &owner));
    const taddr head = owner + (taddr) ofi->layout.fields[ring->head].offset;
    taddr before = head;
    TRY(inferior_read_pointer(ofi->inf, head, &at));
    while (at != head) {
        TRY(view_load(ofi->inf, &ofi->layout, ring->item, at - link, &item));
        if (view_uint(&item, ring->previous) != before)
            return broken(ofi, at);
        TRY(ring->visit(ofi, &item, messages));
        before = at;
        at = view_uint(&item, ring->next);
    }
    return STATUS_OK;
}

static enum status
each_message(const struct ofi *ofi,
             enum status (*visit)(void *context, const struct ofi_message *message), void *context)
{
    struct messages messages = {visit, context, false};

    for (size_t i = 0; i < sizeof(rings) / sizeof(rings[0]); ++i)
        if (ofi->layout.fields[rings[i].head].offset >= 0)
            TRY(visit_ring(ofi, &rings[i], &messages));
    return messages.unread ? STATUS_UNSUPPORTED : STATUS_OK;
}

const char *
ofi_unread(const struct ofi *ofi)
{
    return ofi->layout.fields[F(ofi_domain, connections)].offset < 0
               ? ""
               : "messages behind one that it has no room for, ";
}

const struct ofi_kind ofi_kind_shared = {S(ofi_shared), ofi_confirm_shared, each_receive,
                                         each_message};
