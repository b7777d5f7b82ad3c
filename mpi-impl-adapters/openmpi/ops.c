// SPDX-License-Identifier: BSD-3-Clause
// Finds every pending operation of a process; here of one that uses PML ob1.
//
// Requests are found in the free lists they come from, which hold all of them, blocking calls'
// included, in few big pieces of memory. A posted receive's sequence number is its place in the
// matching order. The lists of posted receives hold nothing else but the requests of MPI_Probe,
// which live on the stack: where such a list is longer than what was found for it, it is walked.
#include "mpi-impl-adapters/openmpi/evidence.h"
#include "mpi-impl-adapters/openmpi/libnbc.h"
#include "mpi-impl-adapters/openmpi/pml_cm.h"
#include "mpi-impl-adapters/openmpi/pml_ucx.h"
#include "mpi-impl-adapters/openmpi/search.h"

#include <string.h>

// Tags of collectives that are made of point-to-point messages: from -10 down.
static const int8_t collective_of_tag[] = {
    COLLECTIVE_ALLGATHER,
    COLLECTIVE_ALLGATHERV,
    COLLECTIVE_ALLREDUCE,
    COLLECTIVE_ALLTOALL,
    COLLECTIVE_ALLTOALLV,
    -1, // alltoallw
    COLLECTIVE_BARRIER,
    COLLECTIVE_BCAST,
    -1, // exscan
    COLLECTIVE_GATHER,
    COLLECTIVE_GATHERV,
    COLLECTIVE_REDUCE,
    COLLECTIVE_REDUCE_SCATTER,
    -1, // reduce_scatter_block
    COLLECTIVE_SCAN,
    COLLECTIVE_SCATTER,
    COLLECTIVE_SCATTERV,
};

enum {
    FIRST_COLLECTIVE_TAG = -10,
    N_COLLECTIVE_TAGS = sizeof(collective_of_tag) / sizeof(collective_of_tag[0])
};

int
openmpi_collective(int64_t tag)
{
    const int64_t index = FIRST_COLLECTIVE_TAG - tag;

    return index >= 0 && index < N_COLLECTIVE_TAGS ? collective_of_tag[index] : -1;
}

// A request of MPI's own traffic tells which collective this process is in.
static void
note_internal(const struct search *search, const struct request *request, uint32_t comm,
              bool unmatched)
{
    const int collective = openmpi_collective(request->tag);

    if (request->complete)
        return;
    if (collective >= 0)
        search->sink->collective(search->sink, comm, (unsigned) collective, request->peer);
    libnbc_note_message(search->sink, comm, request->tag, request->peer, unmatched);
}

// The oldest receive is the one furthest behind the next number; numbers wrap around.
static uint32_t
receive_order(const struct search *search, const struct request *request, uint32_t comm)
{
    return (uint32_t) request->sequence - search->ob1[comm].next_receive;
}

// A receive has taken one of the numbers before the next. @return STATUS_CORRUPT when it has not
static enum status
check_order(const struct search *search, const struct request *request, uint32_t comm)
{
    const uint32_t age = -receive_order(search, request, comm);

    return !search->ob1[comm].present ||
                   (request->sequence <= UINT32_MAX && age > 0 && age <= INT32_MAX)
               ? STATUS_OK
               : trail_begin(&search->mpi->inf->trail, STATUS_CORRUPT,
                             "request at %#llx: it has number %llu, and the next one %u",
                             (unsigned long long) request->addr,
                             (unsigned long long) request->sequence,
                             search->ob1[comm].next_receive);
}

// There may be a great many posted receives, and other communicators' lie between those of one:
// what was read in passing is kept, so that each is read once.
static void
keep(const struct request *request, struct op_ref *ref)
{
    ref->buffer = request->buffer;
    ref->datatype = request->datatype;
    ref->count = request->count;
    ref->peer = (int32_t) request->peer;
    ref->tag = (int32_t) request->tag;
    ref->flags =
        (uint8_t) (REF_WHOLE | (request->persistent ? REF_PERSISTENT : 0) |
                   (request->freed ? REF_FREED : 0) | (request->blocked ? REF_BLOCKED : 0));
}

