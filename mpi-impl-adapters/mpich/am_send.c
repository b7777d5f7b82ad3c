// SPDX-License-Identifier: BSD-3-Clause
// Sends of device ch4 within a node. Of data that the receiver has to ask for, the request has what
// is sent and to whom. Of data that was sent at once it has nothing: there is what another
// operation has left.
#include "mpi-impl-adapters/mpich/ch4.h"

// Data that is sent at once is one segment, which is counted before anybody can look. What another
// operation has counted stays there until this one sends its data.
static bool
waits_for_receiver(const struct view *async)
{
    const int64_t segments = view_int(async, F(MPIDIG_sreq_async_t, seg_issued));
    const bool remains = view_uint(async, F(MPIDIG_sreq_async_t, data_sz_left)) != 0;
    const bool unused =
        segments == 0 && !remains && view_uint(async, F(MPIDIG_sreq_async_t, datatype)) == 0;

    return unused || segments > 1 || (segments == 1 && remains);
}

// A network module counts no segments. Up to 4.2 all sends say which way they go.
static bool
is_within_node(struct search *search, const struct request *request)
{
    const struct layout *layout = search->mpi->layout;
    struct view dev;
    uint32_t comm;

    if (search->release < RELEASE_4_3)
        return view_load(search->mpi->inf, layout, S(MPIDI_Devreq_t), request->dev, &dev) ==
                   STATUS_OK &&
               view_int(&dev, F(MPIDI_Devreq_t, is_local)) != 0;
    return search_by_addr(search, request->comm, &comm) &&
           (search->device == DEVICE_UCX || !search_may_use_network(search, comm));
}

static bool
has_envelope(struct search *search, const struct request *request, const struct view *am)
{
    const struct layout *layout = search->mpi->layout;
    const int32_t place = layout->fields[F(MPIDIG_req_ext_t, send_async)].offset;
    const taddr extension = view_uint(am, F(MPIDIG_req_t, req));
    struct view async;

    return place >= 0 && extension != 0 && is_within_node(search, request) &&
           view_load(search->mpi->inf, layout, S(MPIDIG_sreq_async_t), extension + (taddr) place,
                     &async) == STATUS_OK &&
           waits_for_receiver(&async);
}

static enum status
decode_data(const struct search *search, const struct view *am, struct found *ret)
{
    uint64_t dest;

    TRY(inferior_read_uint(search->mpi->inf, view_addr(am, F(MPIDIG_req_t, u)),
                           search->mpi->inf->model.int_size, &dest));
    ret->ref.peer = (int32_t) dest;
    ret->ref.flags |= REF_PEER | REF_COUNT;
    return STATUS_OK;
}

enum status
am_decode_send(struct search *search, const struct request *request, struct found *ret)
{
    const struct mpi *mpi = search->mpi;
    struct view am;

    TRY(view_load(mpi->inf, mpi->layout, S(MPIDIG_req_t), ch4_part(request), &am));
    const bool known = has_envelope(search, request, &am);
    trail_reset(&mpi->inf->trail);
    if (!known && !search->debugger)
        return STATUS_OK;
    ret->ref.buffer = view_uint(&am, F(MPIDIG_req_t, buffer));
    ret->ref.count = view_uint(&am, F(MPIDIG_req_t, count));
    ret->ref.datatype = view_uint(&am, F(MPIDIG_req_t, datatype));
    return known ? decode_data(search, &am, ret) : STATUS_OK;
}
