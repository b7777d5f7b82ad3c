// SPDX-License-Identifier: BSD-3-Clause
// What is known of requests, messages and statuses. What PML ob1 keeps of a request is described as
// that of a pending operation is.
#include "mpi-impl-adapters/openmpi/handed.h"
#include "mpi-impl-adapters/openmpi/objects.h"
#include "mpi-impl-adapters/openmpi/request.h"

enum { REQUEST_INVALID, REQUEST_INACTIVE };
enum { REQUEST_TYPE_PML, REQUEST_TYPE_COLL = 4 };

/** What a request that is not the PML's is of, by its req_type. */
static const char *const operations[] = {
    NULL, "file", "generalized", "window", "collective", NULL, "nothing", "communicator",
};

static const char *const kinds[] = {
    [OP_KIND_RECEIVE] = "receive", [OP_KIND_SEND] = "send",   [OP_KIND_SSEND] = "ssend",
    [OP_KIND_BSEND] = "bsend",     [OP_KIND_RSEND] = "rsend", [OP_KIND_PROBE] = "probe",
    [OP_KIND_MESSAGE] = "message",
};

// What requests of PMLs ob1 and cm begin with.
static const char base_request[] = "mca_pml_base_request_t";

// @param request a whole view
static int64_t
type_of(const struct view *request)
{
    return view_has(request, F(ompi_request_t, req_type))
               ? view_int(request, F(ompi_request_t, req_type))
               : -1;
}

enum status
request_state(const struct mpi *mpi, const struct view *request, struct object *ret)
{
    const int64_t state = view_int(request, F(ompi_request_t, req_state));
    const bool persistent = view_uint(request, F(ompi_request_t, req_persistent)) != 0;
    struct view base;
    bool is_base = false;

    if (state == REQUEST_INVALID || (state == REQUEST_INACTIVE && !persistent))
        return STATUS_ABSENT;
    if (type_of(request) == REQUEST_TYPE_PML)
        TRY(openmpi_object_is(mpi, request->addr, base_request, &is_base));
    if (!is_base)
        return STATUS_OK;
    TRY(view_load_whole(mpi->inf, mpi->layout, S(mca_pml_base_request_t), request->addr, &base));
    const int64_t tag = view_int(&base, F(mca_pml_base_request_t, req_tag));
    // The library's own messages have no handles.
    if (tag < 0 && tag != OMPI_ANY_TAG)
        return STATUS_ABSENT;
    if (view_int(&base, F(mca_pml_base_request_t, req_free_called)) != 0)
        ret->state = OBJECT_FREED;
    return STATUS_OK;
}

static enum status
progress_members(const struct view *request, struct member_sink *sink)
{
    const int64_t state = view_int(request, F(ompi_request_t, req_state));

    TRY(emit_number(sink, MEMBER_persistent,
                    view_uint(request, F(ompi_request_t, req_persistent)) != 0));
    TRY(emit_number(sink, MEMBER_active, state >= OMPI_REQUEST_ACTIVE));
    return state < OMPI_REQUEST_ACTIVE
               ? STATUS_OK
               : emit_number(sink, MEMBER_complete,
                             view_uint(request, F(ompi_request_t, req_complete)) ==
                                 OMPI_REQUEST_COMPLETED);
}

static enum status
actual_members(const struct op *op, struct member_sink *sink)
{
    TRY(emit_number(sink, MEMBER_cancelled, op->cancelled));
    if (op->cancelled || !(op->known & OP_KNOWS_ACTUAL))
        return STATUS_OK;
    TRY(emit_number(sink, MEMBER_actual_source, op->actual_peer));
    TRY(emit_number(sink, MEMBER_actual_tag, op->actual_tag));
    return emit_number(sink, MEMBER_actual_bytes, op->actual_bytes);
}

