// SPDX-License-Identifier: BSD-3-Clause
// The member "verdict" of a document.
#include "tools/verdict/verdict_json.h"

#include "tools/json.h"
#include "tools/verdict/member.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *
verdict_ranks_json(const struct verdict *verdict, const uint32_t *processes, size_t count)
{
    enum { LONG_RUN = 64 };
    size_t n_labels;
    int32_t *labels = verdict_labels(verdict, processes, count, &n_labels);
    json_t *array = json_array();
    for (size_t first = 0, last; first < n_labels; first = last + 1) {
        last = first;
        while (last + 1 < n_labels && labels[last + 1] - 1 == labels[last])
            last++;
        if (last - first + 1 >= LONG_RUN) {
            json_array_append_new(array, json_sprintf("%d-%d", labels[first], labels[last]));
            continue;
        }
        for (size_t i = first; i <= last; i++)
            json_array_append_new(array, json_integer(labels[i]));
    }
    free(labels);
    return array;
}

json_t *
verdict_operation_json(const struct verdict *verdict, uint32_t number)
{
    const struct jv_op *op = &verdict->view.ops[number];
    const struct jv_comm *comm = &verdict->view.comms[op->comm];
    json_t *object = verdict->told[number];
    if (object == NULL) {
        struct operations operations = jobview_operations(&verdict->view, op);
        object = verdict->told[number] = operations_json(&operations, op->record);
        json_set_text(object, "communicator", jobview_comm_name(comm));
        json_set_integer(object, "communicator_id", true, comm->id);
        json_set_text(object, "queue", queue_key(jobview_class(op->queue)));
    }
    return json_incref(object);
}

static json_t *
cycles_json(const struct verdict *verdict)
{
    json_t *cycles = json_array();
    for (size_t i = 0; i < verdict->knots.count; i++) {
        const struct knot *knot = &verdict->knots.items[i];
        json_t *cycle = json_array();
        for (size_t k = 0; k < knot->n_cycle; k++) {
            const struct node *node = &verdict->waits.graph.nodes[knot->cycle[k]];
            if (node->what == WHAT_PROCESS)
                json_array_append_new(cycle,
                                      json_integer(verdict->view.processes[node->number].label));
        }
        json_array_append_new(cycles, cycle);
    }
    return cycles;
}

static json_t *
groups_json(const struct verdict *verdict)
{
    json_t *groups = json_array();
    for (size_t i = 0; i < verdict->n_groups; i++) {
        const struct alike *group = &verdict->groups[i];
        struct words ranks = {.text = NULL};
        size_t n_labels;
        int32_t *labels = verdict_labels(verdict, group->processes, group->count, &n_labels);
        words_add_ranges(&ranks, labels, n_labels, SIZE_MAX);
        char *text = words_take(&ranks);
        json_array_append_new(groups,
                              json_pack("{s:s, s:I, s:s}", "ranks", text, "count",
                                        (json_int_t) group->count, "situation",
                                        intern_get_text(&verdict->situations, group->situation)));
        free(text);
        free(labels);
    }
    return groups;
}

static json_t *
cause_json(const struct verdict *verdict)
{
    const struct cause *cause = &verdict->cause;
    size_t count;
    uint32_t *waiting = verdict_waiting(verdict, &count);
    json_t *object = json_pack("{s:s, s:o, s:o}", "what", cause->what, "ranks",
                               verdict_ranks_json(verdict, cause->processes, cause->n_processes),
                               "waiting", verdict_ranks_json(verdict, waiting, count));
    free(waiting);
    return object;
}

json_t *
verdict_json(const struct verdict *verdict)
{
    json_t *object = json_object(), *unseen = json_array(), *facts = json_array();
    json_set_text(object, "kind", verdict_kind_name(verdict->kind));
    json_set_text(object, "text", verdict->text);
    for (size_t i = 0; i < verdict->n_facts; i++)
        json_array_append_new(facts, json_string(verdict->facts[i]));
    json_object_set_new(object, "facts", facts);
    if (verdict->cause.what != NULL)
        json_object_set_new(object, "cause", cause_json(verdict));
    if (verdict->view.by_index)
        json_set_text(object, "ranks_are", "indices of processes");
    json_object_set_new(object, "cycles", cycles_json(verdict));
    json_object_set_new(object, "waits", waits_json(verdict));
    json_object_set_new(object, "unmatched", unmatched_json(verdict));
    json_object_set_new(object, "collectives", collectives_json_of(verdict));
    json_object_set_new(object, "groups", groups_json(verdict));
    for (size_t i = 0; i < verdict->view.n_unseen; i++)
        json_array_append_new(unseen, json_string(verdict->view.unseen[i]));
    json_object_set_new(object, "unseen", unseen);
    return object;
}
