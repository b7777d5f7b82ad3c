// SPDX-License-Identifier: BSD-3-Clause
// Decodes a request by what its device and the support for debuggers know of it.
#include "mpi-impl-adapters/mpich/ch4.h"

// Adds what the support for debuggers noted, as far as the device itself does not know.
static void
add_noted(struct search *search, struct found *found)
{
    const struct debug_entry *entry = debug_find(search, found->ref.addr);

    if (entry != NULL)
        search->last_noted = entry->order;
    // One that is not noted (MPI_Bsend's, blocking ones) stands where its request lies.
    if (found->ref.class == OP_SEND && search->debugger)
        found->ref.order = search->last_noted;
    if (entry == NULL)
        return;
    if (found->ref.class == OP_RECEIVE && search->device == DEVICE_OFI) {
        found->ref.major = 0;
        found->ref.order = entry->order;
    }
    if (!(found->ref.flags & REF_PEER)) {
        found->ref.peer = (int32_t) entry->peer;
        found->ref.flags |= REF_PEER;
    }
    if (!(found->ref.flags & REF_TAG)) {
        found->ref.tag = (int32_t) entry->tag;
        found->ref.flags |= REF_TAG;
    }
    if (found->ref.flags & (REF_COUNT | REF_BYTES) || entry->count < 0)
        return;
    found->ref.buffer = entry->buffer;
    found->ref.count = (uint64_t) entry->count;
    found->ref.datatype = DATATYPE_NULL;
    found->ref.flags |= REF_COUNT;
}

// Of what libfabric has, MPICH may not even keep the communicator; what is noted tells it.
static enum status
decode_noted(const struct search *search, const struct request *request, struct found *ret)
{
    const struct debug_entry *entry = debug_find(search, request->addr);

    if (entry == NULL || !debug_comm(search, entry, ret->ref.class, &ret->comm))
        return STATUS_ABSENT;
    if (ret->ref.class == OP_RECEIVE)
        ret->ref.flags |= REF_KIND;
    return STATUS_OK;
}

// A receive that is in no list has got its message; one without a communicator is a message.
static enum status
decode_ch3(struct search *search, const struct request *request, struct found *found)
{
    const bool receive = request->kind == REQUEST_RECEIVE;

    if (receive && (request->comm == 0 || (search->unseen && !request->complete)))
        return STATUS_ABSENT;
    if (!request->complete && (receive || ch3_is_moving(search->mpi, request)))
        found->ref.stage = STAGE_MATCHED;
    return ch3_decode(search, request, found);
}

static enum status
decode(struct search *search, const struct request *request, struct found *found)
{
    if (search->device == DEVICE_CH3)
        return decode_ch3(search, request, found);
    if (am_is_self(search, request))
        return am_decode_self(search, request, found);
    return ch4_decode(search, request, found);
}

enum status
search_decode(struct search *search, const struct request *request, uint32_t order,
              struct found *ret)
{
    taddr persistent = 0;

    *ret = (struct found){
        .ref = {.addr = request->addr,
                .order = order,
                .class = request_sends(request) ? OP_SEND : OP_RECEIVE,
                .stage = request->complete ? STAGE_COMPLETE : STAGE_POSTED,
                .spare = request_sends(request) ? OP_KIND_SEND : OP_KIND_RECEIVE},
        .pending = !request->complete,
    };
    enum status status = decode(search, request, ret);
    if (status != STATUS_OK && status != STATUS_ABSENT)
        return status;
    if (map_find(&search->persistent, request->addr, &persistent)) {
        ret->ref.flags |= REF_PERSISTENT;
        if (search->device != DEVICE_CH3)
            status = am_decode_persistent(search, persistent, ret);
    }
    if (status == STATUS_ABSENT && search->device == DEVICE_OFI)
        status = decode_noted(search, request, ret);
    TRY(status);
    add_noted(search, ret);
    if (ret->ref.class == OP_SEND)
        ret->ref.major = (uint32_t) ret->ref.peer;
    return STATUS_OK;
}
