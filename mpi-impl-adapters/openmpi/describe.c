// SPDX-License-Identifier: BSD-3-Clause
// Describes one pending operation.
#include "mpi-impl-adapters/openmpi/handed.h"
#include "mpi-impl-adapters/openmpi/request.h"

#include <stdio.h>
#include <string.h>

static const enum op_kind kind_of_mode[] = {
    [PML_SEND_SYNCHRONOUS] = OP_KIND_SSEND, [PML_SEND_COMPLETE] = OP_KIND_SEND,
    [PML_SEND_BUFFERED] = OP_KIND_BSEND,    [PML_SEND_READY] = OP_KIND_RSEND,
    [PML_SEND_STANDARD] = OP_KIND_SEND,
};

enum { N_MODES = sizeof(kind_of_mode) / sizeof(kind_of_mode[0]) };

// Name of a datatype: in place up to 5.0, behind a pointer later. Only the name is read, not all
// that handles need.
bool
openmpi_datatype_name(const struct mpi *mpi, taddr datatype, char *ret)
{
    const struct field_layout *array = &mpi->layout->fields[F(ompi_datatype_t, name_array)];
    const struct field_layout *pointer = &mpi->layout->fields[F(ompi_datatype_t, name_pointer)];
    taddr name;

    memset(ret, 0, DATATYPE_NAME);
    if (datatype == 0 || datatype % mpi->inf->model.pointer_size != 0)
        return false;
    if (array->offset >= 0) {
        char bytes[DATATYPE_NAME];
        if (inferior_read(mpi->inf, datatype + (taddr) array->offset, sizeof(bytes), bytes) !=
            STATUS_OK)
            return false;
        memcpy(ret, bytes, strnlen(bytes, DATATYPE_NAME - 1));
        return true;
    }
    return pointer->offset >= 0 &&
           inferior_read_pointer(mpi->inf, datatype + (taddr) pointer->offset, &name) ==
               STATUS_OK &&
           name != 0 && inferior_read_string(mpi->inf, name, DATATYPE_NAME, ret) == STATUS_OK;
}

bool
openmpi_datatype_size(const struct mpi *mpi, taddr datatype, uint64_t *ret)
{
    const struct field_layout *size = &mpi->layout->fields[F(opal_datatype_t, size)];

    return datatype != 0 && datatype % mpi->inf->model.pointer_size == 0 &&
           inferior_read_uint(mpi->inf, datatype + (taddr) size->offset, size->width, ret) ==
               STATUS_OK;
}

// What a request says of itself, whichever direction it has.
static void
describe_request(const struct mpi *mpi, const struct request *request, struct op *op)
{
    op->known |=
        OP_KNOWS_PEER | OP_KNOWS_TAG | OP_KNOWS_PERSISTENT | OP_KNOWS_FREED | OP_KNOWS_BLOCKED;
    op->request = request->addr;
    op->peer = request->peer;
    op->any_peer = request->peer == OMPI_ANY_SOURCE;
    op->tag = request->tag;
    op->any_tag = request->tag == OMPI_ANY_TAG;
    op->persistent = request->persistent;
    op->freed = request->freed;
    op->blocked = request->blocked;
    if (request->count > INT64_MAX)
        return;
    op->count = (int64_t) request->count;
    op->known |= OP_KNOWS_COUNT;
    if (openmpi_datatype_name(mpi, request->datatype, op->datatype))
        op->known |= OP_KNOWS_DATATYPE;
}

enum status
openmpi_status_load(const struct mpi *mpi, const struct view *request, struct view *ret)
{
    return view_load(mpi->inf, mpi->layout, S(ompi_status_public_t),
                     view_addr(request, F(ompi_request_t, req_status)), ret);
}

enum status
openmpi_status(const struct mpi *mpi, const struct view *request, struct op *op)
{
    struct view status;

    TRY(openmpi_status_load(mpi, request, &status));
    op->cancelled = view_int(&status, F(ompi_status_public_t, _cancelled)) != 0;
    if (op->status == OP_PENDING || op->cancelled)
        return STATUS_OK;
    op->actual_peer = view_int(&status, F(ompi_status_public_t, MPI_SOURCE));
    op->actual_tag = view_int(&status, F(ompi_status_public_t, MPI_TAG));
    op->actual_bytes = (int64_t) view_uint(&status, F(ompi_status_public_t, _ucount));
    op->known |= OP_KNOWS_ACTUAL;
    return STATUS_OK;
}

// A probe asks for no data. One that is complete, and whose request lives on, has taken a message
// that is not received yet.
static void
describe_probe(const struct request *request, struct op *op)
{
    op->known &= ~(unsigned) (OP_KNOWS_COUNT | OP_KNOWS_DATATYPE | OP_KNOWS_PERSISTENT);
    op->known |= OP_KNOWS_KIND;
    op->kind = request->complete ? OP_KIND_MESSAGE : OP_KIND_PROBE;
    if (request->complete)
        op->status = OP_MATCHED;
}

// The memory that a receive is to fill.
static void
describe_data(const struct mpi *mpi, const struct request *request, struct op *op)
{
    uint64_t size;

    op->kind = OP_KIND_RECEIVE;
    if (request->type == PML_REQUEST_RECV)
        op->known |= OP_KNOWS_KIND;
    else
        snprintf(op->note, sizeof(op->note), "Request of unknown type %lld",
                 (long long) request->type);
    op->buffer = request->buffer;
    op->known |= OP_KNOWS_BUFFER;
    if (op->known & OP_KNOWS_COUNT && openmpi_datatype_size(mpi, request->datatype, &size) &&
        !__builtin_mul_overflow((int64_t) size, op->count, &op->bytes))
        op->known |= OP_KNOWS_BYTES;
}

