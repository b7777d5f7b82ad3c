// SPDX-License-Identifier: BSD-3-Clause
// The verdict as JSON.
#include "mqshow/verdict/export.h"

#include "mqshow/base/alloc.h"
#include "mqshow/verdict/near.h"
#include "mqshow/verdict/thread_cause.h"
#include "mqshow/verdict/wait_list.h"

#include <stdlib.h>

void
verdict_write_ranks(struct json_out *json, const char *key, const struct verdict *verdict,
                    const uint32_t *processes, size_t count)
{
    size_t n_labels;
    int32_t *labels = verdict_labels(verdict, processes, count, &n_labels);
    json_out_array(json, key);
    for (size_t first = 0, last; first < n_labels; first = last + 1) {
        last = first;
        while (last + 1 < n_labels && labels[last + 1] - 1 == labels[last])
            last++;
        json_out_run(json, labels[first], labels[last]);
    }
    json_out_close(json, ']');
    free(labels);
}

static void
write_comm(struct json_out *json, const struct job_comm *comm)
{
    json_out_set_text(json, "communicator", job_index_comm_name(comm));
    json_out_set_integer(json, "communicator_id", comm->id);
}

/** An operation with its communicator and queue as a member. */
static void
write_operation(struct json_out *json, const char *key, const struct verdict *verdict,
                const struct job_op *op)
{
    const struct record_place place = {
        .operations = (struct operations *) job_index_operations(&verdict->job, op)};
    json_out_object(json, key);
    record_write_members(json, &operation_type, op->record, &place);
    write_comm(json, &verdict->job.comms[op->comm]);
    json_out_set_text(json, "queue", queue_key(job_index_class(op->queue)));
    json_out_close(json, '}');
}

/** Where an operation is. */
static void
write_place(struct json_out *json, const struct verdict *verdict, const struct job_op *op)
{
    json_out_set_integer(json, "rank", verdict->job.processes[op->process].label);
    write_comm(json, &verdict->job.comms[op->comm]);
}

/** One that nearly matches. */
static void
write_near(struct json_out *json, const struct verdict *verdict, const struct near *near)
{
    const struct job_op *op = &verdict->job.ops[near->op];
    json_out_open(json, '{');
    write_place(json, verdict, op);
    json_out_set_text(json, "why", near->why);
    write_operation(json, "operation", verdict, op);
    json_out_close(json, '}');
}

static void
write_unmatched(struct json_out *json, const struct verdict *verdict, const struct job_op *op,
                const struct near *near, size_t count)
{
    json_out_open(json, '{');
    write_place(json, verdict, op);
    json_out_set_text(json, "queue", queue_key(job_index_class(op->queue)));
    write_operation(json, "operation", verdict, op);
    if (count > 0) {
        json_out_array(json, "near_misses");
        for (size_t i = 0; i < count; i++)
            write_near(json, verdict, &near[i]);
        json_out_close(json, ']');
    }
    json_out_close(json, '}');
}

// The members "waits" and "collectives" of the verdict.

enum { TARGETS_SHOWN = 64 }; // of one record; so that all grow with the job, not its square

static void
write_targets(struct json_out *json, const struct verdict *verdict, const struct wait *wait)
{
    if (wait->n_targets > TARGETS_SHOWN)
        json_out_set_integer(json, "for_more", (int64_t) wait->n_targets - TARGETS_SHOWN);
    if (wait->op && wait->n_targets == 0 && wait->op->peer >= 0)
        json_out_set_integer(json, "not_seen", wait->op->peer);
    verdict_write_ranks(json, "for", verdict, wait->targets,
                        wait->n_targets < TARGETS_SHOWN ? wait->n_targets : TARGETS_SHOWN);
}

static void
write_where(struct json_out *json, const struct verdict *verdict, const struct wait *wait)
{
    json_out_object(json, "collective");
    json_out_set_text(json, "name", wait->collective->name);
    if (!wait->unsure) {
        write_comm(json, &verdict->job.comms[wait->collective->comm]);
        if (wait->collective->not_seen > 0)
            json_out_set_integer(json, "not_seen", wait->collective->not_seen);
    }
    json_out_close(json, '}');
}

static void
write_nonblocking(struct json_out *json, const struct verdict *verdict,
                  const struct nonblocking *collective)
{
    json_out_object(json, "nonblocking");
    write_comm(json, &verdict->job.comms[collective->comm]);
    if (HAS(collective->record, NONBLOCKING_SEQUENCE))
        json_out_set_integer(json, "sequence", collective->sequence);
    json_out_close(json, '}');
}

