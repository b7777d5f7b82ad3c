// SPDX-License-Identifier: BSD-3-Clause
// Which operations a thread waits for, and for whom these wait.
#include "mqshow/base/alloc.h"
#include "mqshow/verdict/wait_graph.h"

#include <stdlib.h>
#include <string.h>

/** An operation by its request. */
struct request {
    uint32_t process, op;
    uint64_t address;
};

static int
compare(const void *left, const void *right)
{
    const struct request *a = left, *b = right;
    int order = (a->process > b->process) - (a->process < b->process);
    return order != 0 ? order : (a->address > b->address) - (a->address < b->address);
}

/** Whether a thread says for which requests it waits. */
static bool
has_requests(const struct job_thread *thread)
{
    return thread->record->awaits.requests.count > 0;
}

/** The operations by their requests; none where no thread says for which it waits. */
static struct request *
requests_of(const struct job_index *job, size_t *ret_count)
{
    bool any = false;
    *ret_count = 0;
    for (uint32_t i = 0; i < job->n_threads; i++)
        any |= has_requests(&job->threads[i]);
    if (!any)
        return NULL;
    struct request *requests = alloc_zeroed(job->n_ops, sizeof *requests);
    for (uint32_t i = 0; i < job->n_ops; i++)
        if (job->ops[i].record->request != 0)
            requests[(*ret_count)++] =
                (struct request){job->ops[i].process, i, job->ops[i].record->request};
    qsort(requests, *ret_count, sizeof *requests, compare);
    return requests;
}

/** Any of the processes that can send to a member of `comm`. */
static uint32_t
members_node(struct waits *waits, uint32_t comm)
{
    const struct job_index *job = waits->job;
    int32_t peers = job->comms[comm].peers;
    if (peers == NOBODY)
        return waits->unseen;
    if (waits->members[peers] != 0)
        return waits->members[peers];
    const struct job_comm *of = &job->comms[peers];
    uint32_t node = graph_add(&waits->graph, WHAT_MEMBERS, (uint32_t) peers, true);
    waits->members[peers] = node;
    for (uint32_t i = of->first_member; i < of->first_member + of->n_members; i++)
        graph_connect(&waits->graph, node, job->members[i].process);
    if (job_index_not_seen(of) > 0)
        graph_connect(&waits->graph, node, waits->unseen);
    return node;
}

/** Node of an operation. */
static uint32_t
operation_node(struct waits *waits, uint32_t number)
{
    const struct job_op *op = &waits->job->ops[number];
    uint32_t node = graph_add(&waits->graph, WHAT_OPERATION, number, true);
    if (op->fate == JOB_RUNNABLE)
        waits->graph.nodes[node].state = NODE_RUNNABLE;
    else if (op->fate == JOB_UNKNOWN)
        waits->graph.nodes[node].state = NODE_UNKNOWN;
    else if (op->peer == ANY)
        graph_connect(&waits->graph, node, members_node(waits, op->comm));
    else
        graph_connect(&waits->graph, node,
                      op->partner != NOBODY ? (uint32_t) op->partner : waits->unseen);
    return node;
}

static void
await(struct waits *waits, uint32_t waiter, int32_t thread, uint32_t op)
{
    graph_connect(&waits->graph, waiter, operation_node(waits, op));
    waits->job->ops[op].awaited = true;
    *ALLOC_ADD(waits->awaited, waits->n_awaited, waits->awaited_capacity) =
        (struct awaited){.thread = thread, .process = waits->job->ops[op].process, .op = op};
}

static void
await_collective(struct waits *waits, uint32_t waiter, int32_t thread,
                 const struct nonblocking *collective)
{
    graph_connect(&waits->graph, waiter, collective->node);
    *ALLOC_ADD(waits->awaited, waits->n_awaited, waits->awaited_capacity) = (struct awaited){
        .thread = thread, .process = collective->process, .collective = collective};
}

/** A thread that says which requests it waits for. */
static void
await_requests(struct waits *waits, uint32_t number, const struct request *requests, size_t count)
{
    const struct job_thread *thread = &waits->job->threads[number];
    const struct awaits_record *awaits = &thread->record->awaits;
    uint32_t node = waits->first_thread + number;
    bool any = awaits->needs == AWAITS_ANY;
    waits->graph.nodes[node].any = any || !awaits->certain;
    waits->graph.nodes[node].perhaps_all = !any;
    for (size_t i = 0; i < awaits->requests.count; i++) {
        struct request wanted = {thread->process, 0, awaits->requests.items[i]};
        const struct request *found = bsearch(&wanted, requests, count, sizeof *requests, compare);
        const struct nonblocking *collective =
            nonblocking_of_request(&waits->nonblockings, thread->process, wanted.address);
        if (found)
            await(waits, node, (int32_t) number, found->op);
        else if (collective)
            await_collective(waits, node, (int32_t) number, collective);
        else // one that is in no queue
            graph_connect(&waits->graph, node, waits->unseen);
    }
    if (any && awaits->others_too)
        graph_connect(&waits->graph, node, waits->unseen);
}

/** Whether a call can wait for an operation. */
static bool
fits(const struct mpi_call *call, const struct job_op *op)
{
    if (call->buffered)
        return op->queue == JOB_SENDS && op->buffered;
    if (op->status == mqs_st_complete || op->queue == JOB_UNEXPECTED || op->record->freed)
        return false;
    if (op->queue == JOB_SENDS)
        return call->sends;
    return op->probe ? call->probes : call->receives;
}

