// SPDX-License-Identifier: BSD-3-Clause
// The member "unmatched" of the verdict.
#include "mqshow/verdict/near.h"
#include "mqshow/verdict/verdict_json.h"

/** Where an operation is. */
static void
write_place(struct json_out *json, const struct verdict *verdict, const struct jv_op *op)
{
    json_out_set_integer(json, "rank", verdict->view.processes[op->process].label);
    verdict_write_comm(json, &verdict->view.comms[op->comm]);
}

/** One that nearly matches. */
static void
write_near(struct json_out *json, const struct verdict *verdict, const struct near *near)
{
    const struct jv_op *op = &verdict->view.ops[near->op];
    json_out_open(json, '{');
    write_place(json, verdict, op);
    json_out_set_text(json, "why", near->why);
    verdict_write_operation(json, "operation", verdict, op);
    json_out_close(json, '}');
}

static void
write_unmatched(struct json_out *json, const struct verdict *verdict, const struct jv_op *op,
                const struct near *near, size_t count)
{
    json_out_open(json, '{');
    write_place(json, verdict, op);
    json_out_set_text(json, "queue", queue_key(jobview_class(op->queue)));
    verdict_write_operation(json, "operation", verdict, op);
    if (count > 0) {
        json_out_array(json, "near_misses");
        for (size_t i = 0; i < count; i++) {
            write_near(json, verdict, &near[i]);
        }
        json_out_close(json, ']');
    }
    json_out_close(json, '}');
}

void
verdict_write_unmatched(struct json_out *json, const struct verdict *verdict, bool missed_only)
{
    json_out_open(json, '[');
    for (uint32_t i = 0; i < verdict->view.n_ops; i++) {
        struct near near[NEAR_MAX];
        if (!near_is_unmatched(&verdict->view.ops[i]))
            continue;
        size_t count = near_find(&verdict->near, i, near);
        if (count == 0 && missed_only)
            continue;
        write_unmatched(json, verdict, &verdict->view.ops[i], near, count);
    }
    json_out_close(json, ']');
}
