// SPDX-License-Identifier: BSD-3-Clause
// Who waits for whom, one by one.
#include "mqshow/verdict/wait_list.h"

#include "mqshow/base/alloc.h"

#include <stdlib.h>

struct list {
    const struct verdict *verdict;
    wait_list_ft take;
    void *context;
    bool *seen; // by thread: it was listed, as one is in a collective of each communicator that it
                // may be
};

/** The members of a communicator's peers but one, to free(). */
static uint32_t *
others_of(const struct job_index *job, const struct job_op *op, size_t *ret_count)
{
    int32_t peers = job->comms[op->comm].peers;
    const struct job_comm *comm = peers != NOBODY ? &job->comms[peers] : NULL;
    uint32_t *processes = alloc_zeroed(comm ? comm->n_members : 0, sizeof *processes);
    *ret_count = 0;
    for (uint32_t i = 0; comm && i < comm->n_members; i++)
        if (job->members[comm->first_member + i].process != op->process)
            processes[(*ret_count)++] = job->members[comm->first_member + i].process;
    return processes;
}

static void
list_message(const struct list *list, const struct awaited *awaited, const struct job_op *op)
{
    const struct waits *waits = &list->verdict->waits;
    uint32_t partner = (uint32_t) op->partner, *all = NULL;
    struct wait wait = {
        .process = awaited->process,
        .thread = awaited->thread,
        .any = awaited->thread == NOBODY || waits_thread(waits, (uint32_t) awaited->thread)->any,
        .targets = &partner,
        .n_targets = op->partner != NOBODY,
        .op = op,
    };
    if (op->peer == ANY)
        wait.targets = all = others_of(&list->verdict->job, op, &wait.n_targets);
    list->take(list->context, &wait);
    free(all);
}

static void
list_part(const struct list *list, const struct awaited *awaited)
{
    const struct waits *waits = &list->verdict->waits;
    list->take(list->context,
               &(struct wait){.process = awaited->process,
                              .thread = awaited->thread,
                              .any = waits_thread(waits, (uint32_t) awaited->thread)->any,
                              .targets = &awaited->peer,
                              .n_targets = 1});
}

static void
list_nonblocking(const struct list *list, const struct awaited *awaited)
{
    const struct waits *waits = &list->verdict->waits;
    uint32_t targets[NONBLOCKING_TARGETS];
    size_t count = nonblocking_targets(waits, awaited->collective, targets);
    if (count > 0)
        list->take(list->context,
                   &(struct wait){.process = awaited->process,
                                  .thread = awaited->thread,
                                  .any = waits_thread(waits, (uint32_t) awaited->thread)->any,
                                  .targets = targets,
                                  .n_targets = count,
                                  .nonblocking = awaited->collective});
}

static void
list_collective(const struct list *list, const struct collective *item)
{
    bool waits = item->n_missing > 0 || item->not_seen > 0;
    for (uint32_t i = item->first; i < item->first + item->count && waits; i++) {
        const struct entry *entry = &list->verdict->waits.collectives.entries[i];
        if (entry->thread == NOBODY || (!entry->certain && list->seen[entry->thread]))
            continue;
        list->seen[entry->thread] |= !entry->certain;
        list->take(list->context, &(struct wait){
                                      .process = entry->process,
                                      .thread = entry->thread,
                                      .any = !entry->certain || item->one_sided,
                                      .targets = item->missing,
                                      .n_targets = entry->certain ? item->n_missing : 0,
                                      .collective = item,
                                      .unsure = !entry->certain,
                                  });
    }
}

/** Threads in MPI_Init and MPI_Finalize. */
static void
list_worlds(const struct list *list)
{
    const struct waits *waits = &list->verdict->waits;
    const struct node *last = NULL;
    uint32_t *processes = NULL; // of the last world
    for (uint32_t i = 0; i < list->verdict->job.n_threads; i++) {
        const struct node *world = waits_world(waits, i);
        if (!world)
            continue;
        if (world != last) {
            free(processes);
            processes = alloc_zeroed(world->count, sizeof *processes);
            for (uint32_t k = 0; k < world->count; k++)
                processes[k] =
                    waits->graph.edges[world->first + k].to; // nodes of processes are the first
        }
        last = world;
        list->take(list->context, &(struct wait){.process = list->verdict->job.threads[i].process,
                                                 .thread = (int32_t) i,
                                                 .targets = processes,
                                                 .n_targets = world->count});
    }
    free(processes);
}

/** Threads that wait for another thread of their process. */
static void
list_inside(const struct list *list)
{
    const struct job_index *job = &list->verdict->job;
    for (uint32_t i = 0; i < job->n_threads; i++) {
        const struct thread_activity *activity = &list->verdict->waits.activities[i];
        if (!thread_waits_inside(activity))
            continue;
        size_t count;
        bool any;
        uint32_t *threads = waits_needed(&list->verdict->waits, i, &count, &any);
        list->take(list->context,
                   &(struct wait){.process = job->threads[i].process,
                                  .thread = (int32_t) i,
                                  .any = activity->doing == DOING_LOCK ||
                                         (activity->doing == DOING_TASKS && count == 0),
                                  .targets = &job->threads[i].process,
                                  .n_targets = 1,
                                  .inside = true,
                                  .threads = threads,
                                  .n_threads = count});
        free(threads);
    }
}

static void
list_outside(const struct list *list)
{
    const struct job_index *job = &list->verdict->job;
    for (uint32_t i = 0; i < job->n_threads; i++) {
        size_t count, others;
        if (list->verdict->waits.activities[i].doing != DOING_OUTSIDE)
            continue;
        uint32_t *holders = thread_holders(job, &job->threads[i], &count, &others);
        list->take(list->context, &(struct wait){.process = job->threads[i].process,
                                                 .thread = (int32_t) i,
                                                 .any = count != 1,
                                                 .targets = holders,
                                                 .n_targets = count,
                                                 .outside = true});
        free(holders);
    }
}

void
wait_list_each(const struct verdict *verdict, wait_list_ft take, void *context)
{
    struct list list = {verdict, take, context,
                        alloc_zeroed(verdict->job.n_threads, sizeof *list.seen)};
    for (size_t i = 0; i < verdict->waits.n_awaited; i++) {
        const struct awaited *awaited = &verdict->waits.awaited[i];
        const struct job_op *op = waits_op(&verdict->waits, awaited);
        if (awaited->collective)
            list_nonblocking(&list, awaited);
        else if (awaited->is_part)
            list_part(&list, awaited);
        else if (op->fate != JOB_RUNNABLE)
            list_message(&list, awaited, op);
    }
    for (size_t i = 0; i < verdict->waits.collectives.count; i++)
        list_collective(&list, &verdict->waits.collectives.items[i]);
    list_worlds(&list);
    list_inside(&list);
    list_outside(&list);
    free(list.seen);
}
