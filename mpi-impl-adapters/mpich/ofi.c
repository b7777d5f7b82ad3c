// SPDX-License-Identifier: BSD-3-Clause
// Requests of device ch4:ofi that no list has: matched active messages, and what libfabric works
// on.
//
// libfabric has the envelopes; of a receive MPICH itself keeps communicator and memory.
#include "mpi-impl-adapters/mpich/ch4.h"

enum { TYPE_ACTIVE = 1 }; // MPIDI_REQ_TYPE_AM

// A receive from any source is two requests: one for the node, which is in a list, and this one.
static bool
is_twin(const struct view *dev)
{
    const taddr older = view_uint(dev, F(MPIDI_Devreq_t, anysource_partner_request));
    const taddr partner = older != 0 ? older : view_uint(dev, F(MPIDI_Devreq_t, anysrc_partner));

    return partner != 0 && view_int(dev, F(MPIDI_Devreq_t, is_local)) == 0;
}

// From 4.1 on the request says what is in it.
static bool
is_active(const struct view *dev)
{
    if (view_has(dev, F(MPIDI_Devreq_t, type)))
        return view_int(dev, F(MPIDI_Devreq_t, type)) == TYPE_ACTIVE;
    return !view_has(dev, F(MPIDI_Devreq_t, is_local)) ||
           view_int(dev, F(MPIDI_Devreq_t, is_local)) != 0;
}

static enum status
decode_native(struct search *search, const struct request *request, struct found *ret)
{
    const struct mpi *mpi = search->mpi;
    const size_t width = mpi->inf->model.pointer_size;
    struct view view;

    if (request->kind != REQUEST_RECEIVE ||
        mpi->layout->structs[S(MPIDI_OFI_request_t)].origin == ORIGIN_NONE)
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

static enum status
decode_active(struct search *search, const struct request *request, struct found *ret)
{
    const struct mpi *mpi = search->mpi;
    struct view am;

    TRY(view_load(mpi->inf, mpi->layout, S(MPIDIG_req_t), ch4_part(request), &am));
    if (request->kind == REQUEST_RECEIVE)
        TRY(am_decode_envelope(search, request, view_addr(&am, F(MPIDIG_req_t, u)), ret));
    ret->ref.buffer = view_uint(&am, F(MPIDIG_req_t, buffer));
    ret->ref.count = view_uint(&am, F(MPIDIG_req_t, count));
    ret->ref.datatype = view_uint(&am, F(MPIDIG_req_t, datatype));
    if (request->kind == REQUEST_RECEIVE && !request->complete)
        ret->ref.stage = STAGE_MATCHED;
    if (request->kind == REQUEST_RECEIVE)
        ret->ref.flags |= REF_COUNT | REF_KIND;
    return STATUS_OK;
}

enum status
ofi_decode(struct search *search, const struct request *request, struct found *ret)
{
    const struct mpi *mpi = search->mpi;
    struct view dev;

    // Without the lists a receive may be one of those in them.
    const bool unsure = request->kind == REQUEST_RECEIVE && !request->complete && search->unseen;
    if (request->comm == 0 || unsure)
        return STATUS_ABSENT;
    ret->comm = request->comm;
    if (request->kind == REQUEST_RECEIVE)
        ret->ref.flags |= REF_KIND;
    TRY(view_load(mpi->inf, mpi->layout, S(MPIDI_Devreq_t), request->dev, &dev));
    if (is_twin(&dev))
        return STATUS_ABSENT;
    return is_active(&dev) ? decode_active(search, request, ret)
                           : decode_native(search, request, ret);
}
