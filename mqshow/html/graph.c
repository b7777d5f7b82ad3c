// SPDX-License-Identifier: BSD-3-Clause
// The wait-for graph of a document, small enough to be drawn.
#include "mqshow/html/graph.h"

#include "mqshow/base/alloc.h"
#include "mqshow/html/fold.h"
#include "mqshow/base/member.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    MANY_EDGES = 240,     // more cannot be read, and take long to lay out
    MANY_STEPS = 4000000, // that are made to find them
};

static const char *const kind_names[KINDS] = {"unknown", "runs", "mpi", "waits", "cycle"};

/** Sets a member to a text of the document; nothing for NULL. */
static void
set_text(json_t *object, const char *key, const char *text)
{
    if (text != NULL)
        json_object_set_new(object, key, json_string(text));
}

/** "exchange at ring.c:17", for free(); NULL when nothing is known. */
static char *
place_text(const struct frame_record *frame)
{
    if (frame == NULL || frame->file == NULL || !HAS(frame, FRAME_LINE))
        return frame != NULL ? alloc_text(frame->function) : NULL;
    return alloc_format("%s%s%s:%" PRId64, frame->function != NULL ? frame->function : "",
                        frame->function != NULL ? " at " : "", base_name(frame->file), frame->line);
}

/** "barrier on solver", for free(); NULL for none. */
static char *
late_text(const struct verdict *verdict, const struct collective *late)
{
    if (late == NULL)
        return NULL;
    return alloc_format("%s on %s", collectives_name(&verdict->waits.collectives, late),
                        jobview_comm_name(&verdict->view.comms[late->comm]));
}

/** The ranks of a node, "[0-3,7]", for free(). */
static char *
ranks_text(const struct rank_states *all, const struct nodes *nodes, size_t node)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    const char *separator = "[";
    for (size_t i = 0; i < all->count; i++) {
        int32_t first = all->items[i].label, last = first;
        if (nodes->of[i] != node)
            continue;
        while (i + 1 < all->count && nodes->of[i + 1] == node &&
               all->items[i + 1].label == last + 1)
            last = all->items[++i].label;
        fprintf(out, "%s%d", separator, first);
        if (last > first)
            fprintf(out, "-%d", last);
        separator = ",";
    }
    fputc(']', out);
    fclose(out);
    return text;
}

static json_t *
node_json(const struct verdict *verdict, const struct rank_states *all, const struct nodes *nodes,
          size_t i)
{
    const struct rank_node *node = &nodes->items[i];
    char *ranks = ranks_text(all, nodes, i);
    char *place = place_text(node->frame), *late = late_text(verdict, node->late);
    json_t *object = json_pack("{s:s, s:I, s:s}", "ranks", ranks, "count", (json_int_t) node->count,
                               "kind", kind_names[node->kind]);
    set_text(object, "call", node->call);
    set_text(object, "state", node->state);
    set_text(object, "place", place);
    set_text(object, "late", late);
    set_text(object, "inside", node->inside);
    free(ranks);
    free(place);
    free(late);
    return object;
}

/** What is known while edges are collected. */
struct edges {
    const struct verdict *verdict;
    const struct rank_states *all;
    const struct nodes *nodes;
    json_t *cycle_steps; // "FROM>TO" of labels
    json_t *seen;        // waits that need not be looked at again, and the places of edges
    json_t *list;
    size_t budget; // steps that may still be made
};

static char *
step_text(int32_t from, int32_t to)
{
    return alloc_format("%d>%d", from, to);
}

/** The labels of a cycle, to free(). */
static int32_t *
labels_of(const struct verdict *verdict, const struct knot *knot, size_t *ret_count)
{
    int32_t *labels = alloc_zeroed(knot->n_cycle, sizeof *labels);
    *ret_count = 0;
    for (size_t i = 0; i < knot->n_cycle; i++) {
        const struct node *node = &verdict->waits.graph.nodes[knot->cycle[i]];
        if (node->what == WHAT_PROCESS)
            labels[(*ret_count)++] = verdict->view.processes[node->number].label;
    }
    return labels;
}

static json_t *
steps_of_cycles(const struct verdict *verdict)
{
    json_t *steps = json_object();
    for (size_t i = 0; i < verdict->knots.count; i++) {
        size_t count;
        int32_t *labels = labels_of(verdict, &verdict->knots.items[i], &count);
        for (size_t k = 0; k < count; k++) {
            char *text = step_text(labels[k], labels[(k + 1) % count]);
            json_object_set_new(steps, text, json_true());
            free(text);
        }
        free(labels);
    }
    return steps;
}

/** Whether a wait is a part of a cycle: a step of one, or between two ranks of the same knot. */
static bool
is_in_cycle(const struct edges *edges, const struct rank_state *from, const struct rank_state *to)
{
    char *text = step_text(from->label, to->label);
    bool same = from->cycle != SIZE_MAX && from->cycle == to->cycle;
    same |= json_object_get(edges->cycle_steps, text) != NULL;
    free(text);
    return same;
}

