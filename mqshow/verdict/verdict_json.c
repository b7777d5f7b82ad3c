// SPDX-License-Identifier: BSD-3-Clause
// The verdict as JSON.
#include "mqshow/verdict/verdict_json.h"

#include <stdlib.h>

static void
write_texts(struct json_out *json, const char *key, char *const *texts, size_t count)
{
    json_out_array(json, key);
    for (size_t i = 0; i < count; i++) {
        json_out_text(json, texts[i]);
    }
    json_out_close(json, ']');
}

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

void
verdict_write_comm(struct json_out *json, const struct jv_comm *comm)
{
    json_out_set_text(json, "communicator", jobview_comm_name(comm));
    json_out_set_integer(json, "communicator_id", comm->id);
}

void
verdict_write_operation(struct json_out *json, const char *key, const struct verdict *verdict,
                        const struct jv_op *op)
{
    const struct record_place place = {
        .operations = (struct operations *) jobview_operations(&verdict->view, op)};
    json_out_object(json, key);
    record_write_members(json, &operation_type, op->record, &place);
    verdict_write_comm(json, &verdict->view.comms[op->comm]);
    json_out_set_text(json, "queue", queue_key(jobview_class(op->queue)));
    json_out_close(json, '}');
}

static void
write_cycles(struct json_out *json, const struct verdict *verdict)
{
    json_out_open(json, '[');
    for (size_t i = 0; i < verdict->knots.count; i++) {
        const struct knot *knot = &verdict->knots.items[i];
        json_out_open(json, '[');
        for (size_t k = 0; k < knot->n_cycle; k++) {
            const struct node *node = &verdict->waits.graph.nodes[knot->cycle[k]];
            if (node->what != WHAT_PROCESS)
                continue;
            json_out_integer(json, verdict->view.processes[node->number].label);
        }
        json_out_close(json, ']');
    }
    json_out_close(json, ']');
}

static void
write_group(struct json_out *json, const struct verdict *verdict, const struct alike *group)
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
    json_out_open(json, '[');
    for (size_t i = 0; i < verdict->n_groups; i++) {
        write_group(json, verdict, &verdict->groups[i]);
    }
    json_out_close(json, ']');
}

static void
write_cause(struct json_out *json, const struct verdict *verdict)
{
    const struct cause *cause = &verdict->cause;
    size_t count;
    uint32_t *waiting = verdict_select(verdict, verdict_is_waiting, &count);
    json_out_open(json, '{');
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
    if (verdict->cause.what != NULL) {
        json_out_key(json, "cause");
        write_cause(json, verdict);
    }
    if (verdict->view.by_index)
        json_out_set_text(json, "ranks_are", "indices of processes");
    json_out_key(json, "cycles");
    write_cycles(json, verdict);
    json_out_key(json, "waits");
    verdict_write_waits(json, verdict);
    json_out_key(json, "unmatched");
    verdict_write_unmatched(json, verdict, missed_only);
    json_out_key(json, "collectives");
    verdict_write_collectives(json, verdict);
    json_out_key(json, "groups");
    write_groups(json, verdict);
    write_texts(json, "unseen", verdict->view.unseen, verdict->view.n_unseen);
    json_out_close(json, '}');
}
