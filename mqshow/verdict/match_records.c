// SPDX-License-Identifier: BSD-3-Clause
// Which pending send and which unexpected message or matched receive are one message.
#include "mqshow/base/alloc.h"
#include "mqshow/base/search.h"
#include "mqshow/verdict/match.h"

#include <stdlib.h>

void
envelopes_add(struct envelopes *envelopes, struct envelope_of envelope)
{
    *ALLOC_ADD(envelopes->items, envelopes->count, envelopes->capacity) = envelope;
}

int
envelopes_compare(const void *left, const void *right)
{
    const struct envelope_of *a = left, *b = right;
    return COMPARE({a->comm, b->comm}, {a->to, b->to}, {a->from, b->from}, {a->tag, b->tag});
}

static int
compare(const void *left, const void *right)
{
    const struct envelope_of *a = left, *b = right;
    int order = envelopes_compare(a, b);
    return order != 0 ? order : COMPARE({a->stage, b->stage}, {a->order, b->order}, {a->op, b->op});
}

void
envelopes_sort(struct envelopes *envelopes)
{
    if (envelopes->count > 0)
        qsort(envelopes->items, envelopes->count, sizeof *envelopes->items, compare);
}

/** The envelope of a send as its receiver knows it. @return whether the receiver was looked at */
static bool
envelope_of_send(const struct jobview *view, uint32_t number, struct envelope_of *ret)
{
    const struct jv_op *op = &view->ops[number];
    int32_t peers = view->comms[op->comm].peers;
    if (op->partner == NOBODY || peers == NOBODY || view->members[op->member].local_rank < 0)
        return false;
    *ret = (struct envelope_of){(uint32_t) peers,
                                (uint32_t) op->partner,
                                (int32_t) view->members[op->member].local_rank,
                                op->tag,
                                0,
                                op->order,
                                number};
    return true;
}

static struct envelope_of
envelope_of_message(const struct jobview *view, uint32_t number)
{
    const struct jv_op *op = &view->ops[number];
    return (struct envelope_of){op->comm,  op->process, op->peer, op->tag,
                                op->eager, op->order,   number};
}

/** What a receive has taken already. @return whether that is known */
static bool
envelope_of_taken(const struct jobview *view, uint32_t number, struct envelope_of *ret)
{
    const struct jv_op *op = &view->ops[number];
    const struct envelope_record *actual =
        operations_actual(jobview_operations(view, op), op->record);
    *ret =
        (struct envelope_of){op->comm,
                             op->process,
                             actual != NULL && HAS(actual, ENVELOPE_PEER) ? actual->peer : UNKNOWN,
                             actual != NULL && HAS(actual, ENVELOPE_TAG) ? actual->tag : UNKNOWN,
                             0,
                             op->order,
                             number};
    return ret->from >= 0 && ret->tag >= 0;
}

static int64_t
bytes_of(const struct jobview *view, const struct jv_op *op)
{
    if (op->queue != JV_RECEIVES)
        return jobview_bytes(op);
    const struct envelope_record *actual =
        operations_actual(jobview_operations(view, op), op->record);
    return actual != NULL && HAS(actual, ENVELOPE_BYTES) && actual->bytes >= 0 ? actual->bytes
                                                                               : UNKNOWN;
}

static bool
have_equal_bytes(const struct jobview *view, const struct jv_op *a, const struct jv_op *b)
{
    int64_t one = bytes_of(view, a), other = bytes_of(view, b);
    return one == UNKNOWN || other == UNKNOWN || one == other;
}

/** Notes that a send and what the receiver has of it are one message. */
static void
pair(struct jobview *view, uint32_t send, uint32_t other)
{
    view->ops[send].match = (int32_t) other;
    view->ops[other].match = (int32_t) send;
    view->ops[other].paired = true;
}

/** Pairs the sends with the records of the receivers that have equal envelopes, in order. */
static void
pair_equal(struct jobview *view, struct envelopes *sends, struct envelopes *records)
{
    envelopes_sort(sends);
    envelopes_sort(records);
    for (size_t s = 0, r = 0; s < sends->count && r < records->count;) {
        int order = envelopes_compare(&sends->items[s], &records->items[r]);
        if (order == 0 && have_equal_bytes(view, &view->ops[sends->items[s].op],
                                           &view->ops[records->items[r].op])) {
            pair(view, sends->items[s++].op, records->items[r++].op);
        } else if (order < 0) {
            s++;
        } else {
            r++;
        }
    }
}

static void
gather_pending_sends(const struct jobview *view, struct envelopes *sends)
{
    struct envelope_of envelope;
    sends->count = 0;
    for (uint32_t i = 0; i < view->n_ops; i++)
        if (view->ops[i].queue == JV_SENDS && view->ops[i].status == JV_PENDING &&
            view->ops[i].match == NOBODY && envelope_of_send(view, i, &envelope))
            envelopes_add(sends, envelope);
}

/** Messages that no receive has taken yet: those that have arrived first. */
static void
gather_messages(const struct jobview *view, struct envelopes *messages)
{
    gather_pending_sends(view, messages);
    for (size_t i = 0; i < messages->count; i++)
        messages->items[i].stage = 2;
    for (uint32_t i = 0; i < view->n_ops; i++)
        if (view->ops[i].queue == JV_UNEXPECTED)
            envelopes_add(messages, envelope_of_message(view, i));
}

void
match_records(struct jobview *view, struct envelopes *messages)
{
    struct envelopes sends = {.items = NULL}, records = {.items = NULL};
    struct envelope_of envelope;
    for (uint32_t i = 0; i < view->n_ops; i++)
        if (view->ops[i].queue == JV_UNEXPECTED)
            envelopes_add(&records, envelope_of_message(view, i));
    gather_pending_sends(view, &sends);
    pair_equal(view, &sends, &records);
    records.count = 0;
    for (uint32_t i = 0; i < view->n_ops; i++)
        if (view->ops[i].queue == JV_RECEIVES && view->ops[i].status != JV_PENDING &&
            envelope_of_taken(view, i, &envelope))
            envelopes_add(&records, envelope);
    gather_pending_sends(view, &sends);
    pair_equal(view, &sends, &records);
    gather_messages(view, messages);
    free(sends.items);
    free(records.items);
}
