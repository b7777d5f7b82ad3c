// SPDX-License-Identifier: BSD-3-Clause
// The pending operations of a document as plain data.
#include "mqshow/base/alloc.h"
#include "mqshow/base/search.h"
#include "mqshow/verdict/jobview.h"

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

const struct operations *
jobview_operations(const struct jobview *view, const struct jv_op *op)
{
    return communicator_operations(view->members[op->member].record, classes[op->queue]);
}

int64_t
jobview_bytes(const struct jv_op *op)
{
    return HAS(op->record, OP_BYTES) && op->record->bytes >= 0 ? op->record->bytes : UNKNOWN;
}

/** A number, ANY, UNKNOWN. */
static int32_t
number_or_any(bool known, int32_t value)
{
    if (!known)
        return UNKNOWN;
    return value == REPORT_ANY ? ANY : value >= 0 ? value : UNKNOWN;
}

static bool
is_kind(const struct operation *record, mqs_operation_kind kind)
{
    return HAS(record, OP_KIND) && record->kind == kind;
}

static int32_t
partner_of(const struct jobview *view, uint32_t comm, int64_t peer)
{
    const struct jv_member *member = jobview_member(view, view->comms[comm].peers, peer);
    return member != NULL ? (int32_t) member->process : NOBODY;
}

static void
add_op(struct jobview *view, uint32_t member, uint8_t queue, uint32_t order,
       const struct operation *record)
{
    uint32_t comm = view->members[member].comm;
    int32_t peer = number_or_any(HAS(record, OP_PEER), record->peer);
    *ALLOC_ADD(view->ops, view->n_ops, view->ops_capacity) = (struct jv_op){
        .record = record,
        .process = view->members[member].process,
        .member = member,
        .comm = comm,
        .peer = peer,
        .partner = partner_of(view, comm, peer),
        .tag = number_or_any(HAS(record, OP_TAG), record->tag),
        .order = order,
        .queue = queue,
        .status = (uint8_t) statuses[record->status],
        .probe = is_kind(record, mqs_kind_probe),
        .synchronous = is_kind(record, mqs_kind_ssend),
        .buffered = is_kind(record, mqs_kind_bsend),
        .blocked = record->blocked,
        .freed = record->freed,
        .rendezvous = record->rendezvous,
        .eager = HAS(record, OP_RENDEZVOUS) && !record->rendezvous,
        .match = NOBODY,
    };
}

static void
add_queue(struct jobview *view, uint32_t member, uint8_t queue)
{
    const struct communicator *comm = view->members[member].record;
    const struct operations *operations =
        comm != NULL ? communicator_operations(comm, classes[queue]) : NULL;
    for (size_t i = 0; operations != NULL && i < operations->count; i++)
        add_op(view, member, queue, (uint32_t) i, &operations->items[i]);
}

static int
compare_processes(const void *left, const void *right)
{
    const struct jv_op *a = left, *b = right;
    return COMPARE({a->process, b->process}, {a->member, b->member}, {a->queue, b->queue},
                   {a->order, b->order});
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