/** Ids of threads as a member; those that are not known are left out. */
static void
write_tids(struct json_out *json, const char *key, const struct verdict *verdict,
           const uint32_t *threads, size_t count)
{
    json_out_array(json, key);
    for (size_t i = 0; i < count; i++)
        if (verdict->job.threads[threads[i]].tid > 0)
            json_out_integer(json, verdict->job.threads[threads[i]].tid);
    json_out_close(json, ']');
}

/** Where a wait is written. */
struct writer {
    struct json_out *json;
    const struct verdict *verdict;
};

static void
write_wait(void *context, const struct wait *wait)
{
    const struct writer *writer = context;
    const struct job_index *job = &writer->verdict->job;
    struct json_out *json = writer->json;
    json_out_open(json, '{');
    json_out_set_integer(json, "rank", job->processes[wait->process].label);
    if (wait->thread != NOBODY && job->threads[wait->thread].tid > 0)
        json_out_set_integer(json, "tid", job->threads[wait->thread].tid);
    if (wait->thread != NOBODY)
        json_out_set_text(json, "call", job->threads[wait->thread].call);
    json_out_set_text(json, "needs", wait->any ? "any" : "all");
    if (wait->inside) {
        char *text = verdict_thread_text(writer->verdict, wait->thread);
        json_out_set_text(json, "inside", text);
        write_tids(json, "for_tids", writer->verdict, wait->threads,
                   wait->n_threads < TARGETS_SHOWN ? wait->n_threads : TARGETS_SHOWN);
        free(text);
    }
    if (wait->outside)
        json_out_set_text(json, "file", job->threads[wait->thread].record->system_file);
    write_targets(json, writer->verdict, wait);
    if (wait->op)
        write_operation(json, "operation", writer->verdict, wait->op);
    if (wait->nonblocking)
        write_nonblocking(json, writer->verdict, wait->nonblocking);
    if (wait->collective)
        write_where(json, writer->verdict, wait);
    json_out_close(json, '}');
}

/** The other collectives that members are in meanwhile. */
static void
write_others(struct json_out *json, const struct verdict *verdict, const struct collective *item)
{
    const struct collectives *collectives = &verdict->waits.collectives;
    const struct collective *other = collectives_of_comm(collectives, item);
    const struct collective *end = collectives->items + collectives->count;
    bool begun = false;
    for (; other < end && other->comm == item->comm; other++) {
        if (other == item)
            continue;
        if (!begun)
            json_out_array(json, "other");
        begun = true;
        json_out_open(json, '{');
        json_out_set_text(json, "name", other->name);
        verdict_write_ranks(json, "ranks", verdict, other->in, other->n_in);
        json_out_close(json, '}');
    }
    if (begun)
        json_out_close(json, ']');
}

static void
write_collective(struct json_out *json, const struct verdict *verdict,
                 const struct collective *item)
{
    json_out_open(json, '{');
    write_comm(json, &verdict->job.comms[item->comm]);
    json_out_set_text(json, "name", item->name);
    verdict_write_ranks(json, "in", verdict, item->in, item->n_in);
    verdict_write_ranks(json, "missing", verdict, item->missing, item->sure ? item->n_missing : 0);
    if (!item->sure && item->n_missing > 0)
        verdict_write_ranks(json, "perhaps_missing", verdict, item->missing, item->n_missing);
    if (item->not_seen > 0)
        json_out_set_integer(json, "not_seen", item->not_seen);
    write_others(json, verdict, item);
    json_out_close(json, '}');
}

// The verdict as JSON.

static void
write_all_unmatched(struct json_out *json, const struct verdict *verdict, bool missed_only)
{
    json_out_array(json, "unmatched");
    for (uint32_t i = 0; i < verdict->job.n_ops; i++) {
        struct near near[NEAR_MAX];
        if (!near_is_unmatched(&verdict->job.ops[i]))
            continue;
        size_t count = near_find(&verdict->near, i, near);
        if (count == 0 && missed_only)
            continue;
        write_unmatched(json, verdict, &verdict->job.ops[i], near, count);
    }
    json_out_close(json, ']');
}

static void
write_waits(struct json_out *json, const struct verdict *verdict)
{
    struct writer writer = {json, verdict};
    json_out_array(json, "waits");
    wait_list_each(verdict, write_wait, &writer);
    json_out_close(json, ']');
}

static void
write_collectives(struct json_out *json, const struct verdict *verdict)
{
    const struct collectives *collectives = &verdict->waits.collectives;
    json_out_array(json, "collectives");
    for (size_t i = 0; i < collectives->count; i++)
        if (collective_lacks_members(&collectives->items[i]))
            write_collective(json, verdict, &collectives->items[i]);
    json_out_close(json, ']');
}

