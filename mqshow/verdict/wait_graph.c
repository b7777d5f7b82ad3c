// SPDX-License-Identifier: BSD-3-Clause
// Who waits for whom: the graph of processes, threads, operations and collectives.
#include "mqshow/verdict/wait_graph.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/search.h"

#include <stdlib.h>
#include <string.h>

uint32_t
graph_add(struct graph *graph, uint32_t what, uint32_t number, bool any)
{
    *ALLOC_ADD(graph->nodes, graph->n_nodes, graph->nodes_capacity) =
        (struct node){.what = what, .number = number, .any = any};
    return (uint32_t) graph->n_nodes - 1;
}

void
graph_connect(struct graph *graph, uint32_t from, uint32_t to)
{
    *ALLOC_ADD(graph->edges, graph->n_edges, graph->edges_capacity) = (struct edge){from, to};
}

/** Puts the edges in order; afterwards nothing is added any more. */
static void
graph_complete(struct graph *graph)
{
    struct edge *sorted = alloc_zeroed(graph->n_edges, sizeof *sorted);
    struct by_key edges;
    by_key_init(&edges, graph->edges, sizeof *sorted, offsetof(struct edge, from), graph->n_edges,
                graph->n_nodes);
    for (size_t i = 0; i < graph->n_edges; i++)
        sorted[i] = graph->edges[edges.items[i]];
    for (size_t i = 0; i < graph->n_nodes; i++) {
        graph->nodes[i].first = edges.first[i];
        graph->nodes[i].count = edges.first[i + 1] - edges.first[i];
    }
    by_key_deinit(&edges);
    free(graph->edges);
    graph->edges = sorted;
}

/** Whether one node goes on as far as the other one is concerned: they are of different parts. */
static bool
is_apart(const uint32_t *parts, uint32_t to, uint32_t from)
{
    return parts && parts[to] != NO_COMPONENT && parts[to] != parts[from];
}

/** How many of the nodes that a node waits for must go on before it does; 0: it goes on whatever
 * the others do. */
static uint32_t
count_needed(const struct graph *graph, uint32_t number, unsigned goes_on, const uint32_t *parts)
{
    const struct node *node = &graph->nodes[number];
    uint32_t count = node->count;
    if (node->state == NODE_UNKNOWN)
        return (goes_on & GOES_ON_UNKNOWN) == 0;
    if (node->state != NODE_WAITS) // what rests frees nobody, though it waits for nobody
        return node->state == NODE_RESTS && (goes_on & GOES_ON_RESTS) == 0;
    for (uint32_t i = node->first; i < node->first + node->count && parts; i++)
        count -= is_apart(parts, graph->edges[i].to, number);
    bool is_freed = node->any && count < node->count;
    if (is_freed || (parts && parts[number] == NO_COMPONENT && count == 0))
        return 0;
    bool is_sure = !node->perhaps_all || (goes_on & GOES_ON_UNKNOWN) != 0;
    return node->any && (is_sure || count == 0) ? 1 : count;
}

void
graph_reduce(const struct graph *graph, unsigned goes_on, const uint32_t *parts, bool *ret)
{
    uint32_t *needed = alloc_zeroed(graph->n_nodes, sizeof *needed);
    uint32_t *queue = alloc_zeroed(graph->n_nodes, sizeof *queue);
    size_t end = 0;
    struct by_key waiters;
    by_key_init(&waiters, graph->edges, sizeof *graph->edges, offsetof(struct edge, to),
                graph->n_edges, graph->n_nodes);
    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        needed[i] = count_needed(graph, i, goes_on, parts);
        ret[i] = needed[i] > 0;
        if (!ret[i])
            queue[end++] = i;
    }
    for (size_t next = 0; next < end; next++) {
        uint32_t freed = queue[next];
        for (uint32_t i = waiters.first[freed]; i < waiters.first[freed + 1]; i++) {
            uint32_t waiter = graph->edges[waiters.items[i]].from;
            // What nobody can tell does not get to know it this way.
            if (!ret[waiter] || graph->nodes[waiter].state != NODE_WAITS ||
                is_apart(parts, freed, waiter) || --needed[waiter] > 0)
                continue;
            ret[waiter] = false;
            queue[end++] = waiter;
        }
    }
    by_key_deinit(&waiters);
    free(needed);
    free(queue);
}

// Who waits for whom: the graph of processes, threads, operations and collectives.

static void
judge_threads(struct waits *waits)
{
    const struct job_index *job = waits->job;
    waits->activities = alloc_zeroed(job->n_threads, sizeof *waits->activities);
    for (size_t i = 0; i < job->n_threads; i++)
        waits->activities[i] = thread_activity_of(job, &job->threads[i]);
}

/** Whether a thread of a process waits in MPI or for other processes. A process without one goes on
 * by its threads that rest. */
