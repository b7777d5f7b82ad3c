// SPDX-License-Identifier: BSD-3-Clause
// Finds every pending operation of a process.
#include "tests/kit/toympi/toympi.h"

// Reports what broke, and goes on unless there is no memory. One list serves all communicators, so
// all of them miss something.
static enum status
survive(struct op_sink *sink, enum op_class class, enum status status)
{
    if (status == STATUS_OK || status == STATUS_NOMEM)
        return status;
    for (uint32_t i = 0; i < sink->n_comms; ++i)
        sink->broken(sink, i, class, status);
    return STATUS_OK;
}

// Adds a request to its communicator's queue; traffic of the library's own is on none of these.
static enum status
visit_request(const struct mpi *mpi, struct op_sink *sink, struct op_ref *ref)
{
    struct view view;

    TRY(view_load(mpi->inf, mpi->layout, S(toy_request), ref->addr, &view));
    const taddr comm = view_uint(&view, F(toy_request, comm));
    const int64_t state = view_int(&view, F(toy_request, state));
    ref->stage = state > TOYMPI_PENDING && state <= TOYMPI_COMPLETE ? (uint8_t) state : 0;
    for (ref->comm = 0; ref->comm < sink->n_comms; ++ref->comm)
        if (sink->comms[ref->comm].addr == comm)
            return sink->emit(sink, ref);
    return STATUS_OK;
}

// A message is not matched, so it names its communicator by number only.
static enum status
visit_message(const struct mpi *mpi, struct op_sink *sink, struct op_ref *ref)
{
    struct view view;

    TRY(view_load(mpi->inf, mpi->layout, S(toy_message), ref->addr, &view));
    const uint64_t context = view_uint(&view, F(toy_message, context));
    for (ref->comm = 0; ref->comm < sink->n_comms; ++ref->comm)
        if (sink->comms[ref->comm].id == context)
            return sink->emit(sink, ref);
    return STATUS_OK;
}

static const struct list {
    const char *symbol;
    const char *pool;
    unsigned link;
    enum op_class class;
    enum status (*visit)(const struct mpi *mpi, struct op_sink *sink, struct op_ref *ref);
} lists[] = {
    {"toympi_posted", "toympi_request_pool", F(toy_request, next), OP_RECEIVE, visit_request},
    {"toympi_sends", "toympi_request_pool", F(toy_request, next), OP_SEND, visit_request},
    {"toympi_unexpected", "toympi_message_pool", F(toy_message, next), OP_UNEXPECTED,
     visit_message},
};

// The lists are in the order of matching, and so is what is emitted.
static enum status
walk_list(const struct mpi *mpi, struct op_sink *sink, const struct list *list)
{
    enum status status;
    struct walk walk;
    taddr addr;

    TRY(toympi_walk(mpi, list->symbol, list->pool, list->link, &walk));
    while ((status = walk_next(&walk, &addr)) == STATUS_OK) {
        struct op_ref ref = {.addr = addr, .class = (uint8_t) list->class};
        TRY(list->visit(mpi, sink, &ref));
    }
    return status == STATUS_END ? STATUS_OK : status;
}

static const int8_t collective_of[] = {
    -1, // none
    COLLECTIVE_BARRIER,
    COLLECTIVE_BCAST,
    COLLECTIVE_ALLREDUCE,
};

static enum status
note_collective(const struct mpi *mpi, struct op_sink *sink, uint32_t comm)
{
    struct view view;

    TRY(view_load(mpi->inf, mpi->layout, S(toy_comm), sink->comms[comm].addr, &view));
    const uint64_t number = view_uint(&view, F(toy_comm, collective));
    if (number < sizeof(collective_of) && collective_of[number] >= 0)
        sink->collective(sink, comm, (unsigned) collective_of[number], NO_PEER);
    return STATUS_OK;
}

enum status
toympi_ops(const struct mpi *mpi, struct arena *arena, struct op_sink *sink)
{
    (void) arena; // there are no tables to make
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); ++i) {
        enum status status = walk_list(mpi, sink, &lists[i]);
        if (status != STATUS_OK)
            trail_prepend(&mpi->inf->trail, status, "%s", lists[i].symbol);
        TRY(survive(sink, lists[i].class, status));
    }
    for (uint32_t i = 0; i < sink->n_comms; ++i)
        if (note_collective(mpi, sink, i) == STATUS_NOMEM)
            return STATUS_NOMEM;
    return STATUS_OK;
}
