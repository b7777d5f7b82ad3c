// SPDX-License-Identifier: BSD-3-Clause
// What can be told of an operation: which members of what was seen hold.
#include "tools/gather.h"

static bool
knows(const struct seen_operation *seen, uint32_t members)
{
    return (seen->known & members) == members;
}

/** Whether the actual envelope says more than the other one. */
static bool
differs(const struct seen_operation *seen)
{
    return seen->actual.peer != seen->desired.peer || seen->actual.tag != seen->desired.tag ||
           seen->actual.bytes != seen->desired.bytes;
}

static bool
has_actual(const struct seen_operation *seen, int op_class)
{
    bool matched = seen->status == mqs_st_matched || seen->status == mqs_st_complete;
    return knows(seen, MQS_OP_ACTUAL) && (matched || op_class == mqs_pending_sends);
}

/** Sets a member of a record, where it is known. */
static void
set(struct operation *op, enum op_member member, bool known)
{
    op->has |= known ? OP_HAS(member) : 0;
}

static void
set_envelope(struct operation *op, const struct seen_operation *seen, int op_class)
{
    const struct envelope *shown = &seen->desired;
    // MQD fills in both envelopes of an unexpected message, or only the actual one.
    if (op_class == mqs_unexpected_messages && has_actual(seen, op_class) && shown->peer < 0)
        shown = &seen->actual;
    bool has_peer =
        knows(seen, MQS_OP_PEER) && (op_class == mqs_pending_receives || shown->peer >= 0);
    op->peer = shown->peer;
    op->world_peer = shown->world_peer;
    op->tag = shown->tag;
    op->bytes = shown->bytes;
    op->any_peer = has_peer && shown->peer < 0;
    op->any_tag = seen->any_tag;
    set(op, OP_PEER, has_peer);
    set(op, OP_WORLD_PEER,
        has_peer && (op->any_peer || shown->world_peer >= 0 || knows(seen, MQS_OP_WORLD)));
    set(op, OP_TAG, knows(seen, MQS_OP_TAG));
    set(op, OP_BYTES, knows(seen, MQS_OP_LENGTH) && shown->bytes >= 0);
}

static void
set_actual(struct operations *operations, struct operation *op, const struct seen_operation *seen,
           int op_class)
{
    const struct envelope *seen_actual = &seen->actual;
    bool is_shown = has_actual(seen, op_class) &&
                    (op_class == mqs_pending_receives || differs(seen)) &&
                    (op_class != mqs_unexpected_messages || seen->desired.peer >= 0);
    bool has_peer = seen_actual->peer >= 0, has_bytes = seen_actual->bytes >= 0;
    bool has_world = has_peer && (knows(seen, MQS_OP_WORLD) || seen_actual->world_peer >= 0);
    struct actual actual = {
        .bytes = has_bytes ? seen_actual->bytes : -1,
        .peer = has_peer ? seen_actual->peer : -1,
        .world_peer = has_world ? seen_actual->world_peer : -1,
        .tag = seen_actual->tag,
        .has = OP_HAS(OP_TAG) | (has_peer ? OP_HAS(OP_PEER) : 0) |
               (has_world ? OP_HAS(OP_WORLD_PEER) : 0) | (has_bytes ? OP_HAS(OP_BYTES) : 0),
    };
    if (is_shown)
        operations_set_actual(operations, op, &actual);
}

static void
set_texts(struct operations *operations, struct operation *op, const struct seen_operation *seen)
{
    if (knows(seen, MQS_OP_DATATYPE) && seen->datatype != NULL)
        op->datatype = operations_keep(operations, seen->datatype);
    if (seen->text != NULL)
        op->text = operations_keep(operations, seen->text);
    set(op, OP_DATATYPE, op->datatype > 0);
    set(op, OP_TEXT, op->text > 0);
}

static void
set_status(struct operation *op, const struct seen_operation *seen)
{
    bool has_status = status_name(seen->status) != NULL;
    bool has_kind = knows(seen, MQS_OP_KIND) && kind_name(seen->kind) != NULL;
    op->status = has_status ? (unsigned) seen->status & 3 : 0;
    op->kind = has_kind ? (unsigned) seen->kind & 7 : 0;
    set(op, OP_STATUS, has_status);
    set(op, OP_KIND, has_kind);
}

void
gather_operation(struct queue *queue, const struct seen_operation *seen, int op_class)
{
    struct operation *op = operations_add(&queue->operations);
    set_status(op, seen);
    set_envelope(op, seen, op_class);
    op->request = seen->request;
    op->buffer = seen->buffer;
    op->count = seen->count;
    op->system_buffer = seen->system_buffer;
    op->persistent = seen->persistent;
    op->rendezvous = seen->rendezvous;
    op->freed = seen->freed;
    set(op, OP_REQUEST, knows(seen, MQS_OP_REQUEST));
    set(op, OP_BUFFER, knows(seen, MQS_OP_BUFFER));
    set(op, OP_SYSTEM_BUFFER, knows(seen, MQS_OP_BUFFER));
    set(op, OP_COUNT, knows(seen, MQS_OP_COUNT));
    set(op, OP_PERSISTENT, knows(seen, MQS_OP_PERSISTENT));
    set(op, OP_RENDEZVOUS, knows(seen, MQS_OP_RENDEZVOUS));
    set(op, OP_FREED, knows(seen, MQS_OP_FREED));
    // That a thread waits is certain when it is seen; that none does is not.
    set(op, OP_BLOCKED, knows(seen, MQS_OP_BLOCKED) && seen->blocked);
    set_texts(&queue->operations, op, seen);
    set_actual(&queue->operations, op, seen, op_class);
}