static bool
waits_for_others(const struct waits *waits, const struct process_entry *process)
{
    for (uint32_t i = process->first_thread; i < process->first_thread + process->n_threads; i++) {
        enum doing doing = waits->activities[i].doing;
        if (doing == DOING_OUTSIDE || (waits->job->threads[i].call && doing != DOING_WORK))
            return true;
    }
    return false;
}

/** @param rests state of a thread of the process that rests */
static enum node_state
state_of_thread(const struct waits *waits, uint32_t number, enum node_state rests)
{
    if (thread_has_moved(&waits->job->threads[number])) // it goes on, whatever it waits for now
        return NODE_RUNNABLE;
    switch (waits->activities[number].doing) {
    case DOING_WORK:
        return NODE_RUNNABLE;
    case DOING_REST:
        return rests;
    case DOING_UNKNOWN:
        return NODE_UNKNOWN;
    default:
        return NODE_WAITS;
    }
}

static void
add_threads(struct waits *waits, const struct process_entry *process)
{
    enum node_state rests = waits_for_others(waits, process) ? NODE_RESTS : NODE_RUNNABLE;
    for (uint32_t i = process->first_thread; i < process->first_thread + process->n_threads; i++) {
        const struct mpi_call *call = waits->activities[i].call;
        uint32_t node = graph_add(&waits->graph, WHAT_THREAD, i, call && call->any);
        waits->graph.nodes[node].state = (uint8_t) state_of_thread(waits, i, rests);
    }
}

/** Two nodes for each process, and behind them one for each thread. */
static void
add_nodes(struct waits *waits)
{
    const struct job_index *job = waits->job;
    struct graph *graph = &waits->graph;
    for (uint32_t i = 0; i < job->n_processes; i++) {
        uint32_t node = graph_add(graph, WHAT_PROCESS, i, true);
        if (job->processes[i].moved)
            graph->nodes[node].state = NODE_RUNNABLE;
    }
    waits->first_inside = (uint32_t) graph->n_nodes;
    for (uint32_t i = 0; i < job->n_processes; i++) {
        uint32_t node = graph_add(graph, WHAT_INSIDE, i, true);
        graph->nodes[node].state = graph->nodes[i].state;
    }
    waits->first_thread = (uint32_t) graph->n_nodes;
    for (uint32_t i = 0; i < job->n_processes; i++)
        add_threads(waits, &job->processes[i]);
    waits->unseen = graph_add(graph, WHAT_UNSEEN, 0, true);
    graph->nodes[waits->unseen].state = NODE_UNKNOWN;
}

/** A process goes on when one of its threads does that may act by itself, for other processes one
 * that may call MPI. Nobody can tell where there is none, or where all are in locks of which
 * nothing is known: a signal or another process may end the wait. */
static void
connect_threads(struct waits *waits, uint32_t number)
{
    const struct process_entry *process = &waits->job->processes[number];
    uint32_t inside = waits->first_inside + number;
    bool is_known = false, has_caller = false;
    if (job_index_is_halted(process) || process->n_threads == 0)
        return;
    for (uint32_t i = process->first_thread; i < process->first_thread + process->n_threads; i++) {
        const struct thread_activity *activity = &waits->activities[i];
        if (activity->doing == DOING_IDLE || activity->doing == DOING_HELP)
            continue;
        graph_connect(&waits->graph, inside, waits->first_thread + i);
        is_known |= activity->doing != DOING_LOCK || !activity->guessed;
        if (!report_may_call(process->report, waits->job->threads[i].record, process->finalizes))
            continue;
        graph_connect(&waits->graph, number, waits->first_thread + i);
        has_caller = true;
    }
    struct node *outward = &waits->graph.nodes[number], *inward = &waits->graph.nodes[inside];
    if (outward->state == NODE_WAITS && !(is_known && has_caller))
        outward->state = NODE_UNKNOWN;
    if (inward->state == NODE_WAITS && !is_known)
        inward->state = NODE_UNKNOWN;
}

static bool
has_not_come(const struct process_entry *process, bool to_init)
{
    if (!to_init && process->phase == mqs_phase_finalized)
        return false;
    return job_index_is_halted(process) || (to_init ? process->phase == mqs_phase_before_init
                                                    : process->phase != mqs_phase_in_finalize);
}

/** Whether a thread is in a call that starts processes. */
static bool
spawns(const struct job_thread *thread)
{
    return thread->call && (mpi_call_is(thread->call, "MPI_Comm_spawn") ||
                            mpi_call_is(thread->call, "MPI_Comm_spawn_multiple"));
}

