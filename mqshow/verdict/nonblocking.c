// SPDX-License-Identifier: BSD-3-Clause
// Nonblocking collectives: which processes have begun each, and whom it waits for in each of them.
#include "mqshow/base/alloc.h"
#include "mqshow/base/search.h"
#include "mqshow/verdict/wait_graph.h"

#include <stdlib.h>
#include <string.h>

enum {
    FAR = 0xffffffff,
    ANY_MAX = 64 // collectives that one may be
};

static int
compare(const void *left, const void *right)
{
    const struct nonblocking *a = left, *b = right;
    return COMPARE({a->comm, b->comm}, {a->sequence, b->sequence}, {a->process, b->process});
}

static int
compare_requests(const void *left, const void *right, void *context)
{
    const struct nonblocking *items = context;
    const struct nonblocking *a = &items[*(const uint32_t *) left];
    const struct nonblocking *b = &items[*(const uint32_t *) right];
    return a->process != b->process ? (a->process > b->process) - (a->process < b->process)
                                    : (a->record->request > b->record->request) -
                                          (a->record->request < b->record->request);
}

/** The number that stands for both sides of an intercommunicator. */
static uint32_t
both_sides(const struct job_index *job, uint32_t comm)
{
    int32_t peers = job->comms[comm].peers;
    return peers != NOBODY && (uint32_t) peers < comm ? (uint32_t) peers : comm;
}

static void
collect(struct nonblockings *all, const struct job_index *job)
{
    for (uint32_t i = 0; i < job->n_members; i++) {
        const struct job_member *member = &job->members[i];
        for (size_t k = 0; member->record && k < member->record->nonblocking.count; k++) {
            const struct nonblocking_record *record = &member->record->nonblocking.items[k];
            if (!HAS(record, NONBLOCKING_SEQUENCE) && !HAS(record, NONBLOCKING_REQUEST))
                continue;
            *ALLOC_ADD(all->items, all->count, all->capacity) = (struct nonblocking){
                .comm = both_sides(job, member->comm),
                .sequence = HAS(record, NONBLOCKING_SEQUENCE) ? record->sequence : UNKNOWN,
                .process = member->process,
                .member = i,
                .record = record,
                .distance = FAR,
                .unknown = !HAS(record, NONBLOCKING_SEQUENCE) || record->peers.count == 0,
            };
        }
    }
    if (all->count > 0)
        qsort(all->items, all->count, sizeof *all->items, compare);
}

static void
sort_requests(struct nonblockings *all)
{
    all->by_request = alloc_zeroed(all->count, sizeof *all->by_request);
    for (uint32_t i = 0; i < all->count; i++)
        if (HAS(all->items[i].record, NONBLOCKING_REQUEST))
            all->by_request[all->n_requests++] = i;
    qsort_r(all->by_request, all->n_requests, sizeof *all->by_request, compare_requests,
            all->items);
}

/** What a peer of a collective has done of it. */
enum part {
    PART_MISSING, // it has not begun
    PART_BEGUN,   // it is not complete there
    PART_DONE,    // its messages are there or on their way
    PART_UNKNOWN
};

/** Whether a process that has given up its communicators has not sent its part of a collective: one
 * in MPI_Finalize begins none any more, and what it has sent would long be there. */
static bool
has_left_out(const struct job_index *job, const struct nonblocking *of, uint32_t process)
{
    bool is_late = job->processes[of->process].settled && of->record->unmatched;
    return job_index_is_halted(&job->processes[process]) ||
           (job_index_is_out(&job->processes[process]) && is_late && !of->record->persistent);
}

/** @param ret_process of the peer; NOBODY: it was not read
 * @param ret_own the same collective in it, where it is begun */
static enum part
part_of(const struct nonblockings *all, const struct job_index *job, const struct nonblocking *of,
        int64_t peer, int32_t *ret_process, struct nonblocking **ret_own)
{
    const struct job_member *own = &job->members[of->member];
    const struct job_member *member = job_index_member(job, job->comms[own->comm].peers, peer);
    *ret_process = member ? (int32_t) member->process : NOBODY;
    if (!member)
        return PART_UNKNOWN;
    const struct nonblocking key = {
        .comm = of->comm, .sequence = of->sequence, .process = member->process};
    *ret_own = bsearch(&key, all->items, all->count, sizeof key, compare);
    if (*ret_own)
        return PART_BEGUN;
    if (!member->record)
        return has_left_out(job, of, member->process) ? PART_MISSING : PART_UNKNOWN;
    if (!HAS(member->record, COMM_NEXT_NONBLOCKING) || of->record->persistent)
        return PART_UNKNOWN;
    return member->record->next_nonblocking > of->sequence ? PART_DONE : PART_MISSING;
}

