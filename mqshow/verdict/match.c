// SPDX-License-Identifier: BSD-3-Clause
// Sends, unexpected messages and receives put together as MPI would match them.
#include "mqshow/verdict/match.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/search.h"

#include <stdlib.h>

/** A message that is on its way or has arrived, or a receive: what is matched. */
struct envelope_of {
    uint32_t comm; // of the receiver
    uint32_t to;   // process
    int32_t from;  // rank among the peers; ANY
    int32_t tag;   // ANY
    int32_t stage; // what comes first
    uint32_t order;
    uint32_t op;
};

struct envelopes {
    struct envelope_of *items;
    size_t count, capacity;
};

static void
envelopes_add(struct envelopes *envelopes, struct envelope_of envelope)
{
    *ALLOC_ADD(envelopes->items, envelopes->count, envelopes->capacity) = envelope;
}

static int
envelopes_compare(const void *left, const void *right)
{
    const struct envelope_of *a = left, *b = right;
    return COMPARE({a->comm, b->comm}, {a->to, b->to}, {a->from, b->from}, {a->tag, b->tag});
}

static int
compare_stages(const void *left, const void *right)
{
    const struct envelope_of *a = left, *b = right;
    int order = envelopes_compare(a, b);
    return order != 0 ? order : COMPARE({a->stage, b->stage}, {a->order, b->order}, {a->op, b->op});
}

static void
envelopes_sort(struct envelopes *envelopes)
{
    if (envelopes->count > 0)
        qsort(envelopes->items, envelopes->count, sizeof *envelopes->items, compare_stages);
}

/** The envelope of a send as its receiver knows it. @return whether the receiver was read */
static bool
envelope_of_send(const struct job_index *job, uint32_t number, struct envelope_of *ret)
{
    const struct job_op *op = &job->ops[number];
    int32_t peers = job->comms[op->comm].peers;
    if (op->partner == NOBODY || peers == NOBODY || job->members[op->member].local_rank < 0)
        return false;
    *ret = (struct envelope_of){(uint32_t) peers,
                                (uint32_t) op->partner,
                                (int32_t) job->members[op->member].local_rank,
                                op->tag,
                                0,
                                op->order,
                                number};
    return true;
}

static struct envelope_of
envelope_of_message(const struct job_index *job, uint32_t number)
{
    const struct job_op *op = &job->ops[number];
    return (struct envelope_of){op->comm,  op->process, op->peer, op->tag,
                                op->eager, op->order,   number};
}

/** What a receive has taken already. @return whether that is known */
static bool
envelope_of_taken(const struct job_index *job, uint32_t number, struct envelope_of *ret)
{
    const struct job_op *op = &job->ops[number];
    const struct envelope_record *actual =
        operations_actual(job_index_operations(job, op), op->record);
    *ret = (struct envelope_of){op->comm,
                                op->process,
                                actual && HAS(actual, ENVELOPE_PEER) ? actual->peer : UNKNOWN,
                                actual && HAS(actual, ENVELOPE_TAG) ? actual->tag : UNKNOWN,
                                0,
                                op->order,
                                number};
    return ret->from >= 0 && ret->tag >= 0;
}

static int64_t
bytes_of(const struct job_index *job, const struct job_op *op)
{
    if (op->queue != JOB_RECEIVES)
        return job_index_bytes(op);
    const struct envelope_record *actual =
        operations_actual(job_index_operations(job, op), op->record);
    return actual && HAS(actual, ENVELOPE_BYTES) && actual->bytes >= 0 ? actual->bytes : UNKNOWN;
}

static bool
have_equal_bytes(const struct job_index *job, const struct job_op *a, const struct job_op *b)
{
    int64_t one = bytes_of(job, a), other = bytes_of(job, b);
    return one == UNKNOWN || other == UNKNOWN || one == other;
}

/** Notes that a send and what the receiver has of it are one message. */
static void
pair(struct job_index *job, uint32_t send, uint32_t other)
{
    job->ops[send].match = (int32_t) other;
    job->ops[other].match = (int32_t) send;
    job->ops[other].paired = true;
}

