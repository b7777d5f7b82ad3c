// SPDX-License-Identifier: BSD-3-Clause
// Describes one pending operation.
#include "mpi-impl-adapters/mpich/ucx.h"

#include <string.h>

enum { PACKED = 0x4c00010f }; // handle of MPI_PACKED

static void
describe_envelope(const struct op_ref *ref, struct op *op)
{
    if (ref->flags & REF_PEER) {
        op->known |= OP_KNOWS_PEER;
        op->peer = ref->peer;
        op->any_peer = ref->peer == MPICH_ANY_SOURCE;
    }
    if (ref->flags & REF_TAG) {
        op->known |= OP_KNOWS_TAG;
        op->tag = ref->tag;
        op->any_tag = ref->tag == MPICH_ANY_TAG;
    }
    op->kind = (enum op_kind) ref->spare;
    if (ref->flags & REF_KIND)
        op->known |= OP_KNOWS_KIND;
}

// Every operation is of a datatype; without one, what was read is no operation.
static enum status
describe_data(const struct mpi *mpi, const struct op_ref *ref, struct op *op)
{
    const uint32_t datatype = (uint32_t) ref->datatype;
    uint64_t size = 1;

    op->buffer = ref->buffer;
    if (ref->buffer != 0)
        op->known |= OP_KNOWS_BUFFER;
    if (!(ref->flags & (REF_COUNT | REF_BYTES)) || ref->count > INT64_MAX)
        return STATUS_OK;
    if (ref->flags & REF_COUNT) {
        op->count = (int64_t) ref->count;
        op->known |= OP_KNOWS_COUNT;
        if (datatype == DATATYPE_NULL)
            return STATUS_OK;
        if (handle_kind(datatype) != HANDLE_DATATYPE || handle_place(datatype) == HANDLE_INVALID)
            return trail_begin(&mpi->inf->trail, STATUS_CORRUPT, "request at %#llx: datatype %#x",
                               (unsigned long long) ref->addr, datatype);
        if (mpich_datatype_name(mpi, datatype, op->datatype))
            op->known |= OP_KNOWS_DATATYPE;
        if (mpich_datatype_size(mpi, datatype, &size) != STATUS_OK)
            return STATUS_OK;
    }
    if (!__builtin_mul_overflow((int64_t) size, (int64_t) ref->count, &op->bytes))
        op->known |= OP_KNOWS_BYTES;
    return STATUS_OK;
}

// The status of a request has the message it got; ch3 fills it in as soon as it has matched one.
static bool
has_outcome(const struct mpi *mpi, const struct op_ref *ref)
{
    const bool ch3 = mpi->layout->structs[S(MPIDI_Request)].origin != ORIGIN_NONE;

    return ref->stage == STAGE_COMPLETE || (ch3 && ref->stage == STAGE_MATCHED);
}

static enum status
describe_receive(const struct mpi *mpi, const struct op_ref *ref, struct op *op)
{
    struct request request;
    struct outcome outcome;

    if (has_outcome(mpi, ref)) {
        TRY(mpich_request_load(mpi, mpich_release(mpi->inf), ref->addr, &request));
        TRY(request_outcome(mpi, &request, &outcome));
    } else if (!(ref->flags & REF_UCX) || !ucx_matched(mpi, ref->datatype, &outcome)) {
        return STATUS_OK;
    }
    op->cancelled = outcome.cancelled;
    op->actual_peer = outcome.source;
    op->actual_tag = outcome.tag;
    op->actual_bytes = (int64_t) (outcome.bytes & INT64_MAX);
    if (!outcome.cancelled)
        op->known |= OP_KNOWS_ACTUAL;
    return STATUS_OK;
}

static void
describe_actual_as_asked(struct op *op)
{
    const unsigned all = OP_KNOWS_PEER | OP_KNOWS_TAG | OP_KNOWS_BYTES;

    op->actual_peer = op->peer;
    op->actual_tag = op->tag;
    op->actual_bytes = op->bytes;
    if ((op->known & all) == all)
        op->known |= OP_KNOWS_ACTUAL;
}