static void
write_texts(struct json_out *json, const char *key, char *const *texts, size_t count)
{
    json_out_array(json, key);
    for (size_t i = 0; i < count; i++)
        json_out_text(json, texts[i]);
    json_out_close(json, ']');
}

static void
write_cycles(struct json_out *json, const struct verdict *verdict)
{
    json_out_array(json, "cycles");
    for (size_t i = 0; i < verdict->knots.count; i++) {
        const struct knot *knot = &verdict->knots.items[i];
        json_out_open(json, '[');
        for (size_t k = 0; k < knot->n_ring; k++)
            json_out_integer(json, verdict->job.processes[knot->ring[k]].label);
        json_out_close(json, ']');
    }
    json_out_close(json, ']');
}

/** Of the knots within a process, the threads that wait for each other. */
static void
write_thread_cycles(struct json_out *json, const struct verdict *verdict)
{
    json_out_array(json, "thread_cycles");
    for (size_t i = 0; i < verdict->knots.count; i++) {
        const struct knot *knot = &verdict->knots.items[i];
        if (!knot_is_inside(verdict, knot))
            continue;
        size_t count;
        uint32_t *threads = thread_knot_chain(verdict, knot, &count);
        json_out_open(json, '[');
        for (size_t k = 0; k < count; k++)
            json_out_integer(json, verdict->job.threads[threads[k]].tid);
        json_out_close(json, ']');
        free(threads);
    }
    json_out_close(json, ']');
}

static void
write_group(struct json_out *json, const struct verdict *verdict, const struct rank_group *group)
{
    struct strbuf ranks = {.text = NULL};
    size_t n_labels;
    int32_t *labels = verdict_labels(verdict, group->processes, group->count, &n_labels);
    strbuf_add_ranges(&ranks, labels, n_labels, SIZE_MAX);
    char *text = strbuf_take(&ranks);
    json_out_open(json, '{');
    json_out_set_text(json, "ranks", text);
    json_out_set_integer(json, "count", (int64_t) group->count);
    json_out_set_text(json, "situation", intern_get_text(&verdict->situations, group->situation));
    json_out_close(json, '}');
    free(text);
    free(labels);
}

static void
write_groups(struct json_out *json, const struct verdict *verdict)
{
    json_out_array(json, "groups");
    for (size_t i = 0; i < verdict->n_groups; i++)
        write_group(json, verdict, &verdict->groups[i]);
    json_out_close(json, ']');
}

/** The threads that rest, of which one that sends would end what is no deadlock then. */
static void
write_unless(struct json_out *json, const struct verdict *verdict)
{
    if (verdict->kind != VERDICT_UNLESS)
        return;
    json_out_array(json, "unless");
    for (size_t i = 0; i < verdict->n_resting; i++) {
        const struct job_thread *thread = &verdict->job.threads[verdict->resting[i]];
        json_out_open(json, '{');
        json_out_set_integer(json, "rank", verdict->job.processes[thread->process].label);
        json_out_set_integer(json, "tid", thread->tid);
        json_out_close(json, '}');
    }
    json_out_close(json, ']');
}

static void
write_cause(struct json_out *json, const struct verdict *verdict)
{
    const struct cause *cause = &verdict->cause;
    size_t count;
    uint32_t *waiting = verdict_select(verdict, verdict_is_waiting, &count);
    json_out_object(json, "cause");
    json_out_set_text(json, "what", cause->what);
    verdict_write_ranks(json, "ranks", verdict, cause->processes, cause->n_processes);
    verdict_write_ranks(json, "waiting", verdict, waiting, count);
    json_out_close(json, '}');
    free(waiting);
}

void
verdict_write(struct json_out *json, const struct verdict *verdict, bool missed_only)
{
    json_out_open(json, '{');
    json_out_set_text(json, "kind", verdict_kind_name(verdict->kind));
    json_out_set_text(json, "text", verdict->text);
    write_texts(json, "facts", verdict->facts, verdict->n_facts);
    if (verdict->cause.what)
        write_cause(json, verdict);
    if (verdict->job.by_index)
        json_out_set_text(json, "ranks_are", "indices of processes");
    write_cycles(json, verdict);
    write_unless(json, verdict);
    write_thread_cycles(json, verdict);
    write_waits(json, verdict);
    write_all_unmatched(json, verdict, missed_only);
    write_collectives(json, verdict);
    write_groups(json, verdict);
    write_texts(json, "unseen", verdict->job.unseen, verdict->job.n_unseen);
    json_out_close(json, '}');
}
