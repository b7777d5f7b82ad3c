// SPDX-License-Identifier: BSD-3-Clause
// Device ch3, channel nemesis: whether the data of a send is on its way through shared memory. Then
// the receiver has matched it.
#include "mpi-impl-adapters/mpich/search.h"

enum { TRANSFERS_MAX = 1 << 16 }; // waiting for their turn between two processes

static bool
is_readable(const struct layout *layout)
{
    return layout->structs[S(MPIDI_CH3I_Request)].origin != ORIGIN_NONE &&
           layout->structs[S(MPID_nem_lmt_shm_wait_element)].origin != ORIGIN_NONE &&
           layout->structs[S(MPIDI_CH3I_VC)].origin != ORIGIN_NONE &&
           layout->fields[F(MPIR_Request, ch)].offset >= 0 &&
           layout->fields[F(MPIDI_VC, ch)].offset >= 0;
}

// Looks for a request in a chain of transfers. What cannot be read is not there.
static bool
is_in_chain(const struct mpi *mpi, taddr first, taddr request)
{
    struct view element;

    for (uint32_t i = 0; first != 0 && i < TRANSFERS_MAX; ++i) {
        if (view_load(mpi->inf, mpi->layout, S(MPID_nem_lmt_shm_wait_element), first, &element) !=
            STATUS_OK)
            return false;
        if (view_uint(&element, F(MPID_nem_lmt_shm_wait_element, req)) == request)
            return true;
        first = view_uint(&element, F(MPID_nem_lmt_shm_wait_element, next));
    }
    return false;
}

bool
ch3_is_moving(const struct mpi *mpi, const struct request *request)
{
    const struct layout *layout = mpi->layout;
    const struct datamodel *model = &mpi->inf->model;
    struct view part, channel;

    if (!is_readable(layout) ||
        view_load(mpi->inf, layout, S(MPIDI_CH3I_Request),
                  view_addr(&request->view, F(MPIR_Request, ch)), &part) != STATUS_OK)
        return false;
    const taddr vc = view_uint(&part, F(MPIDI_CH3I_Request, vc));
    if (vc == 0 ||
        view_load(mpi->inf, layout, S(MPIDI_CH3I_VC),
                  vc + (taddr) layout->fields[F(MPIDI_VC, ch)].offset, &channel) != STATUS_OK)
        return false;
    const void *queue = view_bytes(&channel, F(MPIDI_CH3I_VC, lmt_queue));
    return is_in_chain(mpi, view_uint(&channel, F(MPIDI_CH3I_VC, lmt_active_lmt)), request->addr) ||
           is_in_chain(mpi, datamodel_uint(model, queue, model->pointer_size), request->addr);
}
