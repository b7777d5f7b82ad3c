// SPDX-License-Identifier: BSD-3-Clause
// Describes one pending operation.
#include "tests/kit/toympi/toympi.h"

#include <stdio.h>
#include <string.h>

static const enum op_kind kind_of_mode[] = {
    OP_KIND_SEND,
    OP_KIND_SSEND,
    OP_KIND_BSEND,
    OP_KIND_RSEND,
};

enum { N_MODES = sizeof(kind_of_mode) / sizeof(kind_of_mode[0]) };

// What the data is; a datatype that cannot be read leaves its name and the length unknown.
static void
describe_data(const struct mpi *mpi, const struct view *request, struct op *op)
{
    const taddr type = view_uint(request, F(toy_request, type));
    const uint64_t count = view_uint(request, F(toy_request, count));
    struct view view;

    op->buffer = view_uint(request, F(toy_request, buffer));
    op->known |= OP_KNOWS_BUFFER;
    if (count > INT64_MAX)
        return;
    op->count = (int64_t) count;
    op->known |= OP_KNOWS_COUNT;
    if (view_load(mpi->inf, mpi->layout, S(toy_type), type, &view) != STATUS_OK)
        return;
    const char *name = view_bytes(&view, F(toy_type, name));
    memcpy(op->datatype, name, strnlen(name, mpi->layout->fields[F(toy_type, name)].width));
    op->known |= OP_KNOWS_DATATYPE;
    if (!__builtin_mul_overflow(view_uint(&view, F(toy_type, size)), count, &op->bytes))
        op->known |= OP_KNOWS_BYTES;
}

// A kind or a state that toympi does not have is said, and not guessed.
static void
describe_kind(const struct view *request, enum op_class class, struct op *op)
{
    const int64_t mode = view_int(request, F(toy_request, mode));
    const int64_t state = view_int(request, F(toy_request, state));

    op->status =
        state >= TOYMPI_PENDING && state <= TOYMPI_COMPLETE ? (enum op_status) state : OP_PENDING;
    if (op->status != state)
        snprintf(op->note, sizeof(op->note), "Request of unknown state %lld", (long long) state);
    op->kind = OP_KIND_RECEIVE;
    if (class == OP_SEND && (mode < 0 || mode >= N_MODES)) {
        snprintf(op->note, sizeof(op->note), "Send of unknown mode %lld", (long long) mode);
        return;
    }
    if (class == OP_SEND)
        op->kind = kind_of_mode[mode];
    op->known |= OP_KNOWS_KIND;
}

// The message that a receive has got.
static enum status
describe_arrived(const struct mpi *mpi, const struct view *request, struct op *op)
{
    const taddr addr = view_addr(request, F(toy_request, arrived));
    struct view view;

    TRY(view_load(mpi->inf, mpi->layout, S(toy_envelope), addr, &view));
    op->actual_peer = view_int(&view, F(toy_envelope, source));
    op->actual_tag = view_int(&view, F(toy_envelope, tag));
    op->actual_bytes = (int64_t) view_uint(&view, F(toy_envelope, bytes));
    if (op->actual_bytes >= 0)
        op->known |= OP_KNOWS_ACTUAL;
    return STATUS_OK;
}

static enum status
describe_request(const struct mpi *mpi, const struct comm *comm, const struct op_ref *ref,
                 struct op *op)
{
    struct view request;

    TRY(view_load(mpi->inf, mpi->layout, S(toy_request), ref->addr, &request));
    if (view_uint(&request, F(toy_request, comm)) != comm->addr)
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT, "request at %#llx has changed",
                           (unsigned long long) ref->addr);
    op->known = OP_KNOWS_PEER | OP_KNOWS_TAG;
    op->request = ref->addr;
    op->peer = view_int(&request, F(toy_request, peer));
    op->any_peer = op->peer == TOYMPI_ANY_SOURCE;
    op->tag = view_int(&request, F(toy_request, tag));
    op->any_tag = op->tag == TOYMPI_ANY_TAG;
    op->persistent = view_uint(&request, F(toy_request, persistent)) != 0;
    if (view_has(&request, F(toy_request, persistent)))
        op->known |= OP_KNOWS_PERSISTENT;
    describe_data(mpi, &request, op);
    describe_kind(&request, ref->class, op);
    return ref->class == OP_RECEIVE && op->status != OP_PENDING
               ? describe_arrived(mpi, &request, op)
               : STATUS_OK;
}

static enum status
describe_message(const struct mpi *mpi, taddr addr, struct op *op)
{
    struct view message, envelope;

    TRY(view_load(mpi->inf, mpi->layout, S(toy_message), addr, &message));
    TRY(view_load(mpi->inf, mpi->layout, S(toy_envelope),
                  view_addr(&message, F(toy_message, envelope)), &envelope));
    op->known = OP_KNOWS_KIND | OP_KNOWS_PEER | OP_KNOWS_TAG;
    op->kind = OP_KIND_MESSAGE;
    op->status = OP_PENDING;
    op->peer = view_int(&envelope, F(toy_envelope, source));
    op->tag = view_int(&envelope, F(toy_envelope, tag));
    op->bytes = (int64_t) view_uint(&envelope, F(toy_envelope, bytes));
    if (op->bytes >= 0)
        op->known |= OP_KNOWS_BYTES;
    op->buffer = view_uint(&message, F(toy_message, data));
    op->system_buffer = true;
    op->rendezvous = op->buffer == 0;
    if (!op->rendezvous)
        op->known |= OP_KNOWS_BUFFER;
    return STATUS_OK;
}

enum status
toympi_describe(const struct mpi *mpi, const struct comm *comm, const struct op_ref *ref,
                struct op *ret)
{
    memset(ret, 0, sizeof(*ret));
    return ref->class == OP_UNEXPECTED ? describe_message(mpi, ref->addr, ret)
                                       : describe_request(mpi, comm, ref, ret);
}
