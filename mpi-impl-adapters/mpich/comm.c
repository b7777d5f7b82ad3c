// SPDX-License-Identifier: BSD-3-Clause
// Communicators: the built-in ones, and those of the pool MPIR_Comm_mem.
//
// The library makes communicators of its own: of the processes of one node, of one process of each
// node, within an intercommunicator. A part of their context id tells.
#include "mpi-impl-adapters/mpich/mpich.h"

#include <string.h>

enum {
    KIND_INTER = 1,    // comm_kind
    HIERARCHY_OWN = 2, // hierarchy_kind from here on: the library's own
    ATTR_SUBCOMM = 1,  // attr
    CONTEXT_FREED = 0xffff
};

unsigned
mpich_context_width(const struct layout *layout)
{
    const int64_t distance = layout->fields[F(MPIR_Comm, recvcontext_id)].offset -
                             layout->fields[F(MPIR_Comm, context_id)].offset;

    return distance == 4 || distance == -4 ? 4 : 2;
}

enum status
mpich_contexts(const struct mpi *mpi, const struct view *comm, struct contexts *ret)
{
    const unsigned width = mpich_context_width(mpi->layout);
    uint64_t send, receive;

    TRY(inferior_read_uint(mpi->inf, view_addr(comm, F(MPIR_Comm, context_id)), width, &send));
    TRY(inferior_read_uint(mpi->inf, view_addr(comm, F(MPIR_Comm, recvcontext_id)), width,
                           &receive));
    *ret = (struct contexts){(uint32_t) send, (uint32_t) receive};
    return STATUS_OK;
}

static bool
is_own(const struct view *view, const struct contexts *contexts)
{
    return view_int(view, F(MPIR_Comm, hierarchy_kind)) >= HIERARCHY_OWN ||
           view_int(view, F(MPIR_Comm, attr)) & ATTR_SUBCOMM ||
           contexts->receive & (CONTEXT_SUBCOMM | CONTEXT_LOCAL);
}

// The number that both sides agree on: each sends with the one that the other receives with.
static uint64_t
number_of(const struct contexts *contexts, bool inter)
{
    const uint64_t a = contexts->send, b = contexts->receive;

    return !inter ? b : a < b ? b << 32 | a : a << 32 | b;
}

static enum status
describe_comm(const struct mpi *mpi, const struct view *view, const struct contexts *contexts,
              struct comm *ret)
{
    const char *name = view_bytes(view, F(MPIR_Comm, name));

    memset(ret, 0, sizeof(*ret));
    ret->addr = view->addr;
    ret->inter = view_int(view, F(MPIR_Comm, comm_kind)) == KIND_INTER;
    ret->id = number_of(contexts, ret->inter) & INT64_MAX;
    ret->rank = view_int(view, F(MPIR_Comm, rank));
    ret->size = view_int(view, F(MPIR_Comm, local_size));
    ret->peer_size = ret->inter ? view_int(view, F(MPIR_Comm, remote_size)) : ret->size;
    memcpy(ret->name, name, strnlen(name, COMM_NAME - 1));
    if (ret->rank < 0 || ret->rank >= ret->size || ret->size > GROUP_MAX || ret->peer_size < 0 ||
        ret->peer_size > GROUP_MAX)
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT,
                           "MPIR_Comm at %#llx: rank %lld of %lld", (unsigned long long) view->addr,
                           (long long) ret->rank, (long long) ret->size);
    // Only the two sides of an intercommunicator have different ones.
    if (!ret->inter && contexts->send != contexts->receive)
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT,
                           "MPIR_Comm at %#llx: it sends as %u and receives as %u",
                           (unsigned long long) view->addr, contexts->send, contexts->receive);
    // Without groups a communicator is still worth showing.
    if (mpich_groups_of(mpi, view, &ret->local_group, &ret->peer_group) != STATUS_OK)
        ret->local_group = ret->peer_group = 0;
    return STATUS_OK;
}

enum status
mpich_comm_load(const struct mpi *mpi, taddr addr, struct comm *ret)
{
    struct contexts contexts;
    struct view view;

    TRY(view_load(mpi->inf, mpi->layout, S(MPIR_Comm), addr, &view));
    TRY(mpich_contexts(mpi, &view, &contexts));
    return describe_comm(mpi, &view, &contexts, ret);
}

struct emitter {
    const struct mpi *mpi;
    struct comm_sink *sink;
};

static enum status
emit(const struct emitter *emitter, taddr addr)
{
    const struct mpi *mpi = emitter->mpi;
    struct contexts contexts;
    struct view view;
    struct comm comm;

    TRY(view_load(mpi->inf, mpi->layout, S(MPIR_Comm), addr, &view));
    TRY(mpich_contexts(mpi, &view, &contexts));
    // One without members is still being made.
    if (view_int(&view, F(MPIR_Comm, ref_count)) <= 0 || is_own(&view, &contexts) ||
        view_int(&view, F(MPIR_Comm, local_size)) == 0)
        return STATUS_OK;
    TRY(describe_comm(mpi, &view, &contexts, &comm));
    return emitter->sink->emit(emitter->sink, &comm);
}

// One damaged communicator must not hide the others.
static enum status
visit(void *context, taddr object)
{
    const struct emitter *emitter = context;
    const enum status status = emit(emitter, object);

    if (status == STATUS_OK || status == STATUS_NOMEM)
        return status;
    emitter->sink->broken(emitter->sink, status);
    return STATUS_OK;
}

enum status
mpich_comms(const struct mpi *mpi, struct comm_sink *sink)
{
    struct emitter emitter = {mpi, sink};
    struct pool pool;
    struct view process;
    int64_t live;
    taddr addr;

    TRY(mpich_find_globals(mpi));
    TRY(mpich_process(mpi, &process));
    TRY(visit(&emitter, view_uint(&process, F(MPIR_Process_t, comm_world))));
    addr = view_uint(&process, F(MPIR_Process_t, comm_self));
    if (addr != 0)
        TRY(visit(&emitter, addr));
    TRY(inferior_symbol(mpi->inf, "MPIR_Comm_mem", &addr));
    TRY(pool_load(mpi, addr, HANDLE_COMM, S(MPIR_Comm), &pool));
    return pool_each(mpi, &pool, visit, &emitter, &live);
}
