// SPDX-License-Identifier: BSD-3-Clause
// Sends, unexpected messages and receives put together as MPI would match them.
#include "mqshow/base/alloc.h"
#include "mqshow/base/search.h"
#include "mqshow/verdict/job_index.h"

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
    uint32_t taken; // of receives with equal envelopes, in the first: how many have a message
};

struct envelopes {
    struct envelope_of *items;
    size_t count, capacity;
};

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

/** What is put together. */
enum gathered {
    SENDS,    // pending ones that no receiver has a record of, as far as is known
    MESSAGES, // unexpected ones
    TAKEN,    // what receives have taken already
    RECEIVES, // pending ones
    PROBES
};

/** The envelope of an operation, of a send as its receiver knows it. @return whether it is one of
 * these, and enough of it is known */
static bool
envelope_of(const struct job_index *job, uint32_t number, enum gathered what,
            struct envelope_of *ret)
{
    const struct job_op *op = &job->ops[number];
    const struct job_member *member = &job->members[op->member];
    *ret = (struct envelope_of){op->comm, op->process, op->peer, op->tag, 0, op->order, number, 0};
    if (what == SENDS) {
        int32_t peers = job->comms[op->comm].peers;
        ret->stage = 2; // behind what has arrived
        ret->comm = (uint32_t) peers;
        ret->to = (uint32_t) op->partner;
        ret->from = (int32_t) member->local_rank;
        return op->queue == JOB_SENDS && op->status == mqs_st_pending && op->match == NOBODY &&
               op->partner != NOBODY && peers != NOBODY && member->local_rank >= 0;
    }
    if (what == MESSAGES) {
        ret->stage = op->eager;
        return op->queue == JOB_UNEXPECTED;
    }
    if (op->queue != JOB_RECEIVES || (op->status == mqs_st_pending) != (what != TAKEN))
        return false;
    if (what == TAKEN) {
        const struct envelope_record *actual =
            operations_actual(job_index_operations(job, op), op->record);
        ret->from = actual && HAS(actual, ENVELOPE_PEER) ? actual->peer : UNKNOWN;
        ret->tag = actual && HAS(actual, ENVELOPE_TAG) ? actual->tag : UNKNOWN;
        return ret->from >= 0 && ret->tag >= 0;
    }
    return op->peer != UNKNOWN && op->tag != UNKNOWN && op->probe == (what == PROBES);
}

