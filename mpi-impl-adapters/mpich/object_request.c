// SPDX-License-Identifier: BSD-3-Clause
// Members of requests and messages: what a walk over all pending operations says of one.
#include "mpi-impl-adapters/mpich/object.h"
#include "mpi-impl-adapters/mpich/search.h"

static const char *const operations[] = {
    [OP_KIND_RECEIVE] = "receive", [OP_KIND_SEND] = "send",   [OP_KIND_SSEND] = "ssend",
    [OP_KIND_BSEND] = "bsend",     [OP_KIND_RSEND] = "rsend", [OP_KIND_PROBE] = "probe",
    [OP_KIND_MESSAGE] = "message",
};

/** An operation that is looked for, and how it was found. */
struct wanted {
    struct op_sink sink;
    struct comm_sink comm_sink;
    struct arena arena;
    const struct mpi *mpi;
    taddr addr; // of its request
    struct comm *comms;
    uint32_t n_comms, room;
    struct op_ref ref;
    bool found;
};

static bool
is_message(const struct request *request)
{
    return request->kind == REQUEST_MESSAGE;
}

static bool
is_persistent(const struct request *request)
{
    return request->kind == REQUEST_PERSISTENT_SEND || request->kind == REQUEST_PERSISTENT_RECEIVE;
}

// The user has given back his reference when only that of what is under way is left.
enum status
mpich_request_state(const struct mpi *mpi, struct object *object)
{
    struct request request;

    TRY(mpich_request_load(mpi, mpich_release(mpi->inf), object->addr, &request));
    if (is_message(&request) != (object->kind == OBJECT_MESSAGE))
        return STATUS_ABSENT;
    if (object->references == 1 && !request.complete &&
        (request.kind == REQUEST_SEND || request.kind == REQUEST_RECEIVE))
        object->state = OBJECT_FREED;
    return STATUS_OK;
}

static enum status
take_comm(struct comm_sink *sink, const struct comm *comm)
{
    struct wanted *wanted = (struct wanted *) ((char *) sink - offsetof(struct wanted, comm_sink));

    if (wanted->n_comms == wanted->room) {
        const uint32_t room = wanted->room == 0 ? 64 : 2 * wanted->room;
        struct comm *more = arena_alloc(&wanted->arena, room, sizeof(*more));
        if (more == NULL)
            return STATUS_NOMEM;
        for (uint32_t i = 0; i < wanted->n_comms; ++i)
            more[i] = wanted->comms[i];
        wanted->comms = more;
        wanted->room = room;
    }
    wanted->comms[wanted->n_comms++] = *comm;
    return STATUS_OK;
}

static void
ignore_comm(struct comm_sink *sink, enum status status)
{
    (void) sink;
    (void) status;
}

// Of a message that this process sends itself there are two: the request's own is no message.
static enum status
take_op(struct op_sink *sink, const struct op_ref *ref)
{
    struct wanted *wanted = (struct wanted *) sink;

    if (ref->addr != wanted->addr || ref->class == OP_UNEXPECTED)
        return STATUS_OK;
    wanted->ref = *ref;
    wanted->found = true;
    return STATUS_OK;
}

static void
ignore_broken(struct op_sink *sink, uint32_t comm, enum op_class class, enum status status)
{
    (void) sink;
    (void) comm;
    (void) class;
    (void) status;
}

static void
ignore_collective(struct op_sink *sink, uint32_t comm, unsigned kind, int64_t peer)
{
    (void) sink;
    (void) comm;
    (void) kind;
    (void) peer;
}

static void
ignore_nonblocking(struct op_sink *sink, const struct nonblocking *collective)
{
    (void) sink;
    (void) collective;
}

static void
ignore_next(struct op_sink *sink, uint32_t comm, int64_t sequence)
{
    (void) sink;
    (void) comm;
    (void) sequence;
}

static enum status
look_for(struct wanted *wanted)
{
    TRY(mpich_comms(wanted->mpi, &wanted->comm_sink));
    wanted->sink.comms = wanted->comms;
    wanted->sink.n_comms = wanted->n_comms;
    return mpich_ops(wanted->mpi, &wanted->arena, &wanted->sink);
}

static int64_t
source_in_c(const struct mpi *mpi, const struct op *op)
{
    return op->any_peer && mpich_standard_abi(mpi->layout) ? ABI_ANY_SOURCE : op->peer;
}

