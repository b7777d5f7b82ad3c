// SPDX-License-Identifier: BSD-3-Clause
// What can be said of each operation: it goes on, or it waits, and how sure that is.
#include "mqshow/verdict/match.h"

#include <stdlib.h>

static const struct jv_member *
partner_member(const struct jobview *view, const struct jv_op *op)
{
    return jobview_member(view, view->comms[op->comm].peers, op->peer);
}

/** A receive that no message is seen for. */
static void
judge_receive(const struct jobview *view, const struct channels *channels, struct jv_op *op)
{
    const struct jv_member *from = partner_member(view, op);
    if (op->peer != ANY && from == NULL)
        return; // whom it waits for was not looked at
    enum traffic traffic = channels_ask(channels, &view->members[op->member], from);
    op->certain = traffic == TRAFFIC_NONE;
    if (traffic == TRAFFIC_MOVING || traffic == TRAFFIC_AHEAD)
        op->fate = JV_GOES_ON;
}

/** A send that no receive is seen for. */
static void
judge_send(const struct jobview *view, const struct channels *channels, struct jv_op *op)
{
    const struct jv_member *to = partner_member(view, op);
    if (to == NULL)
        return;
    enum traffic traffic = channels_ask(channels, to, &view->members[op->member]);
    if (op->match != NOBODY) {
        const struct jv_op *record = &view->ops[op->match];
        // Matched already, or all of its data has arrived and nobody need be asked.
        if (record->queue == JV_RECEIVES || (record->eager && !op->synchronous))
            op->fate = JV_GOES_ON;
        // Otherwise the receiver may have taken this message and have got one like it.
        op->certain = traffic == TRAFFIC_NONE;
        return;
    }
    if (jobview_is_out(&view->processes[to->process])) {
        op->certain = true; // nobody will receive it
        return;
    }
    op->certain = traffic == TRAFFIC_MOVING;
    if (!jobview_knows_queue(to, JV_RECEIVES) || !jobview_knows_queue(to, JV_UNEXPECTED))
        op->fate = JV_DOUBTS;
    // It has arrived and is in no queue: it was received just now.
    else if (traffic == TRAFFIC_NONE || traffic == TRAFFIC_AHEAD)
        op->fate = JV_GOES_ON;
}

static void
judge(const struct jobview *view, const struct channels *channels, struct jv_op *op)
{
    if (op->status != JV_PENDING)
        op->fate = JV_GOES_ON;
    if (op->fate == JV_GOES_ON)
        return;
    if (op->peer == UNKNOWN || op->tag == UNKNOWN || view->comms[op->comm].twice)
        op->fate = JV_DOUBTS;
    else if (op->queue == JV_RECEIVES)
        judge_receive(view, channels, op);
    else if (op->queue == JV_SENDS)
        judge_send(view, channels, op);
}

/** Whether an operation is complete only when its partner does something. */
static bool
needs_partner(const struct jobview *view, const struct jv_op *op)
{
    if (op->queue == JV_SENDS)
        return op->status == JV_PENDING && !op->buffered;
    if (op->queue != JV_RECEIVES || op->status == JV_COMPLETE)
        return false;
    const struct jv_op *message = op->match != NOBODY ? &view->ops[op->match] : NULL;
    return op->status == JV_MATCHED || (message != NULL && message->rendezvous);
}

/** What has met its match does not go on when the process on the other side is stopped or dead. */
static void
judge_partner(const struct jobview *view, struct jv_op *op)
{
    if (op->fate == JV_GOES_ON && op->partner != NOBODY &&
        jobview_is_halted(&view->processes[op->partner]) && needs_partner(view, op)) {
        op->fate = JV_WAITS;
        op->certain = true;
    }
}

void
match_all(struct jobview *view, const struct channels *channels)
{
    struct envelopes messages = {.items = NULL};
    match_records(view, &messages);
    match_receives(view, &messages);
    for (size_t i = 0; i < view->n_ops; i++) {
        judge(view, channels, &view->ops[i]);
        judge_partner(view, &view->ops[i]);
    }
    free(messages.items);
}
