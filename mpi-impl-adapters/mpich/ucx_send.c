// SPDX-License-Identifier: BSD-3-Clause
// Sends that libucp works on: an endpoint, by which the process is known, and the word of the
// message.
#include "mpi-impl-adapters/mpich/ucx.h"

enum {
    TABLES_MAX = 1 << 12, // of processes
    PROCESSES_MAX = 1 << 24,
    ENTRY_MAX = 1 << 16, // bytes of a process's entry
};

// A process's entry begins with a square of endpoints, one for each pair of the two sides' virtual
// interfaces, of which those in use come first.
static uint32_t
interfaces(const struct search *search, uint32_t *ret_side)
{
    const struct mpi *mpi = search->mpi;
    const uint32_t places =
        mpi->layout->structs[S(MPIDI_av_entry_t)].size / mpi->inf->model.pointer_size;
    struct ucx_global global;
    taddr addr;

    for (*ret_side = 1; (*ret_side + 1) * (*ret_side + 1) <= places; ++*ret_side)
        ;
    if (inferior_symbol(mpi->inf, "MPIDI_UCX_global", &addr) != STATUS_OK ||
        ucx_global_load(mpi, addr, &global) != STATUS_OK)
        return 1;
    return global.workers < (int64_t) *ret_side ? (uint32_t) global.workers : *ret_side;
}

static enum status
add_process(struct search *search, taddr entry, int64_t process, uint32_t count, uint32_t side)
{
    const unsigned width = search->mpi->inf->model.pointer_size;
    taddr endpoint;

    for (uint32_t i = 0; i < count * count; ++i) {
        const taddr at = entry + (taddr) (i / count * side + i % count) * width;
        TRY(inferior_read_pointer(search->mpi->inf, at, &endpoint));
        if (endpoint != 0)
            TRY(map_add(search, &search->endpoints, endpoint, (taddr) process));
    }
    return STATUS_OK;
}

// Notes which endpoints lead to which process of one table.
static enum status
add_table(struct search *search, taddr table, int64_t number)
{
    const struct mpi *mpi = search->mpi;
    const struct layout *layout = mpi->layout;
    const uint32_t stride = layout->structs[S(MPIDI_av_entry_t)].size;
    const taddr first = table + layout->structs[S(MPIDI_av_table_t)].size;
    struct view view;
    uint32_t side;

    const uint32_t count = interfaces(search, &side);
    TRY(view_load(mpi->inf, layout, S(MPIDI_av_table_t), table, &view));
    const int64_t size = view_int(&view, F(MPIDI_av_table_t, size));
    if (size < 0 || size > PROCESSES_MAX || stride > ENTRY_MAX)
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT, "table of %lld processes",
                           (long long) size);
    for (int64_t i = 0; i < size; ++i)
        TRY(add_process(search, first + (taddr) i * stride, number << 32 | i, count, side));
    return STATUS_OK;
}

// Tables of other jobs' processes: places that are not in use hold what was there before.
static enum status
add_more_tables(struct search *search, const struct view *manager)
{
    const struct mpi *mpi = search->mpi;
    const taddr tables = view_uint(manager, F(MPIDIU_avt_manager, av_tables));
    const int64_t room = view_int(manager, F(MPIDIU_avt_manager, max_n_avts));
    int64_t left = view_int(manager, F(MPIDIU_avt_manager, n_avts)) - 1;
    taddr table;

    for (int64_t i = 1; left > 0 && i < room && i < TABLES_MAX; ++i) {
        TRY(inferior_read_pointer(mpi->inf, tables + (taddr) i * mpi->inf->model.pointer_size,
                                  &table));
        const enum status status = table == 0 ? STATUS_ABSENT : add_table(search, table, i);
        if (status == STATUS_NOMEM)
            return status;
        left -= status == STATUS_OK;
    }
    return STATUS_OK;
}

static enum status
load_endpoints(struct search *search)
{
    const struct mpi *mpi = search->mpi;
    struct view manager;
    taddr addr;

    search->endpoints_loaded = true;
    TRY(inferior_symbol(mpi->inf, "MPIDI_global", &addr));
    const taddr at = addr + (taddr) mpi->layout->fields[F(MPIDI_CH4_Global_t, avt_mgr)].offset;
    TRY(view_load(mpi->inf, mpi->layout, S(MPIDIU_avt_manager), at, &manager));
    TRY(add_table(search, view_uint(&manager, F(MPIDIU_avt_manager, av_table0)), 0));
    TRY(add_more_tables(search, &manager));
    return map_seal(search, &search->endpoints);
}

// The process that an endpoint leads to; NO_RANK when it is not known.
static int64_t
find_process(const struct search *search, taddr endpoint)
{
    taddr process;

    return map_find(&search->endpoints, endpoint, &process) ? (int64_t) process : NO_RANK;
}

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

    TRY(ucx_request_of(search, request, &addr));
    if (request->complete || addr == 0)
        return STATUS_ABSENT;
    TRY(ucp_send_load(&search->ucp, addr, &send));
    TRY(inferior_read_pointer(mpi->inf, addr + ucp_request_size(&search->ucp), &owner));
    if (owner != request->addr)
        return STATUS_ABSENT;
    if (!search->endpoints_loaded && load_endpoints(search) == STATUS_NOMEM)
        return STATUS_NOMEM;
    const int64_t process = find_process(search, send.endpoint);
    ret->comm = request->comm; // known from 4.2 on
    ret->ref.buffer = send.buffer;
    ret->ref.count = send.bytes;
    ret->ref.flags |= REF_BYTES;
    if (send.synchronous) {
        ret->ref.spare = OP_KIND_SSEND;
        ret->ref.flags |= REF_KIND;
    }
    return assign(search, request, ucx_split(send.tag), process, ret);
}
