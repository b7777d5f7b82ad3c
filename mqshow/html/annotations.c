// SPDX-License-Identifier: BSD-3-Clause
// What the verdict has on operations, by their places.
#include "mqshow/html/annotations.h"

#include "mqshow/base/alloc.h"
#include "mqshow/verdict/near.h"

#include <stdio.h>
#include <stdlib.h>

enum { MATCHED = -2, ALONE = -1 }; // else: the place of one that others nearly match

/** What was found out about all operations. */
struct annotations {
    const struct verdict *verdict;
    int32_t *misses; // by operation
};

/** The operations of a communicator of a process. */
struct part {
    const struct communicator *comm;
    uint32_t first, end;
};

static void
find_misses(struct annotations *marks)
{
    const struct job_index *job = &marks->verdict->job;
    int32_t count = 0;
    marks->misses = alloc_zeroed(job->n_ops, sizeof *marks->misses);
    for (uint32_t i = 0; i < job->n_ops; i++) {
        struct near near[NEAR_MAX];
        if (!near_is_unmatched(&job->ops[i]))
            marks->misses[i] = MATCHED;
        else
            marks->misses[i] = near_find(&marks->verdict->near, i, near) > 0 ? count++ : ALONE;
    }
}

static int
compare(const void *left, const void *right)
{
    const struct part *a = left, *b = right;
    return (a->comm > b->comm) - (a->comm < b->comm);
}

/** The parts of a process that have operations, in the order of its communicators, to free(). */
static struct part *
parts_of(const struct job_index *job, const struct process_entry *process, size_t *ret_count)
{
    struct part *parts = NULL;
    size_t capacity = 0, count = 0;
    uint32_t end = process->first_op + process->n_ops;
    for (uint32_t first = process->first_op, next; first < end; first = next) {
        uint32_t member = job->ops[first].member;
        for (next = first + 1; next < end && job->ops[next].member == member; next++)
            continue;
        *ALLOC_ADD(parts, count, capacity) =
            (struct part){job->members[member].record, first, next};
    }
    if (count > 0)
        qsort(parts, count, sizeof *parts, compare);
    *ret_count = count;
    return parts;
}

/** The place of an operation among those of its communicator. */
static size_t
place_of(const struct part *part, const struct job_op *op)
{
    size_t place = op->order;
    for (unsigned queue = 0; queue < op->queue; queue++)
        place += communicator_operations(part->comm, job_index_class(queue))->count;
    return place;
}

/** Writes runs of operations without a partner. */
static void
write_unmatched(struct json_out *json, const struct annotations *marks, const struct part *part)
{
    const struct job_op *ops = marks->verdict->job.ops;
    for (uint32_t first = part->first, next; first < part->end; first = next) {
        next = first + 1;
        if (marks->misses[first] == MATCHED)
            continue;
        size_t place = place_of(part, &ops[first]);
        while (next < part->end && marks->misses[next] != MATCHED &&
               place_of(part, &ops[next]) == place + (next - first))
            next++;
        char text[48];
        snprintf(text, sizeof text, "%zu-%zu", place, place + (next - first) - 1);
        json_out_text(json, text);
    }
}

static void
write_part(struct json_out *json, const struct annotations *marks, const struct part *part)
{
    const struct job_op *ops = marks->verdict->job.ops;
    json_out_open(json, '{');
    json_out_array(json, "blocked");
    for (uint32_t i = part->first; i < part->end; i++) {
        if (!ops[i].awaited || ops[i].fate == JOB_RUNNABLE)
            continue;
        json_out_integer(json, (int64_t) place_of(part, &ops[i]));
    }
    json_out_close(json, ']');
    json_out_array(json, "unmatched");
    write_unmatched(json, marks, part);
    json_out_close(json, ']');
    json_out_array(json, "misses");
    for (uint32_t i = part->first; i < part->end; i++) {
        if (marks->misses[i] < 0)
            continue;
        json_out_open(json, '[');
        json_out_integer(json, (int64_t) place_of(part, &ops[i]));
        json_out_integer(json, marks->misses[i]);
        json_out_close(json, ']');
    }
    json_out_close(json, ']');
    json_out_close(json, '}');
}

static void
write_process(struct json_out *json, const struct annotations *marks,
              const struct process_entry *process)
{
    const struct report *report = process->report;
    size_t count, next = 0;
    struct part *parts = parts_of(&marks->verdict->job, process, &count);
    json_out_open(json, '[');
    for (size_t i = 0; i < report->comms.count; i++) {
        if (next < count && parts[next].comm == &report->comms.items[i])
            write_part(json, marks, &parts[next++]);
        else
            json_out_null(json);
    }
    json_out_close(json, ']');
    free(parts);
}

void
annotations_write(struct json_out *json, const struct verdict *verdict)
{
    struct annotations marks = {.verdict = verdict};
    find_misses(&marks);
    json_out_open(json, '[');
    for (size_t i = 0; i < verdict->job.n_processes; i++) {
        write_process(json, &marks, &verdict->job.processes[i]);
    }
    json_out_close(json, ']');
    free(marks.misses);
}
