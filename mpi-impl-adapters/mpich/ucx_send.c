// SPDX-License-Identifier: BSD-3-Clause
// Sends that libucp works on: an endpoint, by which the process is known, and the word of the
// message.
#include "mpi-impl-adapters/mpich/ucx.h"

// Several communicators may send in one context, since the receiver's side has chosen it: the right
// one has the process among its peers.
static enum status
assign_send(struct search *search, struct ucx_word word, int64_t process, struct found *ret)
{
    const taddr only = ret->comm;
    unsigned candidates = 0;

    for (uint32_t i = 0; i < search->sink->n_comms; ++i) {
        const struct comm *comm = &search->sink->comms[i];
        int32_t peer = NO_RANK;
        if (search->contexts[i].send != (word.context & ~(uint32_t) CONTEXT_PARTS) ||
            (comm->rank & ((1 << UCX_RANK_BITS) - 1)) != word.rank ||
            (only != 0 && comm->addr != only))
            continue;
        if (process >= 0 && comm->peer_group != 0)
            TRY(search_peer(search, i, process, &peer));
        if (process >= 0 && peer == NO_RANK)
            continue;
        ret->comm = comm->addr;
        ret->ref.peer = peer;
        ret->ref.flags = (uint8_t) ((ret->ref.flags & ~REF_PEER) | (peer >= 0 ? REF_PEER : 0));
        ++candidates;
    }
    return candidates == 1 ? STATUS_OK : STATUS_ABSENT;
}

// As soon as its data is on the way, libucp has put something else where the word was: then what
// the library itself has noted of the send helps.
static enum status
assign_by_note(struct search *search, const struct request *request, struct ucx_word *word,
               int64_t process, struct found *ret)
{
    const struct debug_entry *entry = debug_find(search, request->addr);
    taddr persistent;

    ret->ref.stage = STAGE_MATCHED;
    if (map_find(&search->persistent, request->addr, &persistent))
        return STATUS_OK;
    if (entry == NULL)
        return STATUS_ABSENT;
    for (uint32_t i = 0; i < search->sink->n_comms; ++i) {
        word->context = entry->context;
        word->rank = (uint32_t) search->sink->comms[i].rank & ((1u << UCX_RANK_BITS) - 1);
        if (search->contexts[i].send == entry->context)
            return assign_send(search, *word, process, ret);
    }
    return STATUS_ABSENT;
}

static bool
is_overwritten(const struct search *search, const struct request *request, struct ucx_word word)
{
    const struct debug_entry *entry = debug_find(search, request->addr);

    return entry != NULL && (entry->context != word.context || entry->tag != (int64_t) word.tag);
}

static enum status
assign(struct search *search, const struct request *request, struct ucx_word word, int64_t process,
       struct found *ret)
{
    const bool overwritten = is_overwritten(search, request, word);

    if (!overwritten && word.context & CONTEXT_PARTS) {
        ret->has_context = true;
        ret->context = word.context;
        return STATUS_OK;
    }
    ret->ref.tag = (int32_t) word.tag;
    ret->ref.flags |= REF_TAG;
    if (!overwritten && assign_send(search, word, process, ret) == STATUS_OK)
        return STATUS_OK;
    ret->ref.flags = (uint8_t) (ret->ref.flags & ~REF_TAG);
    return assign_by_note(search, request, &word, process, ret);
}

enum status
ucx_decode_send(struct search *search, const struct request *request, struct found *ret)
{
    const struct mpi *mpi = search->mpi;
    struct ucp_send send;
    taddr addr, owner;
    int64_t process;

    TRY(ucx_request_of(search, request, &addr));
    if (request->complete || addr == 0)
        return STATUS_ABSENT;
    TRY(ucp_send_load(&search->ucp, addr, &send));
    TRY(inferior_read_pointer(mpi->inf, addr + ucp_request_size(&search->ucp), &owner));
    if (owner != request->addr)
        return STATUS_ABSENT;
    TRY(processes_find(search, send.endpoint, &process));
    ret->comm = request->comm; // known from 4.2 on
    ret->ref.buffer = send.buffer;
    ucx_decode_data(mpi, send.datatype, send.bytes, ret);
    if (send.synchronous) {
        ret->ref.spare = OP_KIND_SSEND;
        ret->ref.flags |= REF_KIND;
    }
    return assign(search, request, ucx_split(send.tag), process, ret);
}
