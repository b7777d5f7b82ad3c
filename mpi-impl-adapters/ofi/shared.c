// SPDX-License-Identifier: BSD-3-Clause
// Queues that have lists for each source. Receives have numbers, which rise along each list.
#include "mpi-impl-adapters/ofi/layout.h"

enum { CHUNKS = 1 << 10, CHUNK_LISTS = 1 << 10, READ_LISTS = 1 << 6 };

/** A member of struct ofi_shared, which is too long for a view. */
static enum status
load_word(const struct ofi *ofi, unsigned field, uint64_t *ret)
{
    return inferior_read_uint(ofi->inf, ofi->queue + (taddr) ofi->layout.fields[field].offset,
                              ofi->layout.fields[field].width, ret);
}

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

static enum status
visit_list(const struct ofi *ofi, taddr first, const struct receives *receives)
{
    const taddr link = (taddr) ofi->layout.fields[F(ofi_receive, next)].offset;
    struct ofi_receive receive;
    uint64_t before = 0;

    for (taddr at = first; at != 0;) {
        TRY(ofi_receive_load(ofi, at - link, &receive));
        if (receive.number <= before || receive.number > receives->posted)
            return broken(ofi, at);
        before = receive.number;
        TRY(receives->visit(receives->context, &receive));
        TRY(inferior_read_pointer(ofi->inf, at, &at));
    }
    return STATUS_OK;
}

// Most lists are empty.
static enum status
visit_chunk(const struct ofi *ofi, taddr chunk, const struct receives *receives)
{
    const struct datamodel *model = &ofi->inf->model;
    const uint32_t stride = ofi->layout.structs[S(ofi_list)].size;
    const uint32_t first = (uint32_t) ofi->layout.fields[F(ofi_list, first)].offset;
    uint8_t bytes[READ_LISTS * 2 * sizeof(taddr)];

    if (stride > sizeof(bytes) / READ_LISTS || first + model->pointer_size > stride)
        return trail_begin(&ofi->inf->trail, STATUS_MISMATCH, "libfabric's lists have %u bytes",
                           stride);
    for (unsigned i = 0; i < CHUNK_LISTS; i += READ_LISTS) {
        TRY(inferior_read(ofi->inf, chunk + i * stride, READ_LISTS * stride, bytes));
        for (unsigned k = 0; k < READ_LISTS; ++k)
            TRY(visit_list(ofi,
                           datamodel_uint(model, bytes + k * stride + first, model->pointer_size),
                           receives));
    }
    return STATUS_OK;
}

enum status
ofi_shared_receives(const struct ofi *ofi,
                    enum status (*visit)(void *context, const struct ofi_receive *receive),
                    void *context)
{
    const taddr chunks = ofi->queue + (taddr) ofi->layout.fields[F(ofi_shared, chunks)].offset;
    const unsigned width = ofi->inf->model.pointer_size;
    struct receives receives = {.visit = visit, .context = context};
    uint64_t any;
    taddr chunk;

    TRY(load_word(ofi, F(ofi_shared, posted), &receives.posted));
    TRY(load_word(ofi, F(ofi_shared, receives), &any));
    TRY(visit_list(ofi, any, &receives));
    for (unsigned i = 0; i < CHUNKS; ++i) {
        TRY(inferior_read_pointer(ofi->inf, chunks + i * width, &chunk));
        if (chunk != 0)
            TRY(visit_chunk(ofi, chunk, &receives));
    }
    return STATUS_OK;
}

/** What messages are visited with. */
struct messages {
    enum status (*visit)(void *context, const struct ofi_message *message);
    void *context;
};

static enum status
visit_message(const struct ofi *ofi, const struct view *item, const struct messages *messages)
{
    struct ofi_message message;
    const enum status status = ofi_message_decode(ofi, item, &message);

    if (status == STATUS_ABSENT)
        return STATUS_OK;
    TRY(status);
    return messages->visit(messages->context, &message);
}

static enum status
visit_source(const struct ofi *ofi, const struct view *source, const struct messages *messages)
{
    const taddr link = (taddr) ofi->layout.fields[F(ofi_message, next)].offset;
    int64_t left = view_int(source, F(ofi_source, count));
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

// Messages of which the source is not known.
static enum status
visit_strays(const struct ofi *ofi, const struct messages *messages)
{
    const taddr head = ofi->queue + (taddr) ofi->layout.fields[F(ofi_shared, messages)].offset;
    const taddr link = (taddr) ofi->layout.fields[F(ofi_message, next)].offset;
    taddr before = head, at;
    struct view item;

    TRY(inferior_read_pointer(ofi->inf, head, &at));
    while (at != head) {
        TRY(view_load(ofi->inf, &ofi->layout, S(ofi_message), at - link, &item));
        if (view_uint(&item, F(ofi_message, previous)) != before)
            return broken(ofi, at);
        TRY(visit_message(ofi, &item, messages));
        before = at;
        at = view_uint(&item, F(ofi_message, next));
    }
    return STATUS_OK;
}

enum status
ofi_shared_messages(const struct ofi *ofi,
                    enum status (*visit)(void *context, const struct ofi_message *message),
                    void *context)
{
    const taddr head = ofi->queue + (taddr) ofi->layout.fields[F(ofi_shared, sources)].offset;
    const taddr link = (taddr) ofi->layout.fields[F(ofi_source, next)].offset;
    const struct messages messages = {visit, context};
    taddr before = head, at;
    struct view source;

    TRY(visit_strays(ofi, &messages));
    TRY(inferior_read_pointer(ofi->inf, head, &at));
    while (at != head) {
        TRY(view_load(ofi->inf, &ofi->layout, S(ofi_source), at - link, &source));
        if (view_uint(&source, F(ofi_source, previous)) != before)
            return broken(ofi, at);
        TRY(visit_source(ofi, &source, &messages));
        before = at;
        at = view_uint(&source, F(ofi_source, next));
    }
    return STATUS_OK;
}
