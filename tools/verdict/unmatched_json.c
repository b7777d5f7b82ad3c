// SPDX-License-Identifier: BSD-3-Clause
// The member "unmatched" of the verdict.
#include "tools/alloc.h"
#include "tools/json.h"
#include "tools/verdict/lonely.h"
#include "tools/verdict/near.h"
#include "tools/verdict/verdict_json.h"

#include <stdlib.h>

static void
set_place(const struct verdict *verdict, json_t *object, const struct jv_op *op)
{
    const struct jv_comm *comm = &verdict->view.comms[op->comm];
    json_set_integer(object, "rank", true, verdict->view.processes[op->process].label);
    json_set_text(object, "communicator", jobview_comm_name(comm));
    json_set_integer(object, "communicator_id", true, comm->id);
}

static json_t *
near_json(const struct verdict *verdict, const struct near *near)
{
    json_t *object = json_object();
    set_place(verdict, object, &verdict->view.ops[near->op]);
    json_set_text(object, "why", near->why);
    json_object_set_new(object, "operation", verdict_operation_json(verdict, near->op));
    return object;
}

/** One that others nearly match. */
static json_t *
missed_json(const struct verdict *verdict, uint32_t number, const struct near *near, size_t count)
{
    json_t *object = json_object(), *misses = json_array();
    json_t *operation = verdict_operation_json(verdict, number);
    set_place(verdict, object, &verdict->view.ops[number]);
    json_object_set(object, "queue", json_object_get(operation, "queue"));
    json_object_set_new(object, "operation", operation);
    for (size_t i = 0; i < count; i++)
        json_array_append_new(misses, near_json(verdict, &near[i]));
    json_object_set_new(object, "near_misses", misses);
    return object;
}

/** Those of one queue that nothing nearly matches, one after the other. */
struct run {
    const struct jv_op *first; // NULL: there are none
    uint32_t *numbers;
    size_t count, capacity;
};

static void
end_run(const struct verdict *verdict, struct run *run, json_t *array)
{
    if (run->first == NULL)
        return;
    json_t *place = json_object();
    const char *queue = queue_key(jobview_class(run->first->queue));
    set_place(verdict, place, run->first);
    struct lonely lonely = {
        .rank = json_object_get(place, "rank"),
        .communicator = json_object_get(place, "communicator"),
        .communicator_id = json_object_get(place, "communicator_id"),
        .queue = json_string(queue),
        .packed = json_object_get(verdict->view.members[run->first->member].json, queue),
        .numbers = run->numbers,
        .count = run->count};
    json_array_append_new(array, lonely_json(&lonely));
    json_decref(lonely.queue);
    json_decref(place);
    run->first = NULL;
    run->count = 0;
}

static void
add_to_run(const struct verdict *verdict, struct run *run, const struct jv_op *op, json_t *array)
{
    if (run->first != NULL && (run->first->member != op->member || run->first->queue != op->queue))
        end_run(verdict, run, array);
    if (run->first == NULL)
        run->first = op;
    run->numbers = alloc_grow(run->numbers, run->count, &run->capacity, sizeof *run->numbers);
    run->numbers[run->count++] = op->order;
}

json_t *
unmatched_json(const struct verdict *verdict)
{
    struct near_search search;
    struct run run = {.first = NULL};
    json_t *array = json_array();
    near_init(&search, &verdict->view);
    for (uint32_t i = 0; i < verdict->view.n_ops; i++) {
        struct near near[NEAR_MAX];
        if (!near_is_unmatched(&verdict->view.ops[i]))
            continue;
        size_t count = near_find(&search, i, near);
        if (count == 0) {
            add_to_run(verdict, &run, &verdict->view.ops[i], array);
            continue;
        }
        end_run(verdict, &run, array);
        json_array_append_new(array, missed_json(verdict, i, near, count));
    }
    end_run(verdict, &run, array);
    free(run.numbers);
    near_deinit(&search);
    return array;
}
