// SPDX-License-Identifier: BSD-3-Clause
// Receives that libucp works on: what was asked for, and what came.
#include "mpi-impl-adapters/mpich/ucx.h"

#include "mpi-impl-adapters/mpich/ch4.h"

// Address of libucp's request; 0: there is none.
enum status
ucx_request_of(const struct mpi *mpi, const struct request *request, unsigned number, taddr *ret)
{
    const taddr size = mpi->layout->structs[number].size;
    taddr user;

    TRY(inferior_read_pointer(mpi->inf, ch4_part(request), &user));
    *ret = user > size ? user - size : 0;
    return STATUS_OK;
}

// A finished receive has given libucp's request back, but what was in it stays until it is used
// again: it counts as long as it agrees with the status.
static enum status
check_finished(const struct search *search, const struct request *request, const struct view *view)
{
    const struct ucx_word sent = ucx_split(view_uint(view, F(ucp_request_recv, sender_tag)));
    struct outcome outcome;

    TRY(request_outcome(search->mpi, request, &outcome));
    return !outcome.cancelled && outcome.source == sent.rank && outcome.tag == sent.tag &&
                   outcome.bytes == view_uint(view, F(ucp_request_recv, sender_length))
               ? STATUS_OK
               : STATUS_ABSENT;
}

enum status
ucx_decode_receive(struct search *search, const struct request *request, struct found *ret)
{
    const struct mpi *mpi = search->mpi;
    struct view view;
    taddr addr;

    TRY(ucx_request_of(mpi, request, S(ucp_request_recv), &addr));
    if (addr == 0 ||
        view_load(mpi->inf, mpi->layout, S(ucp_request_recv), addr, &view) != STATUS_OK ||
        view_uint(&view, F(ucp_request_recv, user_data)) != request->addr)
        return STATUS_ABSENT;
    const uint64_t mask = view_uint(&view, F(ucp_request_recv, tag_mask));
    const struct ucx_word word = ucx_split(view_uint(&view, F(ucp_request_recv, tag)));
    const struct ucx_word wild = ucx_split(~mask);
    if (request->complete)
        TRY(check_finished(search, request, &view));
    ret->has_context = true;
    ret->context = word.context;
    ret->ref.peer = wild.rank != 0 ? MPICH_ANY_SOURCE : (int32_t) word.rank;
    ret->ref.tag = wild.tag != 0 ? MPICH_ANY_TAG : (int32_t) word.tag;
    ret->ref.buffer = view_uint(&view, F(ucp_request_recv, buffer));
    ret->ref.count = view_uint(&view, F(ucp_request_recv, length));
    ret->ref.order = (uint32_t) view_uint(&view, F(ucp_request_recv, sn));
    ret->ref.flags |= REF_PEER | REF_TAG | REF_BYTES | REF_KIND;
    if (request->complete || addrs_find(&search->seen, addr) < search->seen.count)
        return STATUS_OK;
    if (search->unseen)
        return STATUS_ABSENT;
    ret->ref.stage = STAGE_MATCHED;
    ret->ref.datatype = addr;
    ret->ref.flags |= REF_UCX;
    return STATUS_OK;
}

bool
ucx_matched(const struct mpi *mpi, taddr addr, struct outcome *ret)
{
    struct view view;

    if (view_load(mpi->inf, mpi->layout, S(ucp_request_recv), addr, &view) != STATUS_OK)
        return false;
    const uint64_t sender = view_uint(&view, F(ucp_request_recv, sender_tag));
    const uint64_t wanted = view_uint(&view, F(ucp_request_recv, tag));
    const struct ucx_word word = ucx_split(sender);
    *ret = (struct outcome){
        .source = word.rank,
        .tag = word.tag,
        .bytes = view_uint(&view, F(ucp_request_recv, sender_length)),
    };
    return ((sender ^ wanted) & view_uint(&view, F(ucp_request_recv, tag_mask))) == 0;
}

enum status
ucx_decode(struct search *search, const struct request *request, struct found *ret)
{
    return request->kind == REQUEST_SEND ? ucx_decode_send(search, request, ret)
                                         : ucx_decode_receive(search, request, ret);
}