static enum status
envelope_members(const struct request *request, const struct op *op, struct member_sink *sink)
{
    const bool is_send = request->type == PML_REQUEST_SEND;

    if (op->known & OP_KNOWS_KIND)
        TRY(emit_text(sink, MEMBER_operation, kinds[op->kind]));
    if (op->known & OP_KNOWS_PEER)
        TRY(emit_number(sink, is_send ? MEMBER_destination : MEMBER_source, op->peer));
    if (op->known & OP_KNOWS_TAG)
        TRY(emit_number(sink, MEMBER_tag, op->tag));
    if (op->known & OP_KNOWS_COUNT)
        TRY(emit_number(sink, MEMBER_count, op->count));
    if (op->known & OP_KNOWS_BYTES)
        TRY(emit_number(sink, MEMBER_bytes, op->bytes));
    if (op->known & OP_KNOWS_BUFFER)
        TRY(emit_number(sink, MEMBER_buffer, (int64_t) op->buffer));
    TRY(emit_handle(sink, MEMBER_datatype, OBJECT_DATATYPE, 0, request->datatype));
    return emit_number(sink, MEMBER_freed, request->freed);
}

static enum status
pml_members(const struct mpi *mpi, taddr addr, struct member_sink *sink)
{
    struct request request;
    struct op op;

    TRY(request_load(mpi, addr, &request));
    TRY(emit_handle(sink, MEMBER_communicator, OBJECT_COMMUNICATOR, 0, request.comm));
    const struct comm comm = {.addr = request.comm};
    const struct op_ref ref = {.addr = addr,
                               .class = request.type == PML_REQUEST_SEND ? OP_SEND : OP_RECEIVE};
    TRY(openmpi_describe(mpi, &comm, &ref, &op));
    TRY(envelope_members(&request, &op, sink));
    return request.complete && request.active && ref.class == OP_RECEIVE ? actual_members(&op, sink)
                                                                         : STATUS_OK;
}

// What a request that is not the PML's is of.
static enum status
other_members(const struct mpi *mpi, const struct view *request, struct member_sink *sink)
{
    const int64_t type = type_of(request);
    struct view object;

    if (type >= 0 && type < (int64_t) (sizeof(operations) / sizeof(*operations)) &&
        operations[type] != NULL)
        TRY(emit_text(sink, MEMBER_operation, operations[type]));
    if (type != REQUEST_TYPE_COLL ||
        mpi->layout->fields[F(ompi_request_t, req_mpi_object)].offset < 0)
        return STATUS_OK;
    TRY(view_load_whole(mpi->inf, mpi->layout, S(ompi_mpi_object_t),
                        view_addr(request, F(ompi_request_t, req_mpi_object)), &object));
    return emit_handle(sink, MEMBER_communicator, OBJECT_COMMUNICATOR, 0,
                       view_uint(&object, F(ompi_mpi_object_t, comm)));
}

enum status
request_members(const struct mpi *mpi, const struct object *object, struct member_sink *sink)
{
    struct view request;
    bool is_base = false;

    TRY(view_load_whole(mpi->inf, mpi->layout, S(ompi_request_t), object->addr, &request));
    TRY(progress_members(&request, sink));
    if (type_of(&request) == REQUEST_TYPE_PML)
        TRY(openmpi_object_is(mpi, object->addr, base_request, &is_base));
    return is_base ? pml_members(mpi, object->addr, sink) : other_members(mpi, &request, sink);
}

enum status
status_members(const struct mpi *mpi, const struct object *object, struct member_sink *sink)
{
    struct view view;

    TRY(view_load_whole(mpi->inf, mpi->layout, S(ompi_status_public_t), object->addr, &view));
    TRY(emit_number(sink, MEMBER_source, view_int(&view, F(ompi_status_public_t, MPI_SOURCE))));
    TRY(emit_number(sink, MEMBER_tag, view_int(&view, F(ompi_status_public_t, MPI_TAG))));
    if (view_has(&view, F(ompi_status_public_t, MPI_ERROR)))
        TRY(emit_number(sink, MEMBER_error, view_int(&view, F(ompi_status_public_t, MPI_ERROR))));
    TRY(emit_number(sink, MEMBER_bytes,
                    (int64_t) view_uint(&view, F(ompi_status_public_t, _ucount))));
    return emit_number(sink, MEMBER_cancelled,
                       view_int(&view, F(ompi_status_public_t, _cancelled)) != 0);
}

