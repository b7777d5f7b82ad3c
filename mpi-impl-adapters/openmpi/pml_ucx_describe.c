// SPDX-License-Identifier: BSD-3-Clause
// Describes one pending operation of PML ucx.
#include "mpi-impl-adapters/openmpi/pml_ucx.h"

static void
describe_envelope(const struct op_ref *ref, struct op *op)
{
    op->known |= (ref->flags & UCX_PEER ? OP_KNOWS_PEER : 0u) |
                 (ref->flags & UCX_TAG ? OP_KNOWS_TAG : 0u) | (ref->spare > 0 ? OP_KNOWS_KIND : 0u);
    op->kind = ref->spare > 0          ? (enum op_kind)(ref->spare - 1)
               : ref->class == OP_SEND ? OP_KIND_SEND
                                       : OP_KIND_RECEIVE;
    op->peer = ref->peer;
    op->tag = ref->tag;
    op->any_peer = ref->flags & UCX_PEER && ref->peer == OMPI_ANY_SOURCE;
    op->any_tag = ref->flags & UCX_TAG && ref->tag == OMPI_ANY_TAG;
}

// libucp has bytes; of a persistent request Open MPI has kept what the user asked for.
static void
describe_data(const struct mpi *mpi, const struct op_ref *ref, struct op *op)
{
    uint64_t size = 1;

    if (!(ref->flags & UCX_BYTES) || ref->count > INT64_MAX)
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

// The message that a receive was matched with, as libucp notes it.
static enum status
describe_matched(const struct mpi *mpi, const struct op_ref *ref, struct op *op)
{
    struct ucp_receive receive;
    taddr user = ref->addr;
    struct view view;
    struct ucp ucp;

    TRY(ucx_open(mpi, &ucp));
    if (ref->flags & UCX_PERSISTENT) {
        TRY(view_load(mpi->inf, mpi->layout, S(mca_pml_ucx_persistent_request_t), ref->addr,
                      &view));
        user = view_uint(&view, F(mca_pml_ucx_persistent_request_t, tmp_req));
    }
    TRY(ucp_receive_load(&ucp, user - ucp_request_size(&ucp), &receive));
    if (((receive.sender_tag ^ receive.tag) & receive.tag_mask) != 0)
        return STATUS_OK;
    const struct ucx_word word = ucx_split(receive.sender_tag);
    op->actual_peer = word.rank;
    op->actual_tag = word.tag;
    op->actual_bytes = (int64_t) (receive.sender_bytes & INT64_MAX);
    op->known |= OP_KNOWS_ACTUAL;
    return STATUS_OK;
}

static enum status
describe_receive(const struct mpi *mpi, const struct op_ref *ref, struct op *op)
{
    struct view request;

    if (op->status == OP_PENDING)
        return STATUS_OK;
    if (op->status == OP_MATCHED)
        return describe_matched(mpi, ref, op);
    TRY(view_load(mpi->inf, mpi->layout, S(ompi_request_t), ref->addr, &request));
    return openmpi_status(mpi, &request, op);
}

static void
describe_send(const struct op_ref *ref, struct op *op)
{
    const unsigned all = OP_KNOWS_PEER | OP_KNOWS_TAG | OP_KNOWS_BYTES;

    if (ref->spare == 1 + OP_KIND_BSEND) {
        op->system_buffer = true;
        op->copy = ref->buffer;
        op->known &= ~(unsigned) (OP_KNOWS_COUNT | OP_KNOWS_DATATYPE);
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
ucx_describe(const struct mpi *mpi, const struct op_ref *ref, struct op *ret)
{
    static const enum op_status status_of_stage[] = {OP_PENDING, OP_MATCHED, OP_COMPLETE};

    describe_envelope(ref, ret);
    describe_data(mpi, ref, ret);
    ret->status = status_of_stage[ref->stage];
    ret->buffer = ref->buffer;
    if (ref->buffer != 0)
        ret->known |= OP_KNOWS_BUFFER;
    if (ref->class == OP_UNEXPECTED) {
        ret->rendezvous = ref->flags & UCX_RENDEZVOUS;
        ret->system_buffer = true;
        return STATUS_OK;
    }
    if (ref->spare == 1 + OP_KIND_MESSAGE) {
        describe_taken(ret);
        return STATUS_OK;
    }
    ret->request = ref->flags & UCX_ON_STACK ? 0 : ref->addr;
    ret->persistent = ref->flags & UCX_PERSISTENT;
    ret->freed = ref->flags & UCX_FREED;
    ret->blocked = ref->flags & UCX_BLOCKED;
    // What is in a queue and not in a pool that cannot be read may be anything.
    if (!(ref->flags & UCX_ON_STACK) || ref->flags & UCX_BLOCKED)
        ret->known |= OP_KNOWS_PERSISTENT | OP_KNOWS_FREED | OP_KNOWS_BLOCKED;
    if (ref->class == OP_RECEIVE)
        return describe_receive(mpi, ref, ret);
    describe_send(ref, ret);
    return STATUS_OK;
}