/** Somebody who goes on only when a process does, or another collective. */
typedef void (*take_part_ft)(void *context, enum part part, int32_t process,
                             struct nonblocking *own);

static void
each_part(const struct nonblockings *all, const struct job_index *job, const struct nonblocking *of,
          take_part_ft take, void *context)
{
    for (size_t i = 0; i < of->record->peers.count; i++) {
        int32_t process;
        struct nonblocking *own = NULL;
        enum part part = part_of(all, job, of, of->record->peers.items[i], &process, &own);
        take(context, part, process, own);
    }
}

/** Whether a process holds others up in a collective that it has begun: it does nothing more. */
static bool
is_stuck(const struct job_index *job, int32_t process)
{
    return job_index_is_halted(&job->processes[process]);
}

/** A step of the search from those that wait for somebody who has not begun, to those that wait for
 * them. */
struct step {
    const struct job_index *job;
    struct nonblocking *of;
    uint32_t distance;
    struct edges {
        struct edge *items;
        size_t count, capacity;
    } * edges; // from a collective to one that it waits for
    struct nonblockings *all;
};

static void
note_part(void *context, enum part part, int32_t process, struct nonblocking *own)
{
    struct step *step = context;
    if (part == PART_MISSING || (part == PART_BEGUN && is_stuck(step->job, process)))
        step->of->distance = 0;
    else if (part == PART_BEGUN)
        *ALLOC_ADD(step->edges->items, step->edges->count, step->edges->capacity) = (struct edge){
            (uint32_t) (step->of - step->all->items), (uint32_t) (own - step->all->items)};
    else if (part == PART_UNKNOWN)
        step->of->unknown = true;
}

/** Finds how far each one is from somebody who has not begun it, in linear time. */
static void
find_distances(struct nonblockings *all, const struct job_index *job)
{
    struct edges edges = {.items = NULL};
    struct by_key waiters;
    uint32_t *queue = alloc_zeroed(all->count, sizeof *queue);
    size_t end = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        struct step step = {job, &all->items[i], 0, &edges, all};
        each_part(all, job, &all->items[i], note_part, &step);
        if (all->items[i].distance == 0)
            queue[end++] = i;
    }
    by_key_init(&waiters, edges.items, sizeof *edges.items, offsetof(struct edge, to), edges.count,
                all->count);
    for (size_t next = 0; next < end; next++) {
        for (uint32_t i = waiters.first[queue[next]]; i < waiters.first[queue[next] + 1]; i++) {
            struct nonblocking *from = &all->items[edges.items[waiters.items[i]].from];
            if (from->distance != FAR)
                continue;
            from->distance = all->items[queue[next]].distance + 1;
            queue[end++] = (uint32_t) (from - all->items);
        }
    }
    by_key_deinit(&waiters);
    free(edges.items);
    free(queue);
}

struct connecting {
    struct waits *waits;
    const struct nonblocking *of;
};

bool
nonblocking_is_unmatched(const struct nonblocking *item)
{
    // Of a persistent one it may be a message of its next turn.
    return item->distance == FAR && !item->unknown && item->record->unmatched &&
           !item->record->persistent;
}

/** It waits for all of them; those that are nearer to somebody who has not begun are enough to know
 * that, and wait for no other one in a circle. */
static void
connect_part(void *context, enum part part, int32_t process, struct nonblocking *own)
{
    const struct connecting *connecting = context;
    struct graph *graph = &connecting->waits->graph;
    if (part == PART_MISSING || (part == PART_BEGUN && is_stuck(connecting->waits->job, process)))
        graph_connect(graph, connecting->of->node, (uint32_t) process);
    else if (part == PART_BEGUN && own->distance < connecting->of->distance)
        graph_connect(graph, connecting->of->node, own->node);
    else if (nonblocking_is_unmatched(connecting->of))
        graph_connect(graph, connecting->of->node,
                      part == PART_BEGUN ? own->part : (uint32_t) process);
}