/** Processes that others start are in MPI_Init until all of those have done their part. */
static void
add_parents(struct waits *waits)
{
    const struct job_index *job = waits->job;
    for (uint32_t i = 0; i < job->n_threads; i++) {
        if (!spawns(&job->threads[i]))
            continue;
        uint32_t parent = job->threads[i].process;
        for (uint32_t k = 0; k < job->n_threads; k++) {
            uint32_t node = waits->first_thread + k;
            if (job->processes[job->threads[k].process].world == job->processes[parent].world ||
                job_index_phase_of(job->threads[k].call) != mqs_phase_in_init)
                continue;
            waits->graph.nodes[node].state = NODE_WAITS;
            graph_connect(&waits->graph, node, parent);
        }
    }
}

/** MPI_Init and MPI_Finalize end when all processes of a world have called them: connects threads
 * in them with those that have not. @param known threads of whom more is known already; NULL: none
 */
static void
add_whole_world(struct waits *waits, bool to_init, const bool *known)
{
    const struct job_index *job = waits->job;
    uint32_t *nodes = alloc_zeroed(job->worlds.count, sizeof *nodes);
    for (uint32_t i = 0; i < job->n_processes; i++) {
        const struct process_entry *process = &job->processes[i];
        if (!has_not_come(process, to_init))
            continue;
        if (nodes[process->world] == 0)
            nodes[process->world] = graph_add(&waits->graph, WHAT_WORLD, process->world, false);
        graph_connect(&waits->graph, nodes[process->world], i);
    }
    for (uint32_t i = 0; i < job->n_threads; i++) {
        const struct job_thread *thread = &job->threads[i];
        uint32_t node = nodes[job->processes[thread->process].world];
        bool is_in = job_index_phase_of(thread->call) ==
                     (to_init ? mqs_phase_in_init : mqs_phase_in_finalize);
        if (node == 0 || !is_in || (known && known[i]))
            continue;
        waits->graph.nodes[waits->first_thread + i].state = NODE_WAITS;
        graph_connect(&waits->graph, waits->first_thread + i, node);
    }
    free(nodes);
}

/** Whether one of these processes is in that state, or in a worse one. */
static bool
has_state(const struct waits *waits, const uint32_t *processes, size_t count, enum state_kind state)
{
    for (size_t i = 0; i < count; i++)
        if (waits->job->processes[processes[i]].state >= state)
            return true;
    return false;
}

/** Connects a collective with those of some processes that are halted, or with all. */
static void
connect_members(struct waits *waits, const struct collective *item, const uint32_t *processes,
                size_t count, bool all)
{
    for (size_t i = 0; i < count; i++)
        if (all || job_index_is_halted(&waits->job->processes[processes[i]]))
            graph_connect(&waits->graph, item->node, processes[i]);
}

/** One that is stopped in it has not done its part, for all that is known, nor has one that is
 * dead. Then, who is not in it may have left it already. */
static void
connect_collective(struct waits *waits, uint32_t number)
{
    struct collective *item = &waits->collectives.items[number];
    bool is_held = has_state(waits, item->in, item->n_in, STATE_STOPPED);
    bool is_cut = is_held || has_state(waits, item->missing, item->n_missing, STATE_ZOMBIE);
    item->node = graph_add(&waits->graph, WHAT_COLLECTIVE, number, item->one_sided);
    connect_members(waits, item, item->missing, item->n_missing, !is_cut || item->one_sided);
    connect_members(waits, item, item->in, item->n_in, false);
    if (item->not_seen > 0)
        graph_connect(&waits->graph, item->node, waits->unseen);
    else if (!is_held && item->n_missing == 0 && item->has_all)
        waits->graph.nodes[item->node].state = NODE_RUNNABLE;
}

static bool
names_receives(const struct waits *waits, const struct entry *entry)
{
    const struct job_index *job = waits->job;
    return job_index_has_queue(&job->processes[job->threads[entry->thread].process], JOB_RECEIVES);
}

/** A thread in a collective waits for a process to do its part. Where a thread of that one is in
 * it, no other one can; one that has moved may have left it. */
static void
connect_awaited(struct waits *waits, const struct collective *item, uint32_t node, uint32_t process)
{
    const struct entry *entry = collectives_entry(&waits->collectives, item, process);
    graph_connect(&waits->graph, node, process);
    if (entry && entry->certain && entry->thread != NOBODY && !waits->job->processes[process].moved)
        graph_connect(&waits->graph, node, waits->first_thread + (uint32_t) entry->thread);
}

/** A thread in a collective waits for it, or for those that its queues name; one that may be in one
 * of several, for any of them. */
