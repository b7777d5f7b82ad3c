// SPDX-License-Identifier: BSD-3-Clause
// Operations that never matched, and those that nearly match them.
#include "mqshow/verdict/near.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/search.h"

#include <stdlib.h>

enum { TRIED_MAX = 64 }; // operations that one is compared with

const char NEAR_TAG[] = "other tag", NEAR_COMMUNICATOR[] = "other communicator",
           NEAR_RANK[] = "other rank", NEAR_LENGTH[] = "message longer than the receive";

bool
near_is_unmatched(const struct job_op *op)
{
    if (op->status != mqs_st_pending || (op->queue == JOB_UNEXPECTED && op->paired))
        return false;
    return op->fate != JOB_RUNNABLE || op->too_long;
}

int
near_rate(const struct near *near)
{
    static const char *const order[NEAR_RATES] = {NEAR_TAG, NEAR_COMMUNICATOR, NEAR_LENGTH,
                                                  NEAR_RANK};
    int rate = 0;
    while (rate < NEAR_RATES - 1 && near->why != order[rate])
        rate++;
    return rate;
}

/** The process that sent a message; NOBODY: not read. */
static int32_t
sender_of(const struct job_op *message)
{
    return message->queue == JOB_SENDS ? (int32_t) message->process : message->partner;
}

/** What keeps them from matching; NULL: nothing, more than one thing, or not known. */
static const char *
judge(const struct job_index *job, const struct job_op *receive, const struct job_op *message)
{
    if (receive->peer == UNKNOWN || receive->tag == UNKNOWN || message->tag == UNKNOWN ||
        (message->queue != JOB_SENDS && message->peer == UNKNOWN))
        return NULL;
    int32_t sent_on =
        message->queue == JOB_SENDS ? job->comms[receive->comm].peers : (int32_t) receive->comm;
    int32_t sender = sender_of(message);
    bool same_comm = sent_on == (int32_t) message->comm;
    bool same_rank = receive->peer == ANY || (sender != NOBODY && receive->partner == sender);
    bool same_tag = receive->tag == ANY || receive->tag == message->tag;
    if (same_comm + same_rank + same_tag != 2)
        return NULL;
    return !same_tag ? NEAR_TAG : !same_rank ? NEAR_RANK : NEAR_COMMUNICATOR;
}

static int
compare(const void *left, const void *right)
{
    const struct near_place *a = left, *b = right;
    return COMPARE({a->to, b->to}, {a->from, b->from}, {a->op, b->op});
}

/** Where an operation belongs. @return whether its receiver was read */
static bool
place_of(const struct job_index *job, uint32_t number, struct near_place *ret)
{
    const struct job_op *op = &job->ops[number];
    if (op->queue == JOB_SENDS)
        *ret = (struct near_place){(uint32_t) op->partner, number, (int32_t) op->process};
    else
        *ret = (struct near_place){op->process, number, op->partner};
    return op->queue != JOB_SENDS || op->partner != NOBODY;
}

void
near_init(struct near_search *search, const struct job_index *job)
{
    *search = (struct near_search){
        .job = job,
        .receives = alloc_zeroed(job->n_ops, sizeof *search->receives),
        .messages = alloc_zeroed(job->n_ops, sizeof *search->messages),
    };
    for (uint32_t i = 0; i < job->n_ops; i++) {
        struct near_place place;
        if (!near_is_unmatched(&job->ops[i]) || !place_of(job, i, &place))
            continue;
        if (job->ops[i].queue == JOB_RECEIVES)
            search->receives[search->n_receives++] = place;
        else
            search->messages[search->n_messages++] = place;
    }
    qsort(search->receives, search->n_receives, sizeof *search->receives, compare);
    qsort(search->messages, search->n_messages, sizeof *search->messages, compare);
}

void
near_deinit(struct near_search *search)
{
    free(search->receives);
    free(search->messages);
}

static bool
is_in(const struct near *items, size_t count, uint32_t op)
{
    for (size_t i = 0; i < count; i++)
        if (items[i].op == op)
            return true;
    return false;
}

/** Adds what nearly matches among the places from `start` on that have its receiver. */
static size_t
add(const struct near_search *search, uint32_t number, struct near_place start, struct near *ret,
    size_t count)
{
    const struct job_op *ops = search->job->ops;
    bool receive = ops[number].queue == JOB_RECEIVES;
    const struct near_place *places = receive ? search->messages : search->receives;
    size_t n_places = receive ? search->n_messages : search->n_receives;
    size_t first = search_first(&start, places, n_places, sizeof start, compare);
    for (size_t i = first; i < n_places && i < first + TRIED_MAX && count < NEAR_MAX; i++) {
        uint32_t other = places[i].op;
        if (places[i].to != start.to)
            break;
        const char *why =
            judge(search->job, &ops[receive ? number : other], &ops[receive ? other : number]);
        if (why && !is_in(ret, count, other))
            ret[count++] = (struct near){other, why};
    }
    return count;
}

size_t
near_find(const struct near_search *search, uint32_t number, struct near *ret)
{
    const struct job_op *op = &search->job->ops[number];
    struct near_place start;
    if (op->too_long && op->match != NOBODY) {
        *ret = (struct near){(uint32_t) op->match, NEAR_LENGTH};
        return 1;
    }
    if (!place_of(search->job, number, &start))
        return 0;
    // First with the same sender; then the others, those that take any sender in front of them.
    start.op = 0;
    size_t count = add(search, number, start, ret, 0);
    start.from = NOBODY;
    return add(search, number, start, ret, count);
}