/** Whether one of two members is known, and not the other. */
static bool
is_only(const struct nonblocking_record *record, unsigned known, unsigned other)
{
    return (record->has >> known & 1) != 0 && (record->has >> other & 1) == 0;
}

/** Of which it is only known that it is one of those of a communicator: it waits for any of them.
 */
static void
connect_any(const struct nonblockings *all, struct waits *waits, const struct nonblocking *of)
{
    const struct communicator *comm = waits->job->members[of->member].record;
    size_t requests = 0, others = 0;
    for (size_t i = 0; i < comm->nonblocking.count; i++) {
        const struct nonblocking_record *record = &comm->nonblocking.items[i];
        requests += is_only(record, NONBLOCKING_REQUEST, NONBLOCKING_SEQUENCE);
        others += is_only(record, NONBLOCKING_SEQUENCE, NONBLOCKING_REQUEST);
    }
    if (requests != others || requests > ANY_MAX)
        return;
    waits->graph.nodes[of->node].any = true;
    waits->graph.nodes[of->node].state = NODE_WAITS;
    for (size_t i = 0; i < comm->nonblocking.count; i++) {
        const struct nonblocking_record *record = &comm->nonblocking.items[i];
        const struct nonblocking key = {
            .comm = of->comm, .sequence = record->sequence, .process = of->process};
        const struct nonblocking *other =
            is_only(record, NONBLOCKING_SEQUENCE, NONBLOCKING_REQUEST)
                ? bsearch(&key, all->items, all->count, sizeof key, compare)
                : NULL;
        if (other)
            graph_connect(&waits->graph, of->node, other->node);
    }
}

static void
add_nodes(struct nonblocking *item, uint32_t number, struct graph *graph)
{
    item->node = graph_add(graph, WHAT_NONBLOCKING, number, nonblocking_is_unmatched(item));
    if (item->distance == FAR && !nonblocking_is_unmatched(item))
        graph->nodes[item->node].state = item->unknown ? NODE_UNKNOWN : NODE_RUNNABLE;
    item->part = graph_add(graph, WHAT_PART, number, true);
    graph_connect(graph, item->part, item->process);
    graph_connect(graph, item->part, item->node);
}

void
nonblockings_init(struct nonblockings *all, struct waits *waits)
{
    *all = (struct nonblockings){.items = NULL};
    collect(all, waits->job);
    sort_requests(all);
    find_distances(all, waits->job);
    for (uint32_t i = 0; i < all->count; i++)
        add_nodes(&all->items[i], i, &waits->graph);
    for (uint32_t i = 0; i < all->count; i++) {
        struct connecting connecting = {waits, &all->items[i]};
        each_part(all, waits->job, &all->items[i], connect_part, &connecting);
        if (all->items[i].sequence == UNKNOWN)
            connect_any(all, waits, &all->items[i]);
    }
}

void
nonblockings_deinit(struct nonblockings *all)
{
    free(all->items);
    free(all->by_request);
}

const struct nonblocking *
nonblocking_of_request(const struct nonblockings *all, uint32_t process, uint64_t request)
{
    size_t low = 0, high = all->n_requests;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct nonblocking *at = &all->items[all->by_request[middle]];
        if (at->process == process && at->record->request == request)
            return at;
        if (at->process < process || (at->process == process && at->record->request < request))
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

struct targets {
    const struct job_index *job;
    const struct nonblocking *of, *next;
    uint32_t *items;
    size_t count;
};

static void
take_target(void *context, enum part part, int32_t process, struct nonblocking *own)
{
    struct targets *targets = context;
    bool missing = part == PART_MISSING || (part == PART_BEGUN && is_stuck(targets->job, process));
    for (size_t i = 0; i < targets->count && missing; i++)
        missing = targets->items[i] != (uint32_t) process;
    if (missing && targets->count < NONBLOCKING_TARGETS)
        targets->items[targets->count++] = (uint32_t) process;
    else if (part == PART_BEGUN && own->distance < targets->of->distance)
        targets->next = own;
}

size_t
nonblocking_targets(const struct waits *waits, const struct nonblocking *of, uint32_t *ret)
{
    struct targets targets = {.job = waits->job, .next = of, .items = ret};
    while (targets.next && targets.count == 0 && of->distance != FAR) {
        targets.of = targets.next;
        targets.next = NULL;
        each_part(&waits->nonblockings, waits->job, targets.of, take_target, &targets);
    }
    return targets.count;
}