/** Pairs the sends with the records of the receivers that have equal envelopes, in order. */
static void
pair_equal(struct job_index *job, struct envelopes *sends, struct envelopes *records)
{
    envelopes_sort(sends);
    envelopes_sort(records);
    for (size_t s = 0, r = 0; s < sends->count && r < records->count;) {
        int order = envelopes_compare(&sends->items[s], &records->items[r]);
        if (order == 0 &&
            have_equal_bytes(job, &job->ops[sends->items[s].op], &job->ops[records->items[r].op])) {
            pair(job, sends->items[s++].op, records->items[r++].op);
        } else if (order < 0) {
            s++;
        } else {
            r++;
        }
    }
}

static void
gather_pending_sends(const struct job_index *job, struct envelopes *sends)
{
    struct envelope_of envelope;
    sends->count = 0;
    for (uint32_t i = 0; i < job->n_ops; i++)
        if (job->ops[i].queue == JOB_SENDS && job->ops[i].status == JOB_PENDING &&
            job->ops[i].match == NOBODY && envelope_of_send(job, i, &envelope))
            envelopes_add(sends, envelope);
}

/** Messages that no receive has taken yet: those that have arrived first. */
static void
gather_messages(const struct job_index *job, struct envelopes *messages)
{
    gather_pending_sends(job, messages);
    for (size_t i = 0; i < messages->count; i++)
        messages->items[i].stage = 2;
    for (uint32_t i = 0; i < job->n_ops; i++)
        if (job->ops[i].queue == JOB_UNEXPECTED)
            envelopes_add(messages, envelope_of_message(job, i));
}

static void
match_records(struct job_index *job, struct envelopes *messages)
{
    struct envelopes sends = {.items = NULL}, records = {.items = NULL};
    struct envelope_of envelope;
    for (uint32_t i = 0; i < job->n_ops; i++)
        if (job->ops[i].queue == JOB_UNEXPECTED)
            envelopes_add(&records, envelope_of_message(job, i));
    gather_pending_sends(job, &sends);
    pair_equal(job, &sends, &records);
    records.count = 0;
    for (uint32_t i = 0; i < job->n_ops; i++)
        if (job->ops[i].queue == JOB_RECEIVES && job->ops[i].status != JOB_PENDING &&
            envelope_of_taken(job, i, &envelope))
            envelopes_add(&records, envelope);
    gather_pending_sends(job, &sends);
    pair_equal(job, &sends, &records);
    gather_messages(job, messages);
    free(sends.items);
    free(records.items);
}

// Which pending receives will take which messages, in the order in which MPI would match them.

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
is_matchable(const struct job_op *op)
{
    return op->queue == JOB_RECEIVES && op->status == JOB_PENDING && op->peer != UNKNOWN &&
           op->tag != UNKNOWN;
}

static void
gather_receives(const struct job_index *job, struct envelopes *receives, bool probes)
{
    for (uint32_t i = 0; i < job->n_ops; i++) {
        const struct job_op *op = &job->ops[i];
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
        if (!found || found->next == found->end)
            continue;
        if (!best ||
            buckets->receives.items[found->next].order < buckets->receives.items[best->next].order)
            best = found;
    }
    return best;
}

