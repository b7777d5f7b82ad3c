// SPDX-License-Identifier: BSD-3-Clause
// The tables of a search: communicators by address and by context, and the peers of each.
#include "mpi-impl-adapters/mpich/search.h"

#include "target/sort.h"

// Tags of collectives that are made of point-to-point messages, from 0 on.
static const int8_t collective_of_tag[] = {
    [0] = -1,
    [1] = COLLECTIVE_BARRIER,
    [2] = COLLECTIVE_BCAST,
    [3] = COLLECTIVE_GATHER,
    [4] = COLLECTIVE_GATHERV,
    [5] = COLLECTIVE_SCATTER,
    [6] = COLLECTIVE_SCATTERV,
    [7] = COLLECTIVE_ALLGATHER,
    [8] = COLLECTIVE_ALLGATHERV,
    [9] = COLLECTIVE_ALLTOALL,
    [10] = COLLECTIVE_ALLTOALLV,
    [11] = COLLECTIVE_REDUCE,
    [12] = -1,
    [13] = -1,
    [14] = COLLECTIVE_ALLREDUCE,
    [15] = -1,
    [16] = -1,
    [17] = COLLECTIVE_REDUCE_SCATTER,
    [18] = -1,
    [19] = -1,
    [20] = COLLECTIVE_SCAN,
};

// Nonblocking ones have tags behind all these, one after the other, in all members alike.
enum {
    N_COLLECTIVE_TAGS = sizeof(collective_of_tag) / sizeof(collective_of_tag[0]),
    FIRST_NONBLOCKING_TAG = 31,
    GROUP_TAG = 1 << 28 // with the user's tag: collectives of a part of the members
};

static uint64_t
addr_key(const struct search *search, uint32_t comm)
{
    return search->sink->comms[comm].addr;
}

static uint64_t
context_key(const struct search *search, uint32_t comm)
{
    return search->contexts[comm].receive;
}

static int
by_addr_less(void *context, uint32_t a, uint32_t b)
{
    return addr_key(context, a) < addr_key(context, b);
}

static int
by_context_less(void *context, uint32_t a, uint32_t b)
{
    return context_key(context, a) < context_key(context, b);
}