/** "tag 42", for free(); NULL when the wait is for no message or for any tag. */
static char *
wait_label(const struct wait *wait)
{
    const struct operation *op = wait->op != NULL ? wait->op->record : NULL;
    return op != NULL && HAS(op, OP_TAG) && op->tag != REPORT_ANY ? alloc_format("tag %d", op->tag)
                                                                  : NULL;
}

/** Whether one of the ranks is enough: for one of several operations, or a receive from anybody. */
static bool
needs_any(const struct wait *wait)
{
    return wait->any || (wait->op != NULL && wait->op->peer == ANY);
}

/** Adds an edge, or finds it; edges whose labels differ have none. */
static void
add_edge(struct edges *edges, const struct wait *wait, const struct rank_state *from,
         const struct rank_state *to)
{
    size_t a = edges->nodes->of[from - edges->all->items];
    size_t b = edges->nodes->of[to - edges->all->items];
    bool cycle = is_in_cycle(edges, from, to), any = needs_any(wait);
    char key[96];
    snprintf(key, sizeof key, "%zu>%zu %d %d", a, b, cycle, any);
    char *label = wait_label(wait);
    json_t *edge = json_object_get(edges->seen, key);
    if (edge == NULL) {
        edge = json_pack("{s:I, s:I, s:s, s:b}", "from", (json_int_t) a, "to", (json_int_t) b,
                         "needs", any ? "any" : "all", "cycle", cycle);
        set_text(edge, "label", label);
        json_object_set(edges->seen, key, edge);
        json_array_append_new(edges->list, edge);
    } else {
        const char *old = json_string_value(json_object_get(edge, "label"));
        if (old != NULL && (label == NULL || strcmp(old, label) != 0))
            json_object_del(edge, "label");
    }
    free(label);
}

/** Whether a wait from the same node for the same ranks was seen: then its edges are there. */
static bool
is_seen(struct edges *edges, const struct wait *wait, const struct rank_state *from)
{
    char *label = wait_label(wait);
    size_t node = edges->nodes->of[from - edges->all->items];
    char *key = alloc_format("wait %zu %zu %" PRIx64 " %d %s", node, from->cycle, wait_hash(wait),
                             needs_any(wait), label != NULL ? label : "");
    bool seen = json_object_get(edges->seen, key) != NULL;
    json_object_set_new(edges->seen, key, json_true());
    free(key);
    free(label);
    return seen;
}

/** That a thread waits for another one of its process, the panel of the rank shows. */
static void
add_wait(void *context, const struct wait *wait)
{
    struct edges *edges = context;
    const struct rank_states *all = edges->all;
    size_t from = all->of[wait->process];
    if (wait->inside || from == all->count || is_seen(edges, wait, &all->items[from]))
        return;
    for (size_t i = 0; i < wait->n_targets && edges->budget > 0; i++, edges->budget--)
        if (all->of[wait->targets[i]] < all->count)
            add_edge(edges, wait, &all->items[from], &all->items[all->of[wait->targets[i]]]);
}

/** The edges that are drawn: those of cycles before the others. */
static json_t *
choose(const json_t *list)
{
    json_t *chosen = json_array();
    for (int in_cycle = 1; in_cycle >= 0; in_cycle--)
        for (size_t i = 0; i < json_array_size(list); i++) {
            json_t *edge = json_array_get(list, i);
            if (json_is_true(json_object_get(edge, "cycle")) == in_cycle &&
                json_array_size(chosen) < MANY_EDGES)
                json_array_append(chosen, edge);
        }
    return chosen;
}

static void
set_edges(json_t *graph, struct edges *edges)
{
    wait_list_each(edges->verdict, add_wait, edges);
    json_t *chosen = choose(edges->list);
    bool all = json_array_size(chosen) == json_array_size(edges->list) && edges->budget > 0;
    json_object_set_new(graph, "edges", chosen);
    json_object_set_new(graph, "all_edges", json_boolean(all));
}

json_t *
graph_make(const struct verdict *verdict)
{
    struct rank_states all = rank_states_find(verdict);
    struct nodes nodes = fold(&all);
    json_t *graph = json_object(), *list = json_array();
    for (size_t i = 0; i < nodes.count; i++)
        json_array_append_new(list, node_json(verdict, &all, &nodes, i));
    json_object_set_new(graph, "by_index", json_boolean(verdict->view.by_index));
    json_object_set_new(graph, "nodes", list);
    struct edges edges = {.verdict = verdict,
                          .all = &all,
                          .nodes = &nodes,
                          .cycle_steps = steps_of_cycles(verdict),
                          .seen = json_object(),
                          .list = json_array(),
                          .budget = MANY_STEPS};
    set_edges(graph, &edges);
    json_decref(edges.cycle_steps);
    json_decref(edges.seen);
    json_decref(edges.list);
    fold_free(&nodes);
    rank_states_free(&all);
    return graph;
}