/** Connects a thread or process with the operations that it may wait for. @return their number */
static size_t
await_fitting(struct waits *waits, uint32_t node, int32_t thread, const struct mpi_call *call,
              const struct process_entry *process, bool blocked)
{
    size_t count = 0;
    for (uint32_t i = process->first_op; i < process->first_op + process->n_ops; i++) {
        const struct job_op *op = &waits->job->ops[i];
        if (!fits(call, op) || (blocked && !op->record->blocked))
            continue;
        await(waits, node, thread, i);
        count++;
    }
    return count;
}

static size_t
count_blocked(const struct job_index *job, const struct process_entry *process)
{
    size_t count = 0;
    for (uint32_t i = process->first_op; i < process->first_op + process->n_ops; i++)
        count += job->ops[i].record->blocked;
    return count;
}

/** Connects a thread with those that it waits for in a collective. @return their number */
static size_t
await_peers(struct waits *waits, uint32_t node, const struct job_member *member,
            const int32_t *peers, size_t count)
{
    const struct job_index *job = waits->job;
    for (size_t i = 0; i < count; i++) {
        const struct job_member *peer =
            job_index_member(job, job->comms[member->comm].peers, peers[i]);
        graph_connect(&waits->graph, node, peer ? peer->process : waits->unseen);
        if (peer)
            *ALLOC_ADD(waits->awaited, waits->n_awaited, waits->awaited_capacity) =
                (struct awaited){.thread = (int32_t) (node - waits->first_thread),
                                 .process = member->process,
                                 .is_part = true,
                                 .peer = peer->process,
                                 .comm = member->comm};
    }
    return count;
}

/** Connects a thread with whom the process waits for in collectives that the call consists of.
 * @return their number; 0: none, or they are not known */
static size_t
await_parts(struct waits *waits, uint32_t node, const struct process_entry *process)
{
    const struct job_index *job = waits->job;
    uint32_t number = (uint32_t) (process - job->processes);
    size_t count = 0;
    for (uint32_t i = job->of_process.first[number]; i < job->of_process.first[number + 1]; i++) {
        const struct job_member *member = &job->members[job->of_process.items[i]];
        const struct communicator *comm = member->record;
        for (size_t k = 0; comm && k < comm->collectives.count; k++)
            count += await_peers(waits, node, member, comm->collectives.items[k].peers.items,
                                 comm->collectives.items[k].peers.count);
        for (size_t k = 0; comm && k < comm->nonblocking.count; k++) {
            const struct nonblocking_record *part = &comm->nonblocking.items[k];
            if (!HAS(part, NONBLOCKING_REQUEST) && !HAS(part, NONBLOCKING_SEQUENCE))
                count += await_peers(waits, node, member, part->peers.items, part->peers.count);
        }
    }
    return count;
}

/** A thread in a call of which nobody says what it waits for: what is seen to be waited for, when
 * no other thread can be the one, else what fits. */
static void
await_candidates(struct waits *waits, uint32_t number, size_t n_in_calls)
{
    const struct process_entry *process =
        &waits->job->processes[waits->job->threads[number].process];
    const struct mpi_call *call = waits->activities[number].call;
    uint32_t node = waits->first_thread + number;
    bool blocked = count_blocked(waits->job, process) > 0 && !call->buffered && !call->parts;
    size_t count = await_fitting(waits, node, (int32_t) number, call, process, blocked);
    if (call->parts)
        count += await_parts(waits, node, process);
    if (call->buffered && count > 0)
        return;     // for all of them
    if (count == 0) // it is there, or is none of the messages that can be seen
        waits->graph.nodes[node].state = NODE_UNKNOWN;
    else if (!blocked || n_in_calls > 1) {
        waits->graph.nodes[node].any = count > 1 || call->any;
        waits->graph.nodes[node].perhaps_all = !call->any;
    }
}

/** A process whose threads are not known. */
static void
await_queues(struct waits *waits, uint32_t number)
{
    static const struct mpi_call everything = {.receives = true, .sends = true, .probes = true};
    const struct job_index *job = waits->job;
    const struct process_entry *process = &job->processes[number];
    uint32_t node = graph_add(&waits->graph, WHAT_QUEUES, number, true);
    graph_connect(&waits->graph, number, node);
    size_t count =
        await_fitting(waits, node, NOBODY, &everything, process, count_blocked(job, process) > 0);
    if (count == 0 || count_blocked(job, process) == 0)
        waits->graph.nodes[node].state = NODE_UNKNOWN;
}

static size_t
count_in_calls(const struct waits *waits, const struct process_entry *process)
{
    size_t count = 0;
    for (uint32_t i = 0; i < process->n_threads; i++)
        count += waits->activities[process->first_thread + i].doing == DOING_MESSAGES;
    return count;
}

void
waits_add_messages(struct waits *waits)
{
    const struct job_index *job = waits->job;
    size_t count;
    struct request *requests = requests_of(job, &count);
    for (uint32_t i = 0; i < job->n_processes; i++) {
        const struct process_entry *process = &job->processes[i];
        size_t n_in_calls = count_in_calls(waits, process);
        if (!process->has_threads && !job_index_is_halted(process))
            await_queues(waits, i);
        for (uint32_t k = process->first_thread; k < process->first_thread + process->n_threads;
             k++) {
            if (waits->activities[k].doing != DOING_MESSAGES)
                continue;
            if (has_requests(&job->threads[k]))
                await_requests(waits, k, requests, count);
            else
                await_candidates(waits, k, n_in_calls);
        }
    }
    free(requests);
}
