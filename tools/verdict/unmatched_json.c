// SPDX-License-Identifier: BSD-3-Clause
// The member "unmatched" of the verdict.
#include "tools/json.h"
#include "tools/verdict/near.h"
#include "tools/verdict/verdict_json.h"

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

static json_t *
operation_json(const struct verdict *verdict, const struct near_search *search, uint32_t number)
{
    struct near near[NEAR_MAX];
    size_t count = near_find(search, number, near);
    json_t *object = json_object(), *misses = json_array();
    json_t *operation = verdict_operation_json(verdict, number);
    set_place(verdict, object, &verdict->view.ops[number]);
    json_object_set(object, "queue", json_object_get(operation, "queue"));
    json_object_set_new(object, "operation", operation);
    for (size_t i = 0; i < count; i++)
        json_array_append_new(misses, near_json(verdict, &near[i]));
    if (count > 0)
        json_object_set(object, "near_misses", misses);
    json_decref(misses);
    return object;
}

json_t *
unmatched_json(const struct verdict *verdict)
{
    struct near_search search;
    json_t *array = json_array();
    near_init(&search, &verdict->view);
    for (uint32_t i = 0; i < verdict->view.n_ops; i++)
        if (near_is_unmatched(&verdict->view.ops[i]))
            json_array_append_new(array, operation_json(verdict, &search, i));
    near_deinit(&search);
    return array;
}
