// SPDX-License-Identifier: BSD-3-Clause
// What MPICH itself keeps of receives and messages that it has handed to libfabric.
#include "mpi-impl-adapters/mpich/ch4.h"
#include "mpi-impl-adapters/mpich/ofi.h"

enum { PEEK_FOUND = 2 }; // MPIDI_OFI_PEEK_FOUND

/** Data that is not in one piece, up to 4.2: the pieces, or the user's data and a packed copy. */
struct pieces {
    taddr buffer; // or address of the pieces; 0: it is in one
    uint64_t count;
    taddr copy;
};

static enum status
load_pieces(const struct mpi *mpi, taddr addr, struct pieces *ret)
{
    const unsigned width = mpi->inf->model.pointer_size;

    TRY(inferior_read_pointer(mpi->inf, addr, &ret->buffer));
    TRY(inferior_read_uint(mpi->inf, addr + width, width, &ret->count));
    return inferior_read_pointer(mpi->inf, addr + 3 * width, &ret->copy);
}

// What it was before is still there: of pieces only what libfabric has tells.
static enum status
decode_pieces(const struct mpi *mpi, const struct view *view, const struct ofi_receive *receive,
              struct found *ret)
{
    const unsigned width = mpi->inf->model.pointer_size;
    const taddr iov = view_addr(view, F(MPIDI_OFI_request_t, util));
    struct pieces pieces = {.buffer = 0};
    uint64_t bytes;

    if (view_has(view, F(MPIDI_OFI_request_t, noncontig)))
        TRY(load_pieces(mpi, view_addr(view, F(MPIDI_OFI_request_t, noncontig)), &pieces));
    if (pieces.buffer == 0) {
        TRY(inferior_read_pointer(mpi->inf, iov, &ret->ref.buffer));
        TRY(inferior_read_uint(mpi->inf, iov + width, width, &bytes));
        search_count_elements(mpi, bytes, ret);
    } else if (receive != NULL && pieces.copy == receive->buffer) {
        ret->ref.buffer = pieces.buffer;
        ret->ref.count = pieces.count;
        ret->ref.flags |= REF_COUNT;
    } else if (receive != NULL) {
        search_count_elements(mpi, receive->bytes, ret);
    }
    return STATUS_OK;
}

enum status
ofi_decode_data(const struct mpi *mpi, const struct request *request,
                const struct ofi_receive *receive, struct found *ret)
{
    struct view view;

    if (mpi->layout->structs[S(MPIDI_OFI_request_t)].origin == ORIGIN_NONE) {
        if (receive == NULL)
            return STATUS_OK;
        ret->ref.count = receive->bytes;
        ret->ref.flags |= REF_BYTES;
        return STATUS_OK;
    }
    TRY(view_load(mpi->inf, mpi->layout, S(MPIDI_OFI_request_t), ch4_part(request), &view));
    ret->ref.datatype = view_uint(&view, F(MPIDI_OFI_request_t, datatype));
    if (view_has(&view, F(MPIDI_OFI_request_t, buf))) {
        ret->ref.buffer = view_uint(&view, F(MPIDI_OFI_request_t, buf));
        ret->ref.count = view_uint(&view, F(MPIDI_OFI_request_t, count));
        ret->ref.flags |= REF_COUNT;
        return STATUS_OK;
    }
    if (view_has(&view, F(MPIDI_OFI_request_t, util_id))) {
        ret->context = (uint32_t) view_uint(&view, F(MPIDI_OFI_request_t, util_id));
        ret->has_context = true;
    }
    return decode_pieces(mpi, &view, receive, ret);
}

// What MPI_Mprobe has taken: its envelope is in the status.
enum status
ofi_decode_message(const struct mpi *mpi, const struct request *request, struct found *ret)
{
    struct outcome outcome;
    struct view view;

    if (mpi->layout->structs[S(MPIDI_OFI_request_t)].origin == ORIGIN_NONE || request->comm == 0)
        return STATUS_ABSENT;
    TRY(view_load(mpi->inf, mpi->layout, S(MPIDI_OFI_request_t), ch4_part(request), &view));
    const unsigned found = view_has(&view, F(MPIDI_OFI_request_t, peek_status))
                               ? F(MPIDI_OFI_request_t, peek_status)
                               : F(MPIDI_OFI_request_t, util_id);
    if (view_int(&view, found) != PEEK_FOUND)
        return STATUS_ABSENT;
    TRY(request_outcome(mpi, request, &outcome));
    ret->comm = request->comm;
    ret->ref.peer = request_source(mpi->layout, outcome.source);
    ret->ref.tag = request_tag(mpi->layout, outcome.tag);
    ret->ref.count = outcome.bytes;
    ret->ref.flags |= REF_PEER | REF_TAG | REF_BYTES | REF_KIND;
    return STATUS_OK;
}
