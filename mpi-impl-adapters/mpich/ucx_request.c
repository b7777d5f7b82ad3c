// SPDX-License-Identifier: BSD-3-Clause
// Receives that libucp works on: what was asked for, and what came.
#include "mpi-impl-adapters/mpich/ucx.h"

#include "mpi-impl-adapters/mpich/ch4.h"

enum status
ucx_request_of(const struct search *search, const struct request *request, taddr *ret)
{
    const taddr size = ucp_request_size(&search->ucp);
    taddr user;

    TRY(inferior_read_pointer(search->mpi->inf, ch4_part(request), &user));
    *ret = user > size ? user - size : 0;
    return STATUS_OK;
}

// A finished receive has given libucp's request back, but what was in it stays until it is used
// again: it counts as long as it agrees with the status.
static enum status
check_finished(const struct search *search, const struct request *request,
               const struct ucp_receive *receive)
{
    const struct ucx_word sent = ucx_split(receive->sender_tag);
    struct outcome outcome;

    TRY(request_outcome(search->mpi, request, &outcome));
    return !outcome.cancelled && outcome.source == sent.rank && outcome.tag == sent.tag &&
                   outcome.bytes == receive->sender_bytes
               ? STATUS_OK
               : STATUS_ABSENT;
}

void
ucx_decode_data(const struct mpi *mpi, taddr datatype, uint64_t bytes, struct found *ret)
{
    uint32_t handle;

    if (datatype != 0 && mpich_datatype_at(mpi, datatype, &handle))
        ret->ref.datatype = handle;
    search_count_elements(mpi, bytes, ret);
}

// From 4.2 on data in several pieces is received in one, which is unpacked then: the last part of
// the device's part has it, the user's buffer, count and datatype, behind the kind of receive. The
// bytes are kept unless those are as many.
static enum status
decode_unpacked(const struct mpi *mpi, const struct request *request,
                const struct ucp_receive *receive, struct found *ret)
{
    enum { UNPACK = 1, PARTS = 4 };
    const struct struct_layout *layout = &mpi->layout->structs[S(MPIDI_UCX_request_t)];
    const unsigned width = mpi->inf->model.pointer_size;
    taddr packed, buffer;
    uint64_t kind, count, datatype, size, bytes;

    if (layout->origin == ORIGIN_NONE || layout->size < (PARTS + 2) * width)
        return STATUS_OK;
    const taddr parts = ch4_part(request) + layout->size - PARTS * width;
    TRY(inferior_read_uint(mpi->inf, parts - width, mpi->inf->model.int_size, &kind));
    TRY(inferior_read_pointer(mpi->inf, parts, &packed));
    if (kind != UNPACK || packed != receive->buffer)
        return STATUS_OK;
    TRY(inferior_read_pointer(mpi->inf, parts + width, &buffer));
    TRY(inferior_read_uint(mpi->inf, parts + 2 * width, width, &count));
    TRY(inferior_read_uint(mpi->inf, parts + 3 * width, mpi->inf->model.int_size, &datatype));
    ret->ref.buffer = buffer;
    if (mpich_datatype_size(mpi, (uint32_t) datatype, &size) != STATUS_OK ||
        __builtin_mul_overflow(size, count, &bytes) || bytes != receive->bytes) {
        trail_reset(&mpi->inf->trail);
        return STATUS_OK;
    }
    ret->ref.count = count;
    ret->ref.datatype = datatype;
    ret->ref.flags = (uint8_t) ((ret->ref.flags & ~REF_BYTES) | REF_COUNT);
    return STATUS_OK;
}

bool
ucx_find_place(struct search *search, const struct request *request, uint32_t *ret)
{
    struct ucp_receive receive;
    taddr addr;

    if (ucx_request_of(search, request, &addr) != STATUS_OK || addr == 0 ||
        ucp_receive_load(&search->ucp, addr, &receive) != STATUS_OK ||
        receive.user_data != request->addr)
        return false;
    *ret = (uint32_t) receive.sequence + 1;
    return true;
}

enum status
ucx_decode_receive(struct search *search, const struct request *request, struct found *ret)
{
    struct ucp_receive receive;
    taddr addr;

    TRY(ucx_request_of(search, request, &addr));
    if (addr == 0)
        return STATUS_ABSENT;
    TRY(ucp_receive_load(&search->ucp, addr, &receive));
    if (receive.user_data != request->addr)
        return STATUS_ABSENT;
    const struct ucx_word word = ucx_split(receive.tag);
    const struct ucx_word wild = ucx_split(~receive.tag_mask);
    if (wild.context != 0 || search_is_elsewhere(search, request->comm, word.context))
        return trail_begin(&search->mpi->inf->trail, STATUS_CORRUPT,
                           "request at %#llx: libucp's is of another communicator",
                           (unsigned long long) request->addr);
    if (request->complete)
        TRY(check_finished(search, request, &receive));
    ret->has_context = true;
    ret->context = word.context;
    ret->ref.peer = wild.rank != 0 ? MPICH_ANY_SOURCE : (int32_t) word.rank;
    ret->ref.tag = (receive.tag_mask & 1) == 0 ? MPICH_ANY_TAG : (int32_t) word.tag;
    ret->ref.buffer = receive.buffer;
    ucx_decode_data(search->mpi, receive.datatype, receive.bytes, ret);
    TRY(decode_unpacked(search->mpi, request, &receive, ret));
    ret->ref.major = (uint32_t) receive.sequence + 1;
    ret->ref.flags |= REF_PEER | REF_TAG | REF_KIND;
    if (request->complete || addrs_find(&search->seen, addr) < search->seen.count)
        return STATUS_OK;
    if (search->unseen)
        return STATUS_ABSENT;
    ret->ref.stage = STAGE_MATCHED;
    ret->ref.count = receive.bytes;
    ret->ref.datatype = addr;
    ret->ref.flags = (uint8_t) ((ret->ref.flags & ~REF_COUNT) | REF_BYTES | REF_UCX);
    return STATUS_OK;
}

bool
ucx_matched(const struct mpi *mpi, taddr addr, struct outcome *ret)
{
    struct ucp_receive receive;
    struct ucp ucp;

    if (!ucx_init(mpi, &ucp) || ucp_receive_load(&ucp, addr, &receive) != STATUS_OK)
        return false;
    const struct ucx_word word = ucx_split(receive.sender_tag);
    *ret = (struct outcome){
        .source = word.rank,
        .tag = word.tag,
        .bytes = receive.sender_bytes,
    };
    return ((receive.sender_tag ^ receive.tag) & receive.tag_mask) == 0;
}

enum status
ucx_decode(struct search *search, const struct request *request, struct found *ret)
{
    return request->kind == REQUEST_SEND ? ucx_decode_send(search, request, ret)
                                         : ucx_decode_receive(search, request, ret);
}
