// SPDX-License-Identifier: BSD-3-Clause
// Which pending receives will take which messages, in the order in which MPI would match them.
#include "mqshow/base/alloc.h"
#include "mqshow/base/search.h"
#include "mqshow/verdict/match.h"

#include <stdlib.h>

/** Receives with equal envelopes, wildcards included, in the order in which they were posted. */
struct bucket {
    struct envelope_of envelope;
    uint32_t next, end; // of those that have taken nothing yet
};

struct buckets {
    struct envelopes receives;
    struct bucket *items;
    size_t count, capacity;
};

static bool
is_matchable(const struct jv_op *op)
{
    return op->queue == JV_RECEIVES && op->status == JV_PENDING && op->peer != UNKNOWN &&
           op->tag != UNKNOWN;
}

static void
gather_receives(const struct jobview *view, struct envelopes *receives, bool probes)
{
    for (uint32_t i = 0; i < view->n_ops; i++) {
        const struct jv_op *op = &view->ops[i];
        if (is_matchable(op) && op->probe == probes)
            envelopes_add(receives, (struct envelope_of){op->comm, op->process, op->peer, op->tag,
                                                         0, op->order, i});
    }
    envelopes_sort(receives);
}

static void
make_buckets(struct buckets *buckets)
{
    const struct envelopes *receives = &buckets->receives;
    for (size_t first = 0, end; first < receives->count; first = end) {
        end = search_end(receives->items, receives->count, sizeof *receives->items, first,
                         envelopes_compare);
        *ALLOC_ADD(buckets->items, buckets->count, buckets->capacity) =
            (struct bucket){receives->items[first], (uint32_t) first, (uint32_t) end};
    }
}

/** The receives with this envelope; NULL: there are none. */
static struct bucket *
find_bucket(const struct buckets *buckets, const struct envelope_of *envelope)
{
    size_t at = search_first(envelope, buckets->items, buckets->count, sizeof *buckets->items,
                             envelopes_compare);
    return at < buckets->count && envelopes_compare(envelope, &buckets->items[at]) == 0
               ? &buckets->items[at]
               : NULL;
}

/** The receive that was posted first of those that match; NULL: none. */
static struct bucket *
find_receive(const struct buckets *buckets, const struct envelope_of *message)
{
    struct bucket *best = NULL;
    for (int wild = 0; wild < 4; wild++) {
        struct envelope_of wanted = *message;
        wanted.from = (wild & 1) != 0 ? ANY : message->from;
        wanted.tag = (wild & 2) != 0 ? ANY : message->tag;
        struct bucket *found = find_bucket(buckets, &wanted);
        if (found == NULL || found->next == found->end)
            continue;
        if (best == NULL ||
            buckets->receives.items[found->next].order < buckets->receives.items[best->next].order)
            best = found;
    }
    return best;
}

/** Notes that a receive takes a message, and with it the send that is the same message. */
static void
take(struct jobview *view, uint32_t receive, uint32_t message)
{
    struct jv_op *to = &view->ops[receive], *from = &view->ops[message];
    bool unexpected = from->queue == JV_UNEXPECTED;
    to->match = (int32_t) message;
    to->fate = JV_GOES_ON;
    from->fate = JV_GOES_ON;
    // A send that is in no queue of the receiver may have been received by an earlier receive.
    bool is_there = unexpected || (view->processes[to->process].settled &&
                                   view->processes[from->process].settled);
    to->too_long = is_there && jobview_bytes(to) >= 0 && jobview_bytes(from) > jobview_bytes(to);
    if (unexpected && from->paired)
        view->ops[from->match].fate = JV_GOES_ON;
    else
        from->match = (int32_t) receive;
    from->too_long = to->too_long;
}

/** In the order in which each sender sent: what has arrived, then what is on its way. */
static int
compare_times(const void *left, const void *right)
{
    const struct envelope_of *a = left, *b = right;
    return COMPARE({a->comm, b->comm}, {a->to, b->to}, {a->from, b->from},
                   {a->stage > 1, b->stage > 1}, {a->order, b->order}, {a->op, b->op});
}

/** Whether a probe finds a message. They are in the order of envelopes_sort(). */
static bool
finds(const struct envelopes *messages, const struct envelope_of *probe)
{
    struct envelope_of wanted = *probe;
    wanted.from = probe->from == ANY ? INT32_MIN : probe->from;
    wanted.tag = probe->tag == ANY || probe->from == ANY ? INT32_MIN : probe->tag;
    for (size_t i = search_first(&wanted, messages->items, messages->count, sizeof wanted,
                                 envelopes_compare);
         i < messages->count; i++) {
        const struct envelope_of *message = &messages->items[i];
        if (message->comm != probe->comm || message->to != probe->to)
            return false;
        if ((probe->from == ANY || probe->from == message->from) &&
            (probe->tag == ANY || probe->tag == message->tag))
            return true;
        if (probe->from != ANY && probe->from != message->from)
            return false;
    }
    return false;
}

static void
match_probes(struct jobview *view, struct envelopes *messages)
{
    struct envelopes probes = {.items = NULL};
    gather_receives(view, &probes, true);
    if (probes.count > 0)
        envelopes_sort(messages);
    for (size_t i = 0; i < probes.count; i++)
        if (finds(messages, &probes.items[i]))
            view->ops[probes.items[i].op].fate = JV_GOES_ON;
    free(probes.items);
}

void
match_receives(struct jobview *view, struct envelopes *messages)
{
    struct buckets buckets = {.items = NULL};
    if (messages->count > 0) {
        gather_receives(view, &buckets.receives, false);
        make_buckets(&buckets);
        qsort(messages->items, messages->count, sizeof *messages->items, compare_times);
    }
    for (size_t i = 0; i < messages->count; i++) {
        struct bucket *bucket = find_receive(&buckets, &messages->items[i]);
        if (bucket != NULL)
            take(view, buckets.receives.items[bucket->next++].op, messages->items[i].op);
    }
    match_probes(view, messages);
    free(buckets.receives.items);
    free(buckets.items);
}
