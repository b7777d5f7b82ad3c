// SPDX-License-Identifier: BSD-3-Clause
// Requests of device ch4: matched by MPICH itself (an active message, of which a request that is in
// no list has got its message), or by the network module.
#include "mpi-impl-adapters/mpich/ch4.h"

#include "mpi-impl-adapters/mpich/ofi.h"

enum { TYPE_ACTIVE = 1 }; // MPIDI_REQ_TYPE_AM

bool
ch4_has_shared_memory(const struct layout *layout)
{
    return layout->fields[F(MPIDI_Devreq_t, is_local)].offset >= 0;
}

enum { VCIS_MAX = 1 << 10 };

enum status
ch4_count_vcis(const struct mpi *mpi, uint32_t *ret)
{
    const struct layout *layout = mpi->layout;
    const int64_t stride = layout->structs[S(MPIDI_per_vci_t)].size;
    struct view global;
    taddr addr;

    *ret = 0;
    if (layout->structs[S(MPIDI_CH4_Global_t)].origin == ORIGIN_NONE ||
        layout->structs[S(MPIDI_per_vci_t)].origin == ORIGIN_NONE)
        return trail_begin(&mpi->inf->trail, STATUS_MISMATCH,
                           "the layout of the virtual interfaces is not known");
    TRY(inferior_symbol(mpi->inf, "MPIDI_global", &addr));
    TRY(view_load(mpi->inf, layout, S(MPIDI_CH4_Global_t), addr, &global));
    const int64_t room = ((int64_t) layout->structs[S(MPIDI_CH4_Global_t)].size -
                          layout->fields[F(MPIDI_CH4_Global_t, per_vci)].offset) /
                         stride;
    const unsigned count = view_has(&global, F(MPIDI_CH4_Global_t, n_total_vcis))
                               ? F(MPIDI_CH4_Global_t, n_total_vcis)
                               : F(MPIDI_CH4_Global_t, n_vcis);
    // Those that are not in use have empty lists.
    const int64_t n = view_has(&global, count) ? view_int(&global, count) : room;
    const int64_t most = room < VCIS_MAX ? room : VCIS_MAX;
    *ret = (uint32_t) (n >= 1 && n <= most ? n : 1);
    return n >= 1 && n <= most
               ? STATUS_OK
               : trail_begin(&mpi->inf->trail, STATUS_CORRUPT,
                             "the library says that it has %lld virtual interfaces", (long long) n);
}

// A receive from any source is two requests: one for the node, which is in a list, and another one
// for the network.
static taddr
twin_of(const struct view *dev)
{
    const taddr older = view_uint(dev, F(MPIDI_Devreq_t, anysource_partner_request));

    return older != 0 ? older : view_uint(dev, F(MPIDI_Devreq_t, anysrc_partner));
}

static bool
is_twin(const struct view *dev)
{
    return twin_of(dev) != 0 && view_int(dev, F(MPIDI_Devreq_t, is_local)) == 0;
}

// Both have this set when they are made.
static bool
may_be_twin(const struct view *dev)
{
    const int64_t is_local = view_int(dev, F(MPIDI_Devreq_t, is_local));

    return twin_of(dev) == 0 || is_local == 0 || is_local == 1;
}

// Whether a request and the one at `neighbour` are linked to each other. What is taken out of a
// list keeps its links, but its neighbours get others.
static bool
is_linked(const struct search *search, const struct request *request, unsigned link, unsigned back)
{
    const struct mpi *mpi = search->mpi;
    const taddr neighbour = view_uint(&request->view, link);
    const int32_t place = mpi->layout->fields[back].offset;
    taddr its;

    return neighbour != 0 && neighbour != request->addr && place >= 0 &&
           inferior_read_pointer(mpi->inf, neighbour + (taddr) place, &its) == STATUS_OK &&
           its == request->addr;
}