// The envelope of a message is in the status of the request that has taken it.
enum status
message_members(const struct mpi *mpi, const struct object *object, struct member_sink *sink)
{
    struct view message, request, status;

    TRY(view_load_whole(mpi->inf, mpi->layout, S(ompi_message_t), object->addr, &message));
    if (object->state == OBJECT_PREDEFINED)
        return STATUS_OK;
    TRY(emit_handle(sink, MEMBER_communicator, OBJECT_COMMUNICATOR, 0,
                    view_uint(&message, F(ompi_message_t, comm))));
    if (view_has(&message, F(ompi_message_t, peer)))
        TRY(emit_number(sink, MEMBER_source, view_int(&message, F(ompi_message_t, peer))));
    if (view_has(&message, F(ompi_message_t, count)))
        TRY(emit_number(sink, MEMBER_bytes,
                        (int64_t) view_uint(&message, F(ompi_message_t, count))));
    const taddr taken = view_uint(&message, F(ompi_message_t, req_ptr));
    bool is_base;
    TRY(openmpi_object_is(mpi, taken, base_request, &is_base));
    if (!is_base)
        return STATUS_OK;
    TRY(view_load_whole(mpi->inf, mpi->layout, S(ompi_request_t), taken, &request));
    TRY(view_load_whole(mpi->inf, mpi->layout, S(ompi_status_public_t),
                        view_addr(&request, F(ompi_request_t, req_status)), &status));
    return emit_number(sink, MEMBER_tag, view_int(&status, F(ompi_status_public_t, MPI_TAG)));
}

/** Where the objects of a free list go. */
struct listing {
    const struct mpi *mpi;
    struct object_sink *sink;
    enum object_kind kind;
};

// Those that have an INTEGER were in the table of these.
static enum status
emit_unnumbered(struct listing *listing, taddr addr)
{
    struct object object;
    const enum status status =
        openmpi_object(listing->mpi, listing->kind, FORM_ADDRESS, addr, &object);

    if (status == STATUS_OK && !object.has_fortran)
        return listing->sink->emit(listing->sink, &object);
    return status == STATUS_NOMEM ? status : STATUS_OK;
}

static enum status
visit_request(void *context, taddr item)
{
    return emit_unnumbered(context, item);
}

static enum status
visit_message(void *context, const struct view *message)
{
    return emit_unnumbered(context, message->addr);
}

static enum status
emit_free_list(struct listing *listing, struct arena *arena, taddr addr)
{
    struct free_list list;

    TRY(free_list_load(listing->mpi, addr, &list));
    return list.class_addr == 0
               ? STATUS_OK
               : free_list_each(listing->mpi, &list, arena, visit_request, listing);
}

enum status
request_objects(const struct mpi *mpi, struct object_sink *sink)
{
    struct listing listing = {mpi, sink, OBJECT_REQUEST};
    enum status status = STATUS_OK;
    struct arena arena;
    taddr sends, receives;

    TRY(inferior_symbol(mpi->inf, "mca_pml_base_recv_requests", &receives));
    TRY(inferior_symbol(mpi->inf, "mca_pml_base_send_requests", &sends));
    arena_init(&arena, mpi->inf->target);
    status = emit_free_list(&listing, &arena, receives);
    if (status != STATUS_NOMEM) {
        const enum status second = emit_free_list(&listing, &arena, sends);
        status = second != STATUS_OK ? second : status;
    }
    arena_deinit(&arena);
    return status;
}

enum status
message_objects(const struct mpi *mpi, struct object_sink *sink)
{
    struct listing listing = {mpi, sink, OBJECT_MESSAGE};
    struct arena arena;

    arena_init(&arena, mpi->inf->target);
    const enum status status = handed_each_taken(mpi, &arena, visit_message, &listing);
    arena_deinit(&arena);
    return status;
}