static int64_t
tag_in_c(const struct mpi *mpi, const struct op *op)
{
    return op->any_tag && mpich_standard_abi(mpi->layout) ? ABI_ANY_TAG : op->tag;
}

static enum status
say_data(const struct describing *it, const struct op_ref *ref, const struct op *op)
{
    if (op->known & OP_KNOWS_BUFFER && !op->system_buffer)
        TRY(say_number(it, MEMBER_buffer, 0, (int64_t) op->buffer));
    if (op->known & OP_KNOWS_COUNT)
        TRY(say_number(it, MEMBER_count, 0, op->count));
    if (op->known & OP_KNOWS_BYTES)
        TRY(say_number(it, MEMBER_bytes, 0, op->bytes));
    return op->known & OP_KNOWS_DATATYPE
               ? say_handle(it, MEMBER_datatype, 0, OBJECT_DATATYPE, (uint32_t) ref->datatype)
               : STATUS_OK;
}

static enum status
say_outcome(const struct describing *it, const struct op *op)
{
    if (op->status != OP_COMPLETE)
        return STATUS_OK;
    TRY(say_number(it, MEMBER_cancelled, 0, op->cancelled));
    if (!(op->known & OP_KNOWS_ACTUAL) || op->kind != OP_KIND_RECEIVE)
        return STATUS_OK;
    TRY(say_number(it, MEMBER_actual_source, 0, op->actual_peer));
    TRY(say_number(it, MEMBER_actual_tag, 0, op->actual_tag));
    return say_number(it, MEMBER_actual_bytes, 0, op->actual_bytes);
}

// A send is one, in whatever mode.
static enum status
say_envelope(const struct describing *it, const struct op_ref *ref, const struct op *op)
{
    const bool receive = ref->class == OP_RECEIVE;
    const enum op_kind kind = receive                     ? OP_KIND_RECEIVE
                              : op->known & OP_KNOWS_KIND ? op->kind
                                                          : OP_KIND_SEND;

    TRY(say_text(it, MEMBER_operation, 0, operations[kind]));
    TRY(say_data(it, ref, op));
    if (op->known & OP_KNOWS_PEER)
        TRY(say_number(it, receive ? MEMBER_source : MEMBER_destination, 0,
                       source_in_c(it->mpi, op)));
    if (op->known & OP_KNOWS_TAG)
        TRY(say_number(it, MEMBER_tag, 0, tag_in_c(it->mpi, op)));
    return say_outcome(it, op);
}

static enum status
say_message(const struct describing *it, const struct op *op)
{
    if (!(op->known & OP_KNOWS_ACTUAL))
        return STATUS_OK;
    TRY(say_number(it, MEMBER_source, 0, op->actual_peer));
    TRY(say_number(it, MEMBER_tag, 0, op->actual_tag));
    return say_number(it, MEMBER_bytes, 0, op->actual_bytes);
}

static enum status
say_found(const struct describing *it, const struct wanted *wanted)
{
    const struct comm *comm = &wanted->comms[wanted->ref.comm];
    struct op op;

    TRY(say_object(it, MEMBER_communicator, OBJECT_COMMUNICATOR, comm->addr));
    TRY(mpich_describe(it->mpi, comm, &wanted->ref, &op));
    return it->object->kind == OBJECT_MESSAGE ? say_message(it, &op)
                                              : say_envelope(it, &wanted->ref, &op);
}

// What is in no list any more says how it has ended, and little else.
static enum status
say_ended(const struct describing *it)
{
    struct request request;
    struct outcome outcome;

    if (it->object->kind == OBJECT_MESSAGE)
        return STATUS_OK;
    TRY(mpich_request_load(it->mpi, mpich_release(it->mpi->inf), it->object->addr, &request));
    if (request.kind != REQUEST_RECEIVE && request.kind != REQUEST_SEND)
        return STATUS_OK;
    TRY(say_text(it, MEMBER_operation, 0,
                 operations[request.kind == REQUEST_SEND ? OP_KIND_SEND : OP_KIND_RECEIVE]));
    if (!request.complete)
        return STATUS_OK;
    TRY(request_outcome(it->mpi, &request, &outcome));
    TRY(say_number(it, MEMBER_cancelled, 0, outcome.cancelled));
    if (outcome.cancelled || request.kind == REQUEST_SEND)
        return STATUS_OK;
    TRY(say_number(it, MEMBER_actual_source, 0, outcome.source));
    TRY(say_number(it, MEMBER_actual_tag, 0, outcome.tag));
    return say_number(it, MEMBER_actual_bytes, 0, (int64_t) outcome.bytes);
}