static void
connect_callers(struct waits *waits, const struct collective *item)
{
    for (uint32_t i = item->first; i < item->first + item->count; i++) {
        const struct entry *entry = &waits->collectives.entries[i];
        if (entry->thread == NOBODY)
            continue;
        uint32_t node = waits->first_thread + (uint32_t) entry->thread;
        uint32_t awaited[AWAITED_MAX];
        size_t count = entry->certain && item->one_sided
                           ? collectives_awaited(&waits->collectives, entry, awaited)
                           : 0;
        for (size_t k = 0; k < count; k++)
            connect_awaited(waits, item, node, awaited[k]);
        if (count > 0)
            continue;
        waits->graph.nodes[node].any = true;
        graph_connect(&waits->graph, node, item->node);
        if (item->one_sided && item->n_missing > 1 && !names_receives(waits, entry))
            waits->graph.nodes[node].state = NODE_UNKNOWN; // any of these may have been in it
    }
}

/** Whether a thread in a collective call waits for certain requests, which the library made. */
static bool
names_requests(const struct job_thread *thread)
{
    const struct awaits_record *awaits = &thread->record->awaits;
    return awaits->requests.count > 0 && awaits->certain && !awaits->others_too;
}

/** A thread in a collective on a communicator that nobody knows: what it waits for in there may be.
 */
static void
await_parts_of_call(struct waits *waits, uint32_t thread)
{
    struct thread_activity *activity = &waits->activities[thread];
    const struct mpi_call *inner = thread_inner_call(&waits->job->threads[thread]);
    if (!inner && !names_requests(&waits->job->threads[thread])) {
        waits->graph.nodes[waits->first_thread + thread].state = NODE_UNKNOWN;
        return;
    }
    activity->doing = DOING_MESSAGES;
    activity->call = inner ? inner : activity->call;
}

static void
add_collectives(struct waits *waits)
{
    const struct job_index *job = waits->job;
    bool *found = alloc_zeroed(job->n_threads, sizeof *found);
    for (uint32_t i = 0; i < waits->collectives.count; i++)
        connect_collective(waits, i);
    for (size_t i = 0; i < waits->collectives.count; i++)
        connect_callers(waits, &waits->collectives.items[i]);
    for (size_t i = 0; i < waits->collectives.n_entries; i++) {
        const struct entry *entry = &waits->collectives.entries[i];
        if (entry->thread == NOBODY)
            continue;
        found[entry->thread] = true;
        if (entry->certain)
            waits->activities[entry->thread].entry = entry;
    }
    for (uint32_t i = 0; i < job->n_threads; i++)
        if (waits->activities[i].doing == DOING_COLLECTIVE && !found[i])
            await_parts_of_call(waits, i);
    add_whole_world(waits, false, found); // whose communicators are gone in all of its processes
    free(found);
}

void
waits_init(struct waits *waits, struct job_index *job)
{
    *waits = (struct waits){.job = job};
    waits->members = alloc_zeroed(job->n_comms, sizeof *waits->members);
    judge_threads(waits);
    add_nodes(waits);
    for (uint32_t i = 0; i < job->n_processes; i++)
        connect_threads(waits, i);
    add_whole_world(waits, true, NULL);
    collectives_init(&waits->collectives, job, waits->activities);
    add_collectives(waits);
    add_parents(waits);
    nonblockings_init(&waits->nonblockings, waits);
    waits_add_messages(waits);
    waits_add_threads(waits);
    waits_add_outside(waits);
    graph_complete(&waits->graph);
    waits->blocked = alloc_zeroed(waits->graph.n_nodes, sizeof *waits->blocked);
}

const struct node *
waits_thread(const struct waits *waits, uint32_t thread)
{
    return &waits->graph.nodes[waits->first_thread + thread];
}

static int
compare_processes(const void *left, const void *right)
{
    const struct awaited *a = left, *b = right;
    return COMPARE({a->process, b->process});
}

const struct node *
waits_world(const struct waits *waits, uint32_t thread)
{
    const struct graph *graph = &waits->graph;
    const struct node *node = waits_thread(waits, thread);
    for (uint32_t i = node->first; i < node->first + node->count; i++)
        if (graph->nodes[graph->edges[i].to].what == WHAT_WORLD)
            return &graph->nodes[graph->edges[i].to];
    return NULL;
}

const struct job_op *
waits_op(const struct waits *waits, const struct awaited *awaited)
{
    return awaited->collective || awaited->is_part ? NULL : &waits->job->ops[awaited->op];
}

size_t
waits_of_process(const struct waits *waits, uint32_t process)
{
    const struct awaited key = {.process = process};
    return search_first(&key, waits->awaited, waits->n_awaited, sizeof key, compare_processes);
}

void
waits_deinit(struct waits *waits)
{
    free(waits->activities);
    free(waits->members);
    free(waits->awaited);
    free(waits->blocked);
    collectives_deinit(&waits->collectives);
    nonblockings_deinit(&waits->nonblockings);
    free(waits->graph.nodes);
    free(waits->graph.edges);
}
