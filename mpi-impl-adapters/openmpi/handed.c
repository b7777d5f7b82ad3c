// SPDX-License-Identifier: BSD-3-Clause
// Emits and describes operations that Open MPI hands to another library.
#include "mpi-impl-adapters/openmpi/handed.h"

#include "mpi-impl-adapters/openmpi/libnbc.h"
#include "mpi-impl-adapters/openmpi/pml_ucx.h"
#include "mpi-impl-adapters/openmpi/request.h"

uint8_t
handed_kind_of_mode(int64_t mode)
{
    return mode == PML_SEND_SYNCHRONOUS ? 1 + OP_KIND_SSEND
           : mode == PML_SEND_READY     ? 1 + OP_KIND_RSEND
                                        : 1 + OP_KIND_SEND;
}

enum status
handed_emit(struct op_sink *sink, const struct op_ref *ref)
{
    const bool internal = ref->flags & HANDED_TAG && ref->tag < 0 && ref->tag != OMPI_ANY_TAG;
    const int collective = openmpi_collective(ref->tag);

    if (!internal)
        return sink->emit(sink, ref);
    const int64_t peer = ref->flags & HANDED_PEER ? ref->peer : NO_PEER;
    if (ref->class == OP_UNEXPECTED || ref->stage == STAGE_COMPLETE)
        return STATUS_OK;
    if (collective >= 0)
        sink->collective(sink, ref->comm, (unsigned) collective, peer);
    libnbc_note_message(sink, ref->comm, ref->tag, peer,
                        ref->class == OP_RECEIVE && ref->stage == STAGE_POSTED &&
                            !(ref->spare & HANDED_UNTRACED));
    return STATUS_OK;
}

// 1 + enum op_kind; 0: not known.
static unsigned
kind_of(const struct op_ref *ref)
{
    return ref->spare & (HANDED_UNTRACED - 1u);
}

static void
describe_envelope(const struct op_ref *ref, struct op *op)
{
    op->known |= (ref->flags & HANDED_PEER ? OP_KNOWS_PEER : 0u) |
                 (ref->flags & HANDED_TAG ? OP_KNOWS_TAG : 0u) |
                 (kind_of(ref) > 0 ? OP_KNOWS_KIND : 0u);
    op->kind = kind_of(ref) > 0        ? (enum op_kind)(kind_of(ref) - 1)
               : ref->class == OP_SEND ? OP_KIND_SEND
                                       : OP_KIND_RECEIVE;
    op->peer = ref->peer;
    op->tag = ref->tag;
    op->any_peer = ref->flags & HANDED_PEER && ref->peer == OMPI_ANY_SOURCE;
    op->any_tag = ref->flags & HANDED_TAG && ref->tag == OMPI_ANY_TAG;
}

// The library has bytes; what the user asked for is known where Open MPI has kept it.
static void
describe_data(const struct mpi *mpi, const struct op_ref *ref, struct op *op)
{
    uint64_t size = 1;

    if (!(ref->flags & HANDED_BYTES) || ref->count > INT64_MAX)
        return;
    if (ref->datatype != 0) {
        op->count = (int64_t) ref->count;
        op->known |= OP_KNOWS_COUNT;
        if (openmpi_datatype_name(mpi, ref->datatype, op->datatype))
            op->known |= OP_KNOWS_DATATYPE;
        if (!openmpi_datatype_size(mpi, ref->datatype, &size))
            return;
    }
    if (!__builtin_mul_overflow((int64_t) size, (int64_t) ref->count, &op->bytes))
        op->known |= OP_KNOWS_BYTES;
}

static enum status
describe_receive(const struct mpi *mpi, const struct op_ref *ref, struct op *op)
{
    struct view request;

    if (op->status == OP_PENDING)
        return STATUS_OK;
    if (op->status == OP_MATCHED)
        return ref->spare & HANDED_UNTRACED ? STATUS_OK : ucx_describe_matched(mpi, ref, op);
    TRY(view_load(mpi->inf, mpi->layout, S(ompi_request_t), ref->addr, &request));
    return openmpi_status(mpi, &request, op);
}

static void
describe_send(const struct op_ref *ref, struct op *op)
{
    const unsigned all = OP_KNOWS_PEER | OP_KNOWS_TAG | OP_KNOWS_BYTES;

    if (kind_of(ref) == 1 + OP_KIND_BSEND) {
        op->system_buffer = true;
        op->copy = ref->buffer;
    }
    op->actual_peer = op->peer;
    op->actual_tag = op->tag;
    op->actual_bytes = op->bytes;
    if ((op->known & all) == all)
        op->known |= OP_KNOWS_ACTUAL;
}

// Of a message that MPI_Mprobe has taken its own envelope is known, and not what was asked for.
static void
describe_taken(struct op *op)
{
    op->actual_peer = op->peer;
    op->actual_tag = op->tag;
    op->actual_bytes = op->bytes;
    op->known = OP_KNOWS_KIND | (op->known & OP_KNOWS_BYTES ? OP_KNOWS_ACTUAL : 0u);
}

enum status
handed_describe(const struct mpi *mpi, const struct op_ref *ref, struct op *ret)
{
    static const enum op_status status_of_stage[] = {OP_PENDING, OP_MATCHED, OP_COMPLETE};

    describe_envelope(ref, ret);
    describe_data(mpi, ref, ret);
    ret->status = status_of_stage[ref->stage];
    ret->buffer = ref->buffer;
    if (ref->buffer != 0)
        ret->known |= OP_KNOWS_BUFFER;
    if (ref->class == OP_UNEXPECTED) {
        ret->rendezvous = ref->flags & HANDED_RENDEZVOUS;
        ret->unseen = ref->flags & HANDED_TRANSIT;
        if (ret->unseen)
            ret->known |= OP_KNOWS_UNSEEN;
        ret->system_buffer = true;
        return STATUS_OK;
    }
    if (kind_of(ref) == 1 + OP_KIND_MESSAGE) {
        describe_taken(ret);
        return STATUS_OK;
    }
    ret->request = ref->flags & HANDED_ON_STACK ? 0 : ref->addr;
    ret->persistent = ref->flags & HANDED_PERSISTENT;
    ret->freed = ref->flags & HANDED_FREED;
    ret->blocked = ref->flags & HANDED_BLOCKED;
    // What is in a queue and not in a pool that cannot be read may be anything.
    if (!(ref->flags & HANDED_ON_STACK) || ref->flags & HANDED_BLOCKED)
        ret->known |= OP_KNOWS_PERSISTENT | OP_KNOWS_FREED | OP_KNOWS_BLOCKED;
    if (ref->class == OP_RECEIVE)
        return describe_receive(mpi, ref, ret);
    describe_send(ref, ret);
    return STATUS_OK;
}
