// SPDX-License-Identifier: BSD-3-Clause
// MPICH's workers of libucp: which receives have no message yet, and the messages that nobody has
// received.
#include "mpi-impl-adapters/mpich/ucx.h"

#include "mpi-impl-adapters/mpich/ch4.h"

#include <string.h>

bool
ucx_init(const struct mpi *mpi, struct ucp *ret)
{
    ucp_init(ret, mpi->inf, mpi->layout, UCP_PLACE);
    return ucp_readable(ret) &&
           mpi->layout->structs[S(MPIDI_UCX_context_t)].origin != ORIGIN_NONE &&
           mpi->layout->structs[S(MPIDI_UCX_global_t)].origin != ORIGIN_NONE;
}

// Calls `visit` for each of the library's workers, which belong to the context that MPICH made them
// in.
static enum status
each_worker(const struct mpi *mpi, struct ucp *ucp, enum status (*visit)(void *context),
            void *context)
{
    struct ucx_global global;
    struct view ctx;
    taddr addr;

    TRY(inferior_symbol(mpi->inf, "MPIDI_UCX_global", &addr));
    TRY(ucx_global_load(mpi, addr, &global));
    const uint32_t stride = mpi->layout->structs[S(MPIDI_UCX_context_t)].size;
    for (int64_t i = 0; i < global.workers; ++i) {
        TRY(view_load(mpi->inf, mpi->layout, S(MPIDI_UCX_context_t),
                      global.ctx + (taddr) (i * stride), &ctx));
        TRY(ucp_use_worker(ucp, view_uint(&ctx, F(MPIDI_UCX_context_t, worker)), global.context));
        TRY(visit(context));
    }
    return STATUS_OK;
}

// The number of workers stands behind the room for 64 of them, too far away for a view.
enum status
ucx_global_load(const struct mpi *mpi, taddr addr, struct ucx_global *ret)
{
    const struct layout *layout = mpi->layout;
    const struct field_layout *fields = layout->fields;
    const int32_t ctx = fields[F(MPIDI_UCX_global_t, ctx)].offset;
    const int32_t vnis = fields[F(MPIDI_UCX_global_t, num_vnis)].offset;
    const int32_t number = vnis >= 0 ? vnis : fields[F(MPIDI_UCX_global_t, num_vcis)].offset;
    const int64_t room = ((int64_t) layout->structs[S(MPIDI_UCX_global_t)].size - ctx) /
                         (int64_t) layout->structs[S(MPIDI_UCX_context_t)].size;
    uint64_t count = 1;

    TRY(inferior_read_pointer(
        mpi->inf, addr + (taddr) fields[F(MPIDI_UCX_global_t, context)].offset, &ret->context));
    if (number >= 0)
        TRY(inferior_read_uint(mpi->inf, addr + (taddr) number, layout->model.int_size, &count));
    ret->ctx = addr + (taddr) ctx;
    ret->workers = count < 1 || count > INT32_MAX ? 1 : (int64_t) count;
    if (ret->workers > room)
        ret->workers = room < 1 ? 1 : room;
    return STATUS_OK;
}

static enum status
stop(void *context)
{
    (void) context;
    return STATUS_END;
}

void
ucx_settle(struct inferior *inf, struct layout *layout, char *label)
{
    const struct mpi mpi = {inf, layout};
    struct layout settled = *layout;
    struct ucp ucp;

    if (!ucx_init(&mpi, &ucp))
        return;
    memcpy(settled.label, label, sizeof(settled.label));
    const enum status status = each_worker(&mpi, &ucp, stop, NULL);
    if (status == STATUS_END)
        ucp_put_back(&ucp, UCP_PLACE, &settled);
    else
        ucp_drop_refused(status, UCP_PLACE, &settled);
    memcpy(label, settled.label, sizeof(settled.label));
    memcpy(settled.label, layout->label, sizeof(settled.label));
    *layout = settled;
    trail_reset(&inf->trail);
}

static enum status
add_receive(void *context, taddr request)
{
    struct search *search = context;

    return addrs_add(search->arena, &search->seen, request);
}

static enum status
add_expected(void *context)
{
    struct search *search = context;

    return ucp_each_expected(&search->ucp, chain_limit(search) + 1, add_receive, search);
}

enum status
ucx_prepare(struct search *search)
{
    search->has_ucp = ucx_init(search->mpi, &search->ucp);
    if (!search->has_ucp)
        return STATUS_OK;
    const enum status status = each_worker(search->mpi, &search->ucp, add_expected, search);
    if (status == STATUS_NOMEM)
        return status;
    search->unseen = status != STATUS_OK;
    TRY(search_report(search, OP_RECEIVE, status));
    return addrs_sort(search->arena, &search->seen);
}

static void
decode_message(const struct ucp_message *message, struct found *ret)
{
    const struct ucx_word word = ucx_split(message->tag);

    ret->ref.peer = (int32_t) word.rank;
    ret->ref.tag = (int32_t) word.tag;
    ret->ref.spare = OP_KIND_MESSAGE;
    ret->ref.flags = (uint8_t) (REF_PEER | REF_TAG | REF_KIND | (message->sized ? REF_BYTES : 0) |
                                (message->rendezvous ? REF_RENDEZVOUS : 0) |
                                (message->transit ? REF_TRANSIT : 0));
    ret->ref.count = message->bytes;
    ret->has_context = true;
    ret->context = word.context;
}

// The request has libucp's message instead of a request of it.
enum status
ucx_decode_message(const struct search *search, const struct request *request, struct found *ret)
{
    struct ucp_message message;
    taddr addr;

    TRY(inferior_read_pointer(search->mpi->inf, ch4_part(request), &addr));
    if (addr == 0 || !ucp_readable(&search->ucp) ||
        ucp_message_load(&search->ucp, addr, &message) != STATUS_OK)
        return STATUS_ABSENT;
    decode_message(&message, ret);
    return ret->ref.flags & REF_BYTES ? STATUS_OK : STATUS_ABSENT;
}

static enum status
emit_message(void *context, const struct ucp_message *message, uint32_t order)
{
    struct found found = {.ref = {.addr = message->addr, .order = order, .class = OP_UNEXPECTED},
                          .pending = true};

    decode_message(message, &found);
    return search_emit(context, &found);
}

static enum status
emit_messages(void *context)
{
    const struct search *search = context;

    TRY(ucp_each_message(&search->ucp, emit_message, context));
    return ucp_each_transit(&search->ucp, emit_message, context);
}

enum status
ucx_messages(struct search *search)
{
    if (!ucx_init(search->mpi, &search->ucp))
        return STATUS_OK;
    return search_report(search, OP_UNEXPECTED,
                         each_worker(search->mpi, &search->ucp, emit_messages, search));
}

/** What counts the receives that were queued. */
struct count {
    struct ucp ucp;
    uint64_t receives;
};

static enum status
add_queued(void *context)
{
    struct count *count = context;
    uint64_t queued;

    TRY(ucp_count_queued(&count->ucp, &queued));
    count->receives += queued;
    return STATUS_OK;
}

enum status
ucx_progress(const struct mpi *mpi, uint64_t *ret)
{
    struct count count = {.receives = 0};

    if (!ucx_init(mpi, &count.ucp))
        return STATUS_UNSUPPORTED;
    TRY(each_worker(mpi, &count.ucp, add_queued, &count));
    *ret = count.receives;
    return STATUS_OK;
}
