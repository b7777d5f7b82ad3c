// SPDX-License-Identifier: BSD-3-Clause
// What is known of an operation: which members of what was seen hold.
#include "mqshow/mqd/query.h"

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

/** Says that a member of a record is known, if it is. */
static void
set(struct operation *op, enum op_field field, bool known)
{
    op->has |= known ? 1u << field : 0;
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
    bool any_peer = has_peer && shown->peer < 0;
    op->peer = any_peer ? REPORT_ANY : shown->peer;
    op->world_peer = any_peer ? REPORT_ANY : shown->world_peer;
    op->tag = seen->any_tag ? REPORT_ANY : shown->tag;
    op->bytes = shown->bytes;
    set(op, OP_PEER, has_peer);
    set(op, OP_WORLD_PEER,
        has_peer && (any_peer || shown->world_peer >= 0 || knows(seen, MQS_OP_WORLD)));
    set(op, OP_TAG, knows(seen, MQS_OP_TAG));
    set(op, OP_BYTES, knows(seen, MQS_OP_LENGTH) && shown->bytes >= 0);
}

static void
add_actual(struct operations *operations, struct operation *op,
           const struct envelope_record *actual)
{
    operations_more(operations, op)->actual = *actual;
    op->has |= 1u << OP_ACTUAL;
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
    struct envelope_record actual = {.has = 0};
    if (has_peer)
        SET(&actual, ENVELOPE_PEER, peer, seen_actual->peer);
    if (has_world)
        SET(&actual, ENVELOPE_WORLD_PEER, world_peer, seen_actual->world_peer);
    SET(&actual, ENVELOPE_TAG, tag, seen_actual->tag);
    if (has_bytes)
        SET(&actual, ENVELOPE_BYTES, bytes, seen_actual->bytes);
    if (is_shown)
        add_actual(operations, op, &actual);
}

static void
set_texts(struct operations *operations, struct operation *op, const struct seen_operation *seen)
{
    if (knows(seen, MQS_OP_DATATYPE) && seen->datatype != NULL)
        op->datatype = operations_keep(operations, seen->datatype);
    if (seen->text != NULL)
        operations_more(operations, op)->text = operations_keep(operations, seen->text);
    set(op, OP_DATATYPE, op->datatype > 0);
    set(op, OP_TEXT, seen->text != NULL && *seen->text != '\0');
}

static void
set_status(struct operation *op, const struct seen_operation *seen)
{
    bool has_status = status_name(seen->status) != NULL;
    bool has_kind = knows(seen, MQS_OP_KIND) && kind_name(seen->kind) != NULL;
    op->status = has_status ? (uint8_t) seen->status : 0;
    op->kind = has_kind ? (uint8_t) seen->kind : 0;
    set(op, OP_STATUS, has_status);
    set(op, OP_KIND, has_kind);
}

void
query_operation(struct operations *queue, const struct seen_operation *seen, int op_class)
{
    struct operation *op = operations_add(queue);
    set_status(op, seen);
    set_envelope(op, seen, op_class);
    if (knows(seen, MQS_OP_REQUEST))
        SET(op, OP_REQUEST, request, seen->request);
    if (knows(seen, MQS_OP_BUFFER)) {
        SET(op, OP_BUFFER, buffer, seen->buffer);
        SET(op, OP_SYSTEM_BUFFER, system_buffer, seen->system_buffer);
    }
    if (knows(seen, MQS_OP_COUNT))
        SET(op, OP_COUNT, count, seen->count);
    if (knows(seen, MQS_OP_PERSISTENT))
        SET(op, OP_PERSISTENT, persistent, seen->persistent);
    if (knows(seen, MQS_OP_RENDEZVOUS))
        SET(op, OP_RENDEZVOUS, rendezvous, seen->rendezvous);
    if (knows(seen, MQS_OP_FREED))
        SET(op, OP_FREED, freed, seen->freed);
    if (knows(seen, MQS_OP_UNSEEN))
        SET(op, OP_UNSEEN, unseen, seen->unseen);
    // That a thread waits is certain when it is seen; that none does is not.
    if (knows(seen, MQS_OP_BLOCKED) && seen->blocked)
        SET(op, OP_BLOCKED, blocked, true);
    set_texts(queue, op, seen);
    set_actual(queue, op, seen, op_class);
    operations_complete(queue, op);
}
