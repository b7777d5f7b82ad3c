// SPDX-License-Identifier: BSD-3-Clause
// What the verdict says of operations, by their places.
#include "mqshow/html/marks.h"

#include "mqshow/base/alloc.h"
#include "mqshow/verdict/near.h"

#include <stdio.h>
#include <stdlib.h>

enum { MATCHED = -2, ALONE = -1 }; // else: the place of one that others nearly match

/** What was found out about all operations. */
struct marks {
    const struct verdict *verdict;
    int32_t *misses; // by operation
};

/** The operations of a communicator of a process. */
struct part {
    const struct communicator *comm;
    uint32_t first, end;
};

static void
find_misses(struct marks *marks)
{
    const struct jobview *view = &marks->verdict->view;
    int32_t count = 0;
    marks->misses = alloc_zeroed(view->n_ops, sizeof *marks->misses);
    for (uint32_t i = 0; i < view->n_ops; i++) {
        struct near near[NEAR_MAX];
        if (!near_is_unmatched(&view->ops[i]))
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
parts_of(const struct jobview *view, const struct jv_process *process, size_t *ret_count)
{
    struct part *parts = NULL;
    size_t capacity = 0, count = 0;
    uint32_t end = process->first_op + process->n_ops;
    for (uint32_t first = process->first_op, next; first < end; first = next) {
        uint32_t member = view->ops[first].member;
        for (next = first + 1; next < end && view->ops[next].member == member; next++)
            continue;
        *ALLOC_ADD(parts, count, capacity) =
            (struct part){view->members[member].record, first, next};
    }
    if (count > 0)
        qsort(parts, count, sizeof *parts, compare);
    *ret_count = count;
    return parts;
}

/** The place of an operation among those of its communicator. */
static size_t
place_of(const struct part *part, const struct jv_op *op)
{
    size_t place = op->order;
    for (unsigned queue = 0; queue < op->queue; queue++)
        place += communicator_operations(part->comm, jobview_class(queue))->count;
    return place;
}

static bool
is_blocked(const struct marks *marks, uint32_t op)
{
    return verdict_is_awaited(marks->verdict, op) &&
           marks->verdict->view.ops[op].fate != JV_GOES_ON;
}

/** Writes runs of operations without a partner. */
static void
write_unmatched(struct json_out *json, const struct marks *marks, const struct part *part)
{
    const struct jv_op *ops = marks->verdict->view.ops;
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
write_part(struct json_out *json, const struct marks *marks, const struct part *part)
{
    const struct jv_op *ops = marks->verdict->view.ops;
    json_out_open(json, '{');
    json_out_array(json, "blocked");
    for (uint32_t i = part->first; i < part->end; i++) {
        if (!is_blocked(marks, i))
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
write_process(struct json_out *json, const struct marks *marks, const struct jv_process *process)
{
    const struct report *report = process->report;
    size_t count, next = 0;
    struct part *parts = parts_of(&marks->verdict->view, process, &count);
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
marks_write(struct json_out *json, const struct verdict *verdict)
{
    struct marks marks = {.verdict = verdict};
    find_misses(&marks);
    json_out_open(json, '[');
    for (size_t i = 0; i < verdict->view.n_processes; i++) {
        write_process(json, &marks, &verdict->view.processes[i]);
    }
    json_out_close(json, ']');
    free(marks.misses);
}
