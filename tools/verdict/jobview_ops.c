// SPDX-License-Identifier: BSD-3-Clause
// The pending operations of a document as plain data.
#include "tools/alloc.h"
#include "tools/verdict/jobview.h"

#include <stdlib.h>

static const int classes[JV_QUEUES] = {[JV_RECEIVES] = mqs_pending_receives,
                                       [JV_UNEXPECTED] = mqs_unexpected_messages,
                                       [JV_SENDS] = mqs_pending_sends};

static const enum jv_status statuses[] = {
    [mqs_st_pending] = JV_PENDING, [mqs_st_matched] = JV_MATCHED, [mqs_st_complete] = JV_COMPLETE};

int
jobview_class(unsigned queue)
{
    return classes[queue];
}

struct operations
jobview_operations(const struct jobview *view, const struct jv_op *op)
{
    struct operations operations;
    operations_of(view->members[op->member].json, classes[op->queue], &operations);
    return operations;
}

static bool
has(const struct operation *record, enum op_member member)
{
    return (record->has & OP_HAS(member)) != 0;
}

/** A number, ANY, UNKNOWN. */
static int32_t
number_or_any(const struct operation *record, enum op_member member, bool any, int32_t value)
{
    if (!has(record, member))
        return UNKNOWN;
    return any ? ANY : value >= 0 ? value : UNKNOWN;
}

static bool
is_kind(const struct operation *record, mqs_operation_kind kind)
{
    return has(record, OP_KIND) && record->kind == kind;
}

static int32_t
partner_of(const struct jobview *view, uint32_t comm, int64_t peer)
{
    int32_t peers = view->comms[comm].peers;
    const struct jv_member *member =
        peers != NOBODY && peer >= 0 ? jobview_member(view, (uint32_t) peers, peer) : NULL;
    return member != NULL ? (int32_t) member->process : NOBODY;
}

static void
add_op(struct jobview *view, uint32_t member, uint8_t queue, uint32_t order,
       const struct operation *record)
{
    uint32_t comm = view->members[member].comm;
    int32_t peer = number_or_any(record, OP_PEER, record->any_peer, record->peer);
    view->ops = alloc_grow(view->ops, view->n_ops, &view->ops_capacity, sizeof *view->ops);
    view->ops[view->n_ops++] = (struct jv_op){
        .record = record,
        .process = view->members[member].process,
        .member = member,
        .comm = comm,
        .peer = peer,
        .partner = partner_of(view, comm, peer),
        .tag = number_or_any(record, OP_TAG, record->any_tag, record->tag),
        .bytes = has(record, OP_BYTES) && record->bytes >= 0 ? record->bytes : UNKNOWN,
        .order = order,
        .queue = queue,
        .status = (uint8_t) statuses[record->status],
        .probe = is_kind(record, mqs_kind_probe),
        .synchronous = is_kind(record, mqs_kind_ssend),
        .buffered = is_kind(record, mqs_kind_bsend),
        .blocked = has(record, OP_BLOCKED),
        .freed = has(record, OP_FREED) && record->freed,
        .rendezvous = has(record, OP_RENDEZVOUS) && record->rendezvous,
        .eager = has(record, OP_RENDEZVOUS) && !record->rendezvous,
        .match = NOBODY,
    };
}

static void
add_queue(struct jobview *view, uint32_t member, uint8_t queue)
{
    struct operations operations;
    operations_of(view->members[member].json, classes[queue], &operations);
    for (size_t i = 0; i < operations.count; i++)
        add_op(view, member, queue, (uint32_t) i, &operations.items[i]);
}

static int
compare_processes(const void *left, const void *right)
{
    const struct jv_op *a = left, *b = right;
    const int64_t keys[][2] = {{a->process, b->process},
                               {a->member, b->member},
                               {a->queue, b->queue},
                               {a->order, b->order}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

void
jobview_load_ops(struct jobview *view)
{
    for (uint32_t i = 0; i < view->n_members; i++)
        for (uint8_t queue = 0; queue < JV_QUEUES; queue++)
            add_queue(view, i, queue);
    size_t in_order = 1;
    while (in_order < view->n_ops &&
           compare_processes(&view->ops[in_order - 1], &view->ops[in_order]) < 0)
        in_order++;
    if (in_order < view->n_ops)
        qsort(view->ops, view->n_ops, sizeof *view->ops, compare_processes);
    for (size_t i = 0; i < view->n_ops; i++) {
        struct jv_process *process = &view->processes[view->ops[i].process];
        if (process->n_ops++ == 0)
            process->first_op = (uint32_t) i;
    }
}
