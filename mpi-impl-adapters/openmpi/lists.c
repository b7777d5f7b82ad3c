// SPDX-License-Identifier: BSD-3-Clause
// Operations that are found in the lists that PML ob1 keeps of each peer: unexpected messages, and
// the requests of MPI_Probe among the posted receives.
#include "mpi-impl-adapters/openmpi/search.h"

// Walks a list of posted receives for what the free list does not have: requests of MPI_Probe.
static enum status
walk_probes(const struct search *search, uint32_t comm, taddr list)
{
    const struct mpi *mpi = search->mpi;
    enum status status;
    struct walk walk;
    taddr item;
    uint64_t length;

    TRY(openmpi_list_walk(mpi, list, &walk, &length));
    while ((status = walk_next(&walk, &item)) == STATUS_OK) {
        struct request request;
        bool matched;
        TRY(request_load(mpi, item, &request));
        TRY(request_matched(mpi, item, &matched));
        if (!request.active || matched)
            return trail_begin(&mpi->inf->trail, STATUS_CORRUPT,
                               "request at %#llx: it is posted, and has %s",
                               (unsigned long long) item, matched ? "matched" : "not begun");
        if (request.type == PML_REQUEST_PROBE && request.comm == search->sink->comms[comm].addr)
            TRY(search_emit_receive(search, &request, comm));
    }
    return status == STATUS_END ? STATUS_OK : status;
}

enum status
search_probes(const struct search *search, uint32_t comm)
{
    const struct ob1_comm *ob1 = &search->ob1[comm];
    struct ob1_peer peer;

    TRY(walk_probes(search, comm, ob1->wild_receives));
    for (uint32_t i = 0; i < ob1->n_peers; ++i) {
        const enum status status = ob1_peer_load(search->mpi, ob1, i, &peer);
        if (status == STATUS_ABSENT)
            continue;
        TRY(status);
        TRY(walk_probes(search, comm, peer.receives));
    }
    return STATUS_OK;
}

// As for posted receives: each is read once.
static void
keep(const struct fragment *fragment, struct op_ref *ref)
{
    ref->buffer = fragment->data;
    ref->count = fragment->bytes;
    ref->peer = (int32_t) fragment->source;
    ref->tag = (int32_t) fragment->tag;
    ref->flags = (uint8_t) (REF_WHOLE | (fragment->rendezvous ? REF_RENDEZVOUS : 0));
}

// Each list has the messages of one peer, which has put its own rank into their headers.
static enum status
check_fragment(const struct mpi *mpi, const struct fragment *fragment, uint32_t source)
{
    if (fragment_is_message(fragment) && fragment->source == source)
        return STATUS_OK;
    return trail_begin(&mpi->inf->trail, STATUS_CORRUPT,
                       "a header of type %#llx from %lld is in the list of messages from %u",
                       (unsigned long long) fragment->type, (long long) fragment->source, source);
}

// Emits the messages that have come from one peer, oldest first.
static enum status
emit_messages(const struct search *search, uint32_t comm, uint32_t source,
              const struct ob1_peer *peer)
{
    const struct mpi *mpi = search->mpi;
    enum status status;
    struct walk walk;
    taddr item;
    uint64_t length;

    TRY(openmpi_list_walk(mpi, peer->messages, &walk, &length));
    for (uint32_t i = 0; (status = walk_next(&walk, &item)) == STATUS_OK; ++i) {
        struct op_ref ref = {
            .addr = item, .comm = comm, .major = source, .order = i, .class = OP_UNEXPECTED};
        struct fragment fragment;
        TRY(fragment_load(mpi, item, &fragment));
        const enum status fits = check_fragment(mpi, &fragment, source);
        TRY(search_survive(search, comm, OP_UNEXPECTED, fits));
        if (fits != STATUS_OK)
            continue;
        if (fragment.sized)
            keep(&fragment, &ref);
        if (fragment.tag >= 0)
            TRY(search->sink->emit(search->sink, &ref));
    }
    return status == STATUS_END ? STATUS_OK : status;
}

// Reports what broke, and goes on unless there is no memory.
enum status
search_survive(const struct search *search, uint32_t comm, enum op_class class, enum status status)
{
    if (status == STATUS_OK || status == STATUS_NOMEM)
        return status;
    search->sink->broken(search->sink, comm, class, status);
    return STATUS_OK;
}

// One peer's damage must not hide the others' messages.
enum status
search_messages(const struct search *search, uint32_t comm)
{
    struct ob1_comm *ob1 = &search->ob1[comm];
    struct inferior *inf = search->mpi->inf;
    struct ob1_peer peer;

    ob1->n_posted = ob1->n_wild;
    for (uint32_t i = 0; i < ob1->n_peers; ++i) {
        enum status status = ob1_peer_load(search->mpi, ob1, i, &peer);
        if (status == STATUS_ABSENT)
            continue;
        if (status == STATUS_OK) {
            ob1->n_posted += peer.n_receives;
            status = emit_messages(search, comm, i, &peer);
        }
        if (status != STATUS_OK)
            trail_prepend(&inf->trail, status, "messages from %u", i);
        TRY(search_survive(search, comm, OP_UNEXPECTED, status));
    }
    return STATUS_OK;
}

//