// The copy of a buffered send's data has a header before it, which points to the request.
static bool
is_buffered(const struct mpi *mpi, const struct op_ref *ref)
{
    const struct layout *layout = mpi->layout;
    const int32_t header = layout->fields[F(MPII_Bsend_data_t, alignpad)].offset;
    const int32_t request = layout->fields[F(MPII_Bsend_data_t, request)].offset;
    taddr owner;

    return header > request && ref->buffer > (taddr) header &&
           inferior_read_pointer(mpi->inf, ref->buffer - (taddr) (header - request), &owner) ==
               STATUS_OK &&
           owner == ref->addr;
}

// A buffered send's data is packed. Without the layout of the header, this may be one.
static bool
may_be_buffered(const struct mpi *mpi, const struct op_ref *ref)
{
    return mpi->layout->structs[S(MPII_Bsend_data_t)].origin == ORIGIN_NONE &&
           (!(ref->flags & REF_COUNT) || ref->datatype == PACKED);
}

// Where the user's own data was is not known any more, nor what its elements were.
static void
describe_buffered(struct op *op)
{
    op->kind = OP_KIND_BSEND;
    op->system_buffer = true;
    op->copy = op->buffer;
    op->known |= OP_KNOWS_KIND;
    op->known &= ~(unsigned) (OP_KNOWS_COUNT | OP_KNOWS_DATATYPE);
}

static enum status
describe_send(const struct mpi *mpi, const struct op_ref *ref, struct op *op)
{
    struct request request;
    struct outcome outcome;

    if (is_buffered(mpi, ref))
        describe_buffered(op);
    else if (may_be_buffered(mpi, ref))
        op->known &=
            ~(unsigned) (OP_KNOWS_KIND | OP_KNOWS_COUNT | OP_KNOWS_DATATYPE | OP_KNOWS_BUFFER);
    if (ref->stage == STAGE_COMPLETE) {
        TRY(mpich_request_load(mpi, mpich_release(mpi->inf), ref->addr, &request));
        TRY(request_outcome(mpi, &request, &outcome));
        op->cancelled = outcome.cancelled;
    }
    if (!op->cancelled)
        describe_actual_as_asked(op);
    return STATUS_OK;
}

// Of a message that MPI_Mprobe has taken its own envelope is known, and not what was asked for.
static void
describe_taken(struct op *op)
{
    describe_actual_as_asked(op);
    op->known &= ~(unsigned) (OP_KNOWS_PEER | OP_KNOWS_TAG | OP_KNOWS_BYTES | OP_KNOWS_COUNT |
                              OP_KNOWS_DATATYPE | OP_KNOWS_BUFFER | OP_KNOWS_PERSISTENT);
}

// Nothing of the request is read again but how it has ended: the reference has the rest.
enum status
mpich_describe(const struct mpi *mpi, const struct comm *comm, const struct op_ref *ref,
               struct op *ret)
{
    static const enum op_status status_of_stage[] = {
        [STAGE_POSTED] = OP_PENDING, [STAGE_MATCHED] = OP_MATCHED, [STAGE_COMPLETE] = OP_COMPLETE};

    (void) comm;
    memset(ret, 0, sizeof(*ret));
    describe_envelope(ref, ret);
    TRY(describe_data(mpi, ref, ret));
    ret->status = status_of_stage[ref->stage];
    if (ref->class == OP_UNEXPECTED) {
        ret->rendezvous = ref->flags & REF_RENDEZVOUS;
        ret->unseen = ref->flags & REF_TRANSIT;
        if (ret->unseen)
            ret->known |= OP_KNOWS_UNSEEN;
        ret->system_buffer = true;
        return STATUS_OK;
    }
    ret->request = ref->addr;
    ret->persistent = ref->flags & REF_PERSISTENT;
    ret->known |= OP_KNOWS_PERSISTENT;
    if (ref->spare == OP_KIND_MESSAGE) {
        describe_taken(ret);
        return STATUS_OK;
    }
    if (ref->class == OP_RECEIVE)
        return describe_receive(mpi, ref, ret);
    return describe_send(mpi, ref, ret);
}