static enum status
walk(const struct describing *it)
{
    struct wanted wanted = {
        .sink = {.emit = take_op,
                 .broken = ignore_broken,
                 .collective = ignore_collective,
                 .nonblocking = ignore_nonblocking,
                 .next_nonblocking = ignore_next},
        .comm_sink = {.emit = take_comm, .broken = ignore_comm},
        .mpi = it->mpi,
        .addr = it->object->addr,
    };

    arena_init(&wanted.arena, it->mpi->inf->target);
    enum status status = look_for(&wanted);
    if (status != STATUS_NOMEM)
        status = wanted.found ? say_found(it, &wanted) : say_ended(it);
    arena_deinit(&wanted.arena);
    return status;
}

// What a persistent request was made with is in it, whether it is active or not.
static enum status
say_persistent(const struct describing *it, const struct request *request, unsigned release)
{
    const struct search search = {.mpi = it->mpi, .release = release};
    struct found found = {.ref = {.addr = request->addr}};
    struct op op;

    TRY(say_object(it, MEMBER_communicator, OBJECT_COMMUNICATOR, request->comm));
    if (it->mpi->layout->structs[S(MPIDI_prequest_t)].origin == ORIGIN_NONE)
        return STATUS_OK;
    TRY(am_decode_persistent(&search, request->addr, &found));
    found.ref.class = request->kind == REQUEST_PERSISTENT_SEND ? OP_SEND : OP_RECEIVE;
    TRY(mpich_describe(it->mpi, NULL, &found.ref, &op));
    return say_envelope(it, &found.ref, &op);
}

// Of an active one the request that does the work says whether it is complete.
static enum status
persistent_members(const struct describing *it, const struct request *request, unsigned release)
{
    taddr symbol;
    const bool debugger = release < RELEASE_4_1 &&
                          inferior_symbol(it->mpi->inf, "MPIR_Sendq_head", &symbol) == STATUS_OK;
    const taddr addr = request_real(request, debugger);
    struct request real;

    TRY(say_number(it, MEMBER_active, 0, addr != 0));
    if (addr != 0) {
        TRY(mpich_request_load(it->mpi, release, addr, &real));
        TRY(say_number(it, MEMBER_complete, 0, real.complete));
    }
    return say_persistent(it, request, release);
}

// Which of its partitions are ready or have arrived is not kept.
static enum status
partitioned_members(const struct describing *it, const struct request *request)
{
    bool started;
    const uint64_t partitions = request_partitions(request, &started);

    TRY(say_number(it, MEMBER_persistent, 0, true));
    TRY(say_number(it, MEMBER_active, 0, started));
    if (partitions > 0)
        TRY(say_number(it, MEMBER_partitions, 0, (int64_t) partitions));
    if (!started)
        return say_object(it, MEMBER_communicator, OBJECT_COMMUNICATOR, request->comm);
    TRY(say_number(it, MEMBER_complete, 0, request->complete));
    return walk(it);
}

enum status
mpich_request_members(const struct describing *it)
{
    const unsigned release = mpich_release(it->mpi->inf);
    struct request request;

    if (it->object->addr == 0)
        return STATUS_OK;
    TRY(mpich_request_load(it->mpi, release, it->object->addr, &request));
    if (is_message(&request))
        return walk(it);
    if (request_is_partitioned(&request))
        return partitioned_members(it, &request);
    TRY(say_number(it, MEMBER_persistent, 0, is_persistent(&request)));
    if (is_persistent(&request))
        return persistent_members(it, &request, release);
    TRY(say_number(it, MEMBER_active, 0, true));
    TRY(say_number(it, MEMBER_complete, 0, request.complete));
    const char *operation = request_operation(&request, release);
    if (operation == NULL)
        return walk(it);
    TRY(say_text(it, MEMBER_operation, 0, operation));
    return say_object(it, MEMBER_communicator, OBJECT_COMMUNICATOR, request.comm);
}
