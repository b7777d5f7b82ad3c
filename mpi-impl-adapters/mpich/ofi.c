// SPDX-License-Identifier: BSD-3-Clause
// Receives that libfabric works on: it has the envelopes, and MPICH itself keeps communicator and
// memory.
#include "mpi-impl-adapters/mpich/ch4.h"

enum status
ofi_decode(const struct mpi *mpi, const struct request *request, struct found *ret)
{
    const size_t width = mpi->inf->model.pointer_size;
    struct view view;

    if (mpi->layout->structs[S(MPIDI_OFI_request_t)].origin == ORIGIN_NONE)
        return STATUS_OK;
    TRY(view_load(mpi->inf, mpi->layout, S(MPIDI_OFI_request_t), ch4_part(request), &view));
    const taddr iov = view_addr(&view, F(MPIDI_OFI_request_t, util));
    TRY(inferior_read_pointer(mpi->inf, iov, &ret->ref.buffer));
    TRY(inferior_read_uint(mpi->inf, iov + width, width, &ret->ref.count));
    if (view_has(&view, F(MPIDI_OFI_request_t, util_id))) {
        ret->context = (uint32_t) view_uint(&view, F(MPIDI_OFI_request_t, util_id));
        ret->has_context = true;
    }
    ret->ref.flags |= REF_BYTES | REF_KIND;
    return STATUS_OK;
}