// A receive whose list has not been found would seem to have got its message.
static enum status
check_unlisted(struct search *search, const struct request *request)
{
    struct trail *trail = &search->mpi->inf->trail;
    const bool linked = is_linked(search, request, F(MPIR_Request, next), F(MPIR_Request, prev)) ||
                        is_linked(search, request, F(MPIR_Request, prev), F(MPIR_Request, next));

    trail_reset(trail);
    if (!linked)
        return STATUS_OK;
    search->unseen = true;
    return trail_begin(trail, STATUS_CORRUPT, "it is in a list that was not found");
}

void
ch4_find_place(struct search *search, const struct request *request, uint32_t *place)
{
    const struct mpi *mpi = search->mpi;
    struct view dev;
    struct request twin;
    uint32_t found;

    if (view_load(mpi->inf, mpi->layout, S(MPIDI_Devreq_t), request->dev, &dev) == STATUS_OK &&
        twin_of(&dev) != 0 &&
        mpich_request_load(mpi, search->release, twin_of(&dev), &twin) == STATUS_OK &&
        (search->has_ofi ? ofi_find_place(search, &twin, &found)
                         : search->has_ucp && ucx_find_place(search, &twin, &found)))
        *place = found;
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
decode_active(struct search *search, const struct request *request, const struct view *dev,
              struct found *ret)
{
    struct found active = *ret;

    if (request->kind != REQUEST_RECEIVE)
        return am_decode_send(search, request, dev, ret);
    TRY(am_decode(search, request, &active));
    *ret = active;
    if (!request->complete)
        ret->ref.stage = STAGE_MATCHED;
    // What was asked for stood where the message's envelope is now.
    ret->ref.flags = (uint8_t) (ret->ref.flags & ~(REF_PEER | REF_TAG));
    ret->ref.flags |= REF_COUNT | REF_KIND;
    return STATUS_OK;
}

enum status
ch4_decode(struct search *search, const struct request *request, struct found *ret)
{
    const struct mpi *mpi = search->mpi;
    struct view dev;

    if (search->device == DEVICE_UCX && !search->shared_memory)
        return ucx_decode(search, request, ret);
    TRY(view_load(mpi->inf, mpi->layout, S(MPIDI_Devreq_t), request->dev, &dev));
    if (!may_be_twin(&dev))
        return search_refute(search, request->addr, "may be of the node or of the network");
    if (is_twin(&dev))
        return STATUS_ABSENT;
    ret->comm = request->comm;
    const bool active = is_active(&dev);
    if (active && request->kind == REQUEST_RECEIVE && !request->complete && !search->unseen)
        TRY(check_unlisted(search, request));
    if (!active && search->device == DEVICE_UCX)
        return ucx_decode(search, request, ret);
    if (!active && search->device == DEVICE_OFI)
        return ofi_decode(search, request, ret);
    // Without the lists a receive may be one of those in them.
    const bool unsure = request->kind == REQUEST_RECEIVE && !request->complete && search->unseen;
    // Up to 3.4 such a receive has the context only.
    const bool has_comm = request->comm != 0 || (active && am_is_early(mpi->layout));
    if (!has_comm || unsure)
        return STATUS_ABSENT;
    if (request->kind == REQUEST_RECEIVE)
        ret->ref.flags |= REF_KIND;
    return active ? decode_active(search, request, &dev, ret) : STATUS_OK;
}

enum status
ch4_decode_message(struct search *search, const struct request *request, struct found *ret)
{
    const struct mpi *mpi = search->mpi;
    struct view dev;

    if (am_is_self(search, request))
        return STATUS_ABSENT;
    if (search->shared_memory) {
        TRY(view_load(mpi->inf, mpi->layout, S(MPIDI_Devreq_t), request->dev, &dev));
        if (is_active(&dev)) {
            ret->ref.flags |= REF_BYTES | REF_KIND;
            return am_decode(search, request, ret);
        }
    }
    return search->device == DEVICE_UCX ? ucx_decode_message(search, request, ret)
                                        : ofi_decode_message(mpi, request, ret);
}
