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
is_within_node(struct search *search, const struct view *dev, uint32_t comm)
{
    if (search->release < RELEASE_4_3)
        return view_int(dev, F(MPIDI_Devreq_t, is_local)) != 0;
    return search->device == DEVICE_UCX || !search_may_use_network(search, comm);
}

static bool
has_envelope(const struct search *search, const struct view *am)
{
    const struct layout *layout = search->mpi->layout;
    const int32_t place = layout->fields[F(MPIDIG_req_ext_t, send_async)].offset;
    const taddr extension = view_uint(am, F(MPIDIG_req_t, req));
    struct view async;

    return place >= 0 && extension != 0 &&
           view_load(search->mpi->inf, layout, S(MPIDIG_sreq_async_t), extension + (taddr) place,
                     &async) == STATUS_OK &&
           waits_for_receiver(&async);
}

// What is no member of the communicator is no receiver, and the rest is not this send's either.
static bool
find_receiver(struct search *search, const struct request *request, const struct view *dev,
              const struct view *am, int32_t *ret)
{
    uint64_t dest;
    uint32_t comm;

    if (!search_by_addr(search, request->comm, &comm) || !is_within_node(search, dev, comm) ||
        !has_envelope(search, am) ||
        inferior_read_uint(search->mpi->inf, view_addr(am, F(MPIDIG_req_t, u)),
                           search->mpi->inf->model.int_size, &dest) != STATUS_OK)
        return false;
    *ret = (int32_t) dest;
    return search_is_peer(search, comm, *ret);
}

enum status
am_decode_send(struct search *search, const struct request *request, const struct view *dev,
               struct found *ret)
{
    const struct mpi *mpi = search->mpi;
    int32_t receiver;
    struct view am;

    TRY(view_load(mpi->inf, mpi->layout, S(MPIDIG_req_t), ch4_part(request), &am));
    const bool known = find_receiver(search, request, dev, &am, &receiver);
    trail_reset(&mpi->inf->trail);
    if (known || search->debugger)
        am_decode_data(&am, ret);
    if (known) {
        ret->ref.peer = receiver;
        ret->ref.flags |= REF_PEER | REF_COUNT;
    }
    return STATUS_OK;
}