// A posted receive of which all was kept when it was found.
static void
describe_kept(const struct mpi *mpi, const struct op_ref *ref, struct op *op)
{
    const struct request request = {
        .addr = ref->addr,
        .datatype = ref->datatype,
        .buffer = ref->buffer,
        .count = ref->count,
        .type = PML_REQUEST_RECV,
        .peer = ref->peer,
        .tag = ref->tag,
        .persistent = ref->flags & REF_PERSISTENT,
        .freed = ref->flags & REF_FREED,
        .blocked = ref->flags & REF_BLOCKED,
    };

    op->status = OP_PENDING;
    describe_request(mpi, &request, op);
    describe_data(mpi, &request, op);
}

static enum status
describe_receive(const struct mpi *mpi, const struct request *request, struct op *op)
{
    const taddr addr = request->addr;
    struct view view;
    bool matched = true;

    if (!request->complete)
        TRY(request_matched(mpi, addr, &matched));
    op->status = request->complete ? OP_COMPLETE : matched ? OP_MATCHED : OP_PENDING;
    TRY(openmpi_status(mpi, &request->ompi, op));
    if (request->type >= PML_REQUEST_IPROBE && request->type <= PML_REQUEST_MPROBE) {
        describe_probe(request, op);
        return STATUS_OK;
    }
    describe_data(mpi, request, op);
    if (op->status != OP_MATCHED)
        return STATUS_OK;
    // Until the request is complete the status has no length; the message's own is in the request.
    TRY(view_load(mpi->inf, mpi->layout, S(mca_pml_base_recv_request_t), addr, &view));
    op->actual_bytes = (int64_t) view_uint(&view, F(mca_pml_base_recv_request_t, req_bytes_packed));
    return STATUS_OK;
}

static enum status
describe_send(const struct mpi *mpi, const struct request *request, struct op *op)
{
    const taddr addr = request->addr;
    bool lingers, acknowledged;
    struct view view;

    TRY(view_load(mpi->inf, mpi->layout, S(mca_pml_base_send_request_t), addr, &view));
    const int64_t mode = view_int(&view, F(mca_pml_base_send_request_t, req_send_mode));
    TRY(request_send_lingers(mpi, request, &lingers));
    TRY(request_acknowledged(mpi, addr, &acknowledged));
    op->status = request->complete && !lingers ? OP_COMPLETE
                 : acknowledged                ? OP_MATCHED
                                               : OP_PENDING;
    if (mode >= 0 && mode < N_MODES) {
        op->kind = kind_of_mode[mode];
        op->known |= OP_KNOWS_KIND;
    } else {
        snprintf(op->note, sizeof(op->note), "Send of unknown mode %lld", (long long) mode);
    }
    op->bytes = (int64_t) view_uint(&view, F(mca_pml_base_send_request_t, req_bytes_packed));
    const taddr copy = view_uint(&view, F(mca_pml_base_send_request_t, req_addr));
    op->buffer = request->buffer;
    op->system_buffer = mode == PML_SEND_BUFFERED && copy != request->buffer;
    op->copy = op->system_buffer ? copy : 0;
    op->actual_peer = op->peer;
    op->actual_tag = op->tag;
    op->actual_bytes = op->bytes;
    op->known |= OP_KNOWS_BUFFER;
    if (op->bytes >= 0)
        op->known |= OP_KNOWS_BYTES | OP_KNOWS_ACTUAL;
    return STATUS_OK;
}

static enum status
describe_message(const struct mpi *mpi, const struct op_ref *ref, struct op *op)
{
    struct fragment fragment = {
        .source = ref->peer,
        .tag = ref->tag,
        .sized = true,
        .rendezvous = ref->flags & REF_RENDEZVOUS,
        .bytes = ref->count,
        .data = ref->buffer,
    };

    if (!(ref->flags & REF_WHOLE))
        TRY(fragment_load(mpi, ref->addr, &fragment));
    op->known = OP_KNOWS_KIND | OP_KNOWS_PEER | OP_KNOWS_TAG;
    op->kind = OP_KIND_MESSAGE;
    op->status = OP_PENDING;
    op->peer = fragment.source;
    op->tag = fragment.tag;
    if (fragment.sized) {
        op->bytes = (int64_t) fragment.bytes;
        op->known |= OP_KNOWS_BYTES;
    } else {
        snprintf(op->note, sizeof(op->note), "Invalid length (header of type %#llx)",
                 (unsigned long long) fragment.type);
    }
    op->unseen = ref->flags & REF_TRANSIT;
    if (op->unseen)
        op->known |= OP_KNOWS_UNSEEN;
    op->rendezvous = fragment.rendezvous;
    op->buffer = fragment.data;
    op->system_buffer = true;
    if (op->buffer != 0)
        op->known |= OP_KNOWS_BUFFER;
    return STATUS_OK;
}

enum status
openmpi_describe(const struct mpi *mpi, const struct comm *comm, const struct op_ref *ref,
                 struct op *ret)
{
    struct request request;

    memset(ret, 0, sizeof(*ret));
    if (ref->flags & REF_HANDED)
        return handed_describe(mpi, ref, ret);
    if (ref->class == OP_UNEXPECTED)
        return describe_message(mpi, ref, ret);
    if (ref->flags & REF_WHOLE) {
        describe_kept(mpi, ref, ret);
        return STATUS_OK;
    }
    TRY(request_load(mpi, ref->addr, &request));
    if (request.comm != comm->addr)
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT, "request at %#llx has changed",
                           (unsigned long long) ref->addr);
    describe_request(mpi, &request, ret);
    return ref->class == OP_SEND ? describe_send(mpi, &request, ret)
                                 : describe_receive(mpi, &request, ret);
}