static bool
find_key(const struct search *search, const uint32_t *order,
         uint64_t (*key)(const struct search *search, uint32_t comm), uint64_t wanted,
         uint32_t *ret)
{
    uint32_t low = 0, high = search->sink->n_comms;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const uint64_t at = key(search, order[middle]);
        if (at == wanted) {
            *ret = order[middle];
            return true;
        }
        if (at < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

bool
search_by_addr(const struct search *search, taddr addr, uint32_t *ret)
{
    return find_key(search, search->by_addr, addr_key, addr, ret);
}

bool
search_by_context(const struct search *search, uint32_t context, uint32_t *ret)
{
    return find_key(search, search->by_context, context_key, context & ~(uint32_t) CONTEXT_PARTS,
                    ret);
}

enum status
search_refute(struct search *search, taddr request, const char *why)
{
    search->refuted = true;
    return trail_begin(&search->mpi->inf->trail, STATUS_CORRUPT, "the request at %#llx %s",
                       (unsigned long long) request, why);
}

// One of the library's own is not among those that are searched.
bool
search_is_elsewhere(const struct search *search, taddr comm, uint32_t context)
{
    uint32_t its;

    return search_by_addr(search, comm, &its) && search->contexts[its].receive != UINT32_MAX &&
           search->contexts[its].receive != (context & ~(uint32_t) CONTEXT_PARTS);
}

static void
note_next(const struct search *search, uint32_t comm)
{
    const struct mpi *mpi = search->mpi;
    struct view view;

    if (view_load_whole(mpi->inf, mpi->layout, S(MPIR_Comm), search->sink->comms[comm].addr,
                        &view) != STATUS_OK) {
        trail_reset(&mpi->inf->trail);
        return;
    }
    const int64_t tag = view_int(&view, F(MPIR_Comm, next_sched_tag)); // 0: not known
    if (tag >= FIRST_NONBLOCKING_TAG)
        search->sink->next_nonblocking(search->sink, comm, tag);
}

enum status
search_init(struct search *search)
{
    const struct mpi *mpi = search->mpi;
    const uint32_t n = search->sink->n_comms;
    struct view view;

    search->contexts = arena_alloc(search->arena, n + 1, sizeof(*search->contexts));
    search->peers = arena_alloc(search->arena, n + 1, sizeof(*search->peers));
    search->by_addr = arena_alloc(search->arena, n + 1, sizeof(*search->by_addr));
    search->by_context = arena_alloc(search->arena, n + 1, sizeof(*search->by_context));
    if (search->contexts == NULL || search->peers == NULL || search->by_addr == NULL ||
        search->by_context == NULL)
        return STATUS_NOMEM;
    for (uint32_t i = 0; i < n; ++i) {
        search->by_addr[i] = search->by_context[i] = i;
        search->contexts[i].send = search->contexts[i].receive = UINT32_MAX;
        if (view_load(mpi->inf, mpi->layout, S(MPIR_Comm), addr_key(search, i), &view) != STATUS_OK)
            continue;
        TRY(mpich_contexts(mpi, &view, &search->contexts[i]));
        note_next(search, i);
    }
    sort_numbers(search->by_addr, n, by_addr_less, search);
    sort_numbers(search->by_context, n, by_context_less, search);
    return STATUS_OK;
}

static void
note_collective(const struct search *search, const struct found *found)
{
    const int32_t tag = found->ref.tag;
    uint32_t comm;

    if (!found->pending || found->ref.class == OP_UNEXPECTED || !(found->ref.flags & REF_TAG) ||
        !search_by_context(search, found->context, &comm))
        return;
    const int64_t peer = found->ref.flags & REF_PEER ? found->ref.peer : NO_PEER;
    const bool is_told = search->device != DEVICE_OFI || search->has_ofi; // whether one has come
    if (tag >= 0 && tag < N_COLLECTIVE_TAGS && collective_of_tag[tag] >= 0)
        search->sink->collective(search->sink, comm, (unsigned) collective_of_tag[tag], peer);
    if (tag >= FIRST_NONBLOCKING_TAG)
        search->sink->nonblocking(
            search->sink,
            &(struct nonblocking){.comm = comm,
                                  .sequence = tag >= GROUP_TAG ? NO_SEQUENCE : tag,
                                  .peer = peer,
                                  .unmatched = is_told && found->ref.class == OP_RECEIVE &&
                                               found->ref.stage == STAGE_POSTED});
}

enum status
search_emit(struct search *search, struct found *found)
{
    if (found->has_context && found->context & CONTEXT_PARTS) {
        note_collective(search, found);
        return STATUS_OK;
    }
    const bool known =
        found->comm != 0
            ? search_by_addr(search, found->comm, &found->ref.comm)
            : found->has_context && search_by_context(search, found->context, &found->ref.comm);
    return known ? search->sink->emit(search->sink, &found->ref) : STATUS_OK;
}

static int
number_less(void *context, uint32_t a, uint32_t b)
{
    const int64_t *number = context;

    return number[a] < number[b];
}

static enum status
load_peers(struct search *search, uint32_t comm)
{
    const struct comm *object = &search->sink->comms[comm];
    struct peers *peers = &search->peers[comm];
    const uint32_t count = (uint32_t) object->peer_size;

    peers->loaded = true;
    peers->number = arena_alloc(search->arena, (size_t) count + 1, sizeof(*peers->number));
    peers->order = arena_alloc(search->arena, (size_t) count + 1, sizeof(*peers->order));
    if (peers->number == NULL || peers->order == NULL)
        return STATUS_NOMEM;
    TRY(mpich_members(search->mpi, object->peer_group, count, peers->number));
    for (uint32_t i = 0; i < count; ++i)
        peers->order[i] = i;
    sort_numbers(peers->order, count, number_less, peers->number);
    peers->count = count;
    return STATUS_OK;
}

enum status
search_peer(struct search *search, uint32_t comm, int64_t process, int32_t *ret)
{
    const struct peers *peers = &search->peers[comm];
    uint32_t low = 0;

    if (!peers->loaded)
        TRY(load_peers(search, comm));
    for (uint32_t high = peers->count; low < high;) {
        const uint32_t middle = low + (high - low) / 2;
        if (peers->number[peers->order[middle]] < process)
            low = middle + 1;
        else
            high = middle;
    }
    *ret = low < peers->count && peers->number[peers->order[low]] == process
               ? (int32_t) peers->order[low]
               : NO_RANK;
    return STATUS_OK;
}

bool
search_is_peer(const struct search *search, uint32_t comm, int64_t rank)
{
    return rank >= 0 && rank < search->sink->comms[comm].peer_size;
}

bool
search_in_world(struct search *search, uint32_t comm)
{
    const struct peers *peers = &search->peers[comm];

    if (!peers->loaded && load_peers(search, comm) != STATUS_OK)
        return false;
    const uint32_t n = peers->count;
    return n > 0 && peers->number[peers->order[0]] >= 0 &&
           peers->number[peers->order[n - 1]] <= UINT32_MAX;
}

// Reports what broke for every communicator, and goes on unless there is no memory.
enum status
search_report(const struct search *search, enum op_class class, enum status status)
{
    if (status == STATUS_OK || status == STATUS_NOMEM)
        return status;
    for (uint32_t i = 0; i < search->sink->n_comms; ++i) {
        search->sink->broken(search->sink, i, class, status);
        if (search->refuted && class != OP_SEND)
            search->sink->broken(search->sink, i, OP_SEND, status);
    }
    return STATUS_OK;
}

void
search_count_elements(const struct mpi *mpi, uint64_t bytes, struct found *ret)
{
    uint64_t size;

    ret->ref.count = bytes;
    ret->ref.flags |= REF_BYTES;
    if (ret->ref.datatype == 0 ||
        mpich_datatype_size(mpi, (uint32_t) ret->ref.datatype, &size) != STATUS_OK || size == 0 ||
        bytes % size != 0)
        return;
    ret->ref.count = bytes / size;
    ret->ref.flags = (uint8_t) ((ret->ref.flags & ~REF_BYTES) | REF_COUNT);
}