enum status
search_emit_receive(const struct search *search, const struct request *request, uint32_t comm)
{
    struct op_ref ref = {
        .addr = request->addr,
        .comm = comm,
        .order = receive_order(search, request, comm),
        .class = OP_RECEIVE,
    };
    bool matched;

    if (request->complete) {
        // What a matched probe has taken from the queue waits to be received.
        ref.stage = request->type == PML_REQUEST_RECV ? STAGE_COMPLETE : STAGE_MATCHED;
    } else {
        TRY(request_matched(search->mpi, ref.addr, &matched));
        ref.stage = matched ? STAGE_MATCHED : STAGE_POSTED;
        if (!matched) {
            ++search->ob1[comm].n_seen;
            const enum status status = check_order(search, request, comm);
            if (status != STATUS_OK)
                return search_survive(search, comm, OP_RECEIVE, status);
        }
    }
    if (ref.stage == STAGE_POSTED && request->type == PML_REQUEST_RECV)
        keep(request, &ref);
    if (!request->internal)
        return search->sink->emit(search->sink, &ref);
    note_internal(search, request, comm, ref.stage == STAGE_POSTED);
    return STATUS_OK;
}

// One that is in no table is being made or freed.
static enum status
check_comm(struct search *search, const struct request *request)
{
    const struct mpi *mpi = search->mpi;
    bool same = false;
    const enum status status = openmpi_object_is(mpi, request->comm, "ompi_communicator_t", &same);

    if (status == STATUS_NOMEM)
        return status;
    if (status != STATUS_OK)
        trail_reset(&mpi->inf->trail);
    search->n_lost += !same;
    return STATUS_OK;
}

static enum status
visit_receive(void *context, taddr item)
{
    struct search *search = context;
    struct request request;
    uint32_t comm;

    TRY(request_load(search->mpi, item, &request));
    if (!request.active)
        return STATUS_OK;
    if (!openmpi_find_comm(search->sink, search->by_addr, request.comm, &comm))
        return check_comm(search, &request);
    return search_emit_receive(search, &request, comm);
}

// Sends to one peer are ordered by a number of 16 bits; there is no order between peers.
static enum status
send_order(const struct search *search, const struct request *request, uint32_t comm, uint32_t *ret)
{
    struct ob1_peer peer;

    TRY(ob1_peer_load(search->mpi, &search->ob1[comm], (uint32_t) request->peer, &peer));
    *ret = (uint16_t) ((uint16_t) request->sequence - (uint16_t) (peer.last_send + 1));
    return STATUS_OK;
}

static enum status
emit_send(const struct search *search, const struct request *request, uint32_t comm)
{
    struct op_ref ref = {
        .addr = request->addr,
        .comm = comm,
        .major = (uint32_t) request->peer,
        .class = OP_SEND,
    };

    // A number of 32 bits, of which 16 travel.
    if (request->sequence > UINT32_MAX)
        return trail_begin(
            &search->mpi->inf->trail, STATUS_CORRUPT, "request at %#llx: it has number %llu",
            (unsigned long long) request->addr, (unsigned long long) request->sequence);
    const enum status status = send_order(search, request, comm, &ref.order);
    // Among others that have a place this one must not have any.
    if (status == STATUS_UNREADABLE)
        return search_survive(search, comm, OP_SEND, status);
    if (status != STATUS_OK)
        ref.order = (uint16_t) request->sequence;
    return search->sink->emit(search->sink, &ref);
}

static enum status
visit_send(void *context, taddr item)
{
    struct search *search = context;
    struct request request;
    uint32_t comm;

    TRY(request_load(search->mpi, item, &request));
    if (!request.active || request.type != PML_REQUEST_SEND)
        return STATUS_OK;
    if (!openmpi_find_comm(search->sink, search->by_addr, request.comm, &comm))
        return check_comm(search, &request);
    if (request.internal) {
        note_internal(search, &request, comm, false);
        return STATUS_OK;
    }
    if (request.freed && request.pml_complete)
        return STATUS_OK;
    return emit_send(search, &request, comm);
}