/** Notes that a receive takes a message, and with it the send that is the same message. */
static void
take_message(struct job_index *job, uint32_t receive, uint32_t message)
{
    struct job_op *to = &job->ops[receive], *from = &job->ops[message];
    bool unexpected = from->queue == JOB_UNEXPECTED;
    to->match = (int32_t) message;
    to->fate = JOB_RUNNABLE;
    from->fate = JOB_RUNNABLE;
    // A send that is in no queue of the receiver may have been received by an earlier receive.
    bool is_there = unexpected ||
                    (job->processes[to->process].settled && job->processes[from->process].settled);
    to->too_long =
        is_there && job_index_bytes(to) >= 0 && job_index_bytes(from) > job_index_bytes(to);
    if (unexpected && from->paired)
        job->ops[from->match].fate = JOB_RUNNABLE;
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
match_probes(struct job_index *job, struct envelopes *messages)
{
    struct envelopes probes = {.items = NULL};
    gather_receives(job, &probes, true);
    if (probes.count > 0)
        envelopes_sort(messages);
    for (size_t i = 0; i < probes.count; i++)
        if (finds(messages, &probes.items[i]))
            job->ops[probes.items[i].op].fate = JOB_RUNNABLE;
    free(probes.items);
}

static void
match_receives(struct job_index *job, struct envelopes *messages)
{
    struct buckets buckets = {.items = NULL};
    if (messages->count > 0) {
        gather_receives(job, &buckets.receives, false);
        make_buckets(&buckets);
        qsort(messages->items, messages->count, sizeof *messages->items, compare_times);
    }
    for (size_t i = 0; i < messages->count; i++) {
        struct bucket *bucket = find_receive(&buckets, &messages->items[i]);
        if (bucket)
            take_message(job, buckets.receives.items[bucket->next++].op, messages->items[i].op);
    }
    match_probes(job, messages);
    free(buckets.receives.items);
    free(buckets.items);
}

// What can be said of each operation: it goes on, or it waits, and how sure that is.

static const struct job_member *
partner_member(const struct job_index *job, const struct job_op *op)
{
    return job_index_member(job, job->comms[op->comm].peers, op->peer);
}

/** A receive that no message is seen for. */
static void
judge_receive(const struct job_index *job, const struct channels *channels, struct job_op *op)
{
    const struct job_member *from = partner_member(job, op);
    if (op->peer != ANY && !from)
        return; // whom it waits for was not read
    enum traffic traffic = channels_ask(channels, &job->members[op->member], from);
    op->certain = traffic == TRAFFIC_NONE;
    if (traffic == TRAFFIC_MOVING || traffic == TRAFFIC_AHEAD)
        op->fate = JOB_RUNNABLE;
}

/** A send that no receive is seen for. */
static void
judge_send(const struct job_index *job, const struct channels *channels, struct job_op *op)
{
    const struct job_member *to = partner_member(job, op);
    if (!to)
        return;
    enum traffic traffic = channels_ask(channels, to, &job->members[op->member]);
    if (op->match != NOBODY) {
        const struct job_op *record = &job->ops[op->match];
        // Matched already, or all of its data has arrived and nobody need be asked.
        if (record->queue == JOB_RECEIVES || (record->eager && !op->synchronous))
            op->fate = JOB_RUNNABLE;
        // Otherwise the receiver may have taken this message and have got one like it.
        op->certain = traffic == TRAFFIC_NONE;
        return;
    }
    if (job_index_is_out(&job->processes[to->process])) {
        op->certain = true; // nobody will receive it
        return;
    }
    op->certain = traffic == TRAFFIC_MOVING;
    if (!job_index_knows_queue(to, JOB_RECEIVES) || !job_index_knows_queue(to, JOB_UNEXPECTED))
        op->fate = JOB_UNKNOWN;
    // It has arrived and is in no queue: it was received just now.
    else if (traffic == TRAFFIC_NONE || traffic == TRAFFIC_AHEAD)
        op->fate = JOB_RUNNABLE;
}

static void
judge(const struct job_index *job, const struct channels *channels, struct job_op *op)
{
    if (op->status != JOB_PENDING)
        op->fate = JOB_RUNNABLE;
    if (op->fate == JOB_RUNNABLE)
        return;
    if (op->peer == UNKNOWN || op->tag == UNKNOWN || job->comms[op->comm].twice)
        op->fate = JOB_UNKNOWN;
    else if (op->queue == JOB_RECEIVES)
        judge_receive(job, channels, op);
    else if (op->queue == JOB_SENDS)
        judge_send(job, channels, op);
}

/** Whether an operation is complete only when its partner does something. */
static bool
needs_partner(const struct job_index *job, const struct job_op *op)
{
    if (op->queue == JOB_SENDS)
        return op->status == JOB_PENDING && !op->buffered;
    if (op->queue != JOB_RECEIVES || op->status == JOB_COMPLETE)
        return false;
    const struct job_op *message = op->match != NOBODY ? &job->ops[op->match] : NULL;
    return op->status == JOB_MATCHED || (message && message->rendezvous);
}

/** What has met its match does not go on when the process on the other side is stopped or dead. */
static void
judge_partner(const struct job_index *job, struct job_op *op)
{
    if (op->fate == JOB_RUNNABLE && op->partner != NOBODY &&
        job_index_is_halted(&job->processes[op->partner]) && needs_partner(job, op)) {
        op->fate = JOB_WAITS;
        op->certain = true;
    }
}

void
match_all(struct job_index *job, const struct channels *channels)
{
    struct envelopes messages = {.items = NULL};
    match_records(job, &messages);
    match_receives(job, &messages);
    for (size_t i = 0; i < job->n_ops; i++) {
        judge(job, channels, &job->ops[i]);
        judge_partner(job, &job->ops[i]);
    }
    free(messages.items);
}