static void
gather(const struct job_index *job, enum gathered what, struct envelopes *envelopes)
{
    struct envelope_of envelope;
    for (uint32_t i = 0; i < job->n_ops; i++)
        if (envelope_of(job, i, what, &envelope))
            *ALLOC_ADD(envelopes->items, envelopes->count, envelopes->capacity) = envelope;
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
pair_equal(struct job_index *job, enum gathered what)
{
    struct envelopes sends = {.items = NULL}, records = {.items = NULL};
    gather(job, SENDS, &sends);
    gather(job, what, &records);
    envelopes_sort(&sends);
    envelopes_sort(&records);
    for (size_t s = 0, r = 0; s < sends.count && r < records.count;) {
        int order = envelopes_compare(&sends.items[s], &records.items[r]);
        if (order == 0 &&
            have_equal_bytes(job, &job->ops[sends.items[s].op], &job->ops[records.items[r].op])) {
            pair(job, sends.items[s++].op, records.items[r++].op);
        } else if (order < 0) {
            s++;
        } else {
            r++;
        }
    }
    free(sends.items);
    free(records.items);
}

// Which pending receives will take which messages, in the order in which MPI would match them.

/** The first of the receives with this envelope that has taken nothing yet, wildcards included;
 * NULL: there is none. Of equal ones, the first knows how many have taken one. */
static struct envelope_of *
find_equal(const struct envelopes *receives, const struct envelope_of *wanted)
{
    size_t at =
        search_first(wanted, receives->items, receives->count, sizeof *wanted, envelopes_compare);
    struct envelope_of *first = at < receives->count ? &receives->items[at] : NULL;
    return first && at + first->taken < receives->count &&
                   envelopes_compare(wanted, first + first->taken) == 0
               ? first
               : NULL;
}

/** The operation of the receive that was posted first of those that match, which takes the message;
 * NOBODY: none. */
static int32_t
take_receive(const struct envelopes *receives, const struct envelope_of *message)
{
    struct envelope_of *best = NULL;
    for (int wild = 0; wild < 4; wild++) {
        struct envelope_of wanted = *message;
        wanted.from = (wild & 1) != 0 ? ANY : message->from;
        wanted.tag = (wild & 2) != 0 ? ANY : message->tag;
        struct envelope_of *found = find_equal(receives, &wanted);
        if (found && (!best || found[found->taken].order < best[best->taken].order))
            best = found;
    }
    return best ? (int32_t) best[best->taken++].op : NOBODY;
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
match_receives(struct job_index *job)
{
    struct envelopes messages = {.items = NULL}, receives = {.items = NULL};
    gather(job, SENDS, &messages);
    gather(job, MESSAGES, &messages);
    if (messages.count > 0) {
        gather(job, RECEIVES, &receives);
        envelopes_sort(&receives);
        qsort(messages.items, messages.count, sizeof *messages.items, compare_times);
    }
    for (size_t i = 0; i < messages.count; i++) {
        int32_t receive = take_receive(&receives, &messages.items[i]);
        if (receive != NOBODY)
            take_message(job, (uint32_t) receive, messages.items[i].op);
    }
    receives.count = 0;
    gather(job, PROBES, &receives);
    if (receives.count > 0)
        envelopes_sort(&messages);
    for (size_t i = 0; i < receives.count; i++)
        if (finds(&messages, &receives.items[i]))
            job->ops[receives.items[i].op].fate = JOB_RUNNABLE;
    free(receives.items);
    free(messages.items);
}

// Whether messages are on their way between two processes, as the numbers of messages sent and
// received tell. Two samples at different times will do: a process that is seen to wait for a
// message goes on waiting as long as no more are sent than it has received.

enum traffic {
    TRAFFIC_UNKNOWN, // not both have such numbers
    TRAFFIC_NONE,    // all that was sent has arrived
    TRAFFIC_MOVING,  // some have not
    TRAFFIC_AHEAD    // the receiver was read later, and has received what was sent meanwhile
};

/** A communicator, a sender and a receiver, and what they have counted. */
struct channel {
    uint32_t comm; // of the receiver
    uint32_t to, from;
    int64_t sent, received;
};

struct channels {
    const struct job_index *job;
    struct channel *items; // by communicator, receiver, sender
    size_t count, capacity;
    bool *whole; // by communicator: all members have such numbers
};

static int
compare_channels(const void *left, const void *right)
{
    const struct channel *a = left, *b = right;
    return COMPARE({a->comm, b->comm}, {a->to, b->to}, {a->from, b->from});
}

/** Adds what a process has counted: what it sent, to the peers' side, and what it received. */
static void
add_counts(struct channels *channels, const struct job_member *member)
{
    const struct job_index *job = channels->job;
    int32_t peers = job->comms[member->comm].peers;
    for (size_t i = 0; member->record && i < member->record->traffic.count; i++) {
        const struct peer_traffic *entry = &member->record->traffic.items[i];
        const struct job_place *found =
            job_index_place(job, job->comms[member->comm].world, entry->rank);
        if (!found || peers == NOBODY)
            continue;
        *ALLOC_ADD(channels->items, channels->count, channels->capacity) = (struct channel){
            (uint32_t) peers, found->process, member->process, entry->sent % TRAFFIC_MODULO, 0};
        *ALLOC_ADD(channels->items, channels->count, channels->capacity) = (struct channel){
            member->comm, member->process, found->process, 0, entry->received % TRAFFIC_MODULO};
    }
}

/** Puts what the two ends have counted together. */
static void
join(struct channels *channels)
{
    size_t kept = 0;
    if (channels->count > 0)
        qsort(channels->items, channels->count, sizeof *channels->items, compare_channels);
    for (size_t i = 0; i < channels->count; i++) {
        struct channel *item = &channels->items[i];
        if (kept > 0 && compare_channels(&channels->items[kept - 1], item) == 0) {
            channels->items[kept - 1].sent += item->sent;
            channels->items[kept - 1].received += item->received;
        } else {
            channels->items[kept++] = *item;
        }
    }
    channels->count = kept;
}

static void
channels_init(struct channels *channels, const struct job_index *job)
{
    *channels = (struct channels){.job = job};
    channels->whole = alloc_zeroed(job->n_comms, sizeof *channels->whole);
    for (uint32_t i = 0; i < job->n_comms; i++)
        channels->whole[i] = job_index_not_seen(&job->comms[i]) == 0;
    for (size_t i = 0; i < job->n_members; i++) {
        channels->whole[job->members[i].comm] &= job->members[i].has_traffic;
        add_counts(channels, &job->members[i]);
    }
    join(channels);
}

/** The numbers are far from each other only when the one that counts less was read earlier. */
static enum traffic
compare_counts(const struct channel *channel)
{
    int64_t ahead = (channel->sent - channel->received) & (TRAFFIC_MODULO - 1);
    if (ahead == 0)
        return TRAFFIC_NONE;
    return ahead < TRAFFIC_MODULO / 2 ? TRAFFIC_MOVING : TRAFFIC_AHEAD;
}

static size_t
find(const struct channels *channels, const struct channel *wanted)
{
    return search_first(wanted, channels->items, channels->count, sizeof *wanted, compare_channels);
}

static enum traffic
ask_any(const struct channels *channels, uint32_t comm, uint32_t to)
{
    int32_t peers = channels->job->comms[comm].peers;
    size_t i = find(channels, &(struct channel){.comm = comm, .to = to});
    for (; i < channels->count && channels->items[i].comm == comm && channels->items[i].to == to;
         i++)
        if (compare_counts(&channels->items[i]) != TRAFFIC_NONE)
            return TRAFFIC_MOVING;
    bool known = channels->whole[comm] && peers != NOBODY && channels->whole[peers];
    return known ? TRAFFIC_NONE : TRAFFIC_UNKNOWN;
}

/** Whether messages are on their way to a member of a communicator.
 * @param from one of the peers; NULL: any of them */
static enum traffic
channels_ask(const struct channels *channels, const struct job_member *to,
             const struct job_member *from)
{
    if (!from)
        return ask_any(channels, to->comm, to->process);
    if (!to->has_traffic || !from->has_traffic)
        return TRAFFIC_UNKNOWN;
    struct channel wanted = {to->comm, to->process, from->process, 0, 0};
    size_t i = find(channels, &wanted);
    bool found = i < channels->count && compare_channels(&channels->items[i], &wanted) == 0;
    return found ? compare_counts(&channels->items[i]) : TRAFFIC_NONE;
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
    if (op->status != mqs_st_pending)
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
        return op->status == mqs_st_pending && !op->buffered;
    if (op->queue != JOB_RECEIVES || op->status == mqs_st_complete)
        return false;
    const struct job_op *message = op->match != NOBODY ? &job->ops[op->match] : NULL;
    // What has long been on its way never left, or the receiver would have it.
    bool is_late = !message && op->status == mqs_st_pending && job->processes[op->process].settled;
    return op->status == mqs_st_matched || is_late || (message && message->record->rendezvous);
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
match_all(struct job_index *job)
{
    struct channels channels;
    channels_init(&channels, job);
    pair_equal(job, MESSAGES);
    pair_equal(job, TAKEN);
    match_receives(job);
    for (size_t i = 0; i < job->n_ops; i++) {
        judge(job, &channels, &job->ops[i]);
        judge_partner(job, &job->ops[i]);
    }
    free(channels.items);
    free(channels.whole);
}