/** The requests of a free list. */
struct requests {
    const char *symbol;
    enum op_class class;
    weigh_function *weigh;
    enum status (*visit)(void *context, taddr item);
};

static enum status
search_requests(struct search *search, struct arena *arena, const struct requests *requests)
{
    const struct mpi *mpi = search->mpi;
    struct free_list list;
    taddr addr;

    search->n_lost = 0;
    enum status status = inferior_symbol(mpi->inf, requests->symbol, &addr);
    if (status == STATUS_OK)
        status = free_list_load(mpi, addr, &list);
    if (status == STATUS_OK)
        status = evidence_check(mpi, &list, arena, requests->weigh);
    if (status == STATUS_OK)
        status = free_list_each(mpi, &list, arena, requests->visit, search);
    if (status == STATUS_OK && search->n_lost > 0)
        status = trail_begin(&mpi->inf->trail, STATUS_CORRUPT,
                             "requests without a known communicator: %u", search->n_lost);
    if (status != STATUS_OK)
        trail_prepend(&mpi->inf->trail, status, "%s", requests->symbol);
    for (uint32_t i = 0; status != STATUS_OK && i < search->sink->n_comms; ++i)
        TRY(search_survive(search, i, requests->class, status));
    return STATUS_OK;
}

static enum status
prepare(struct search *search, struct arena *arena)
{
    const uint32_t n = search->sink->n_comms;

    search->ob1 = arena_alloc(arena, n + 1, sizeof(*search->ob1));
    search->by_addr = openmpi_sort_comms(arena, search->sink);
    if (search->ob1 == NULL || search->by_addr == NULL)
        return STATUS_NOMEM;
    for (uint32_t i = 0; i < n; ++i) {
        const enum status status =
            ob1_comm_load(search->mpi, &search->sink->comms[i], &search->ob1[i]);
        TRY(search_survive(search, i, OP_RECEIVE, status));
        TRY(search_survive(search, i, OP_UNEXPECTED, status));
    }
    return STATUS_OK;
}

static enum status
ob1_ops(const struct mpi *mpi, struct arena *arena, struct op_sink *sink)
{
    static const struct requests receives = {"mca_pml_base_recv_requests", OP_RECEIVE,
                                             request_weigh_receive, visit_receive};
    static const struct requests sends = {"mca_pml_base_send_requests", OP_SEND, request_weigh_send,
                                          visit_send};
    struct search search = {.mpi = mpi, .sink = sink};

    if (mpi->layout->structs[S(mca_pml_ob1_recv_frag_t)].origin == ORIGIN_NONE)
        return trail_begin(&mpi->inf->trail, STATUS_MISMATCH,
                           "the layout of mca_pml_ob1_recv_frag_t is not known: install the debug "
                           "information of Open MPI");
    TRY(prepare(&search, arena));
    TRY(search_requests(&search, arena, &receives));
    TRY(search_requests(&search, arena, &sends));
    for (uint32_t i = 0; i < sink->n_comms; ++i) {
        const struct ob1_comm *ob1 = &search.ob1[i];
        if (!ob1->present)
            continue;
        TRY(search_messages(&search, i));
        if (ob1->n_posted != ob1->n_seen)
            TRY(search_survive(&search, i, OP_RECEIVE, search_probes(&search, i)));
    }
    return search_transit(&search, arena);
}

enum status
openmpi_ops(const struct mpi *mpi, struct arena *arena, struct op_sink *sink)
{
    char name[COMM_NAME];
    enum pml pml;

    const enum status status = openmpi_pml(mpi, &pml, name, sizeof(name));
    const bool known = status == STATUS_OK;
    // Another PML's requests, read as those of ob1, would show what is not there.
    if (status == STATUS_UNREADABLE && strcmp(name, "ob1") != 0)
        return status;
    trail_reset(&mpi->inf->trail);
    TRY(libnbc_ops(mpi, arena, sink));
    return known && pml == PML_UCX  ? ucx_ops(mpi, arena, sink)
           : known && pml == PML_CM ? cm_ops(mpi, arena, sink)
                                    : ob1_ops(mpi, arena, sink);
}
