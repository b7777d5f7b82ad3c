// SPDX-License-Identifier: BSD-3-Clause
// The wait-for graph of a document, small enough to be drawn.
#include "mqshow/html/graph.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/html/thread_graph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    MANY_EDGES = 240,     // more cannot be read, and take long to lay out
    MANY_STEPS = 4000000, // that are made to find them
};

/** "exchange at ring.c:17", for free(); NULL when nothing is known. */
static char *
place_text(const struct frame_record *frame)
{
    if (!frame || !frame->file || !HAS(frame, FRAME_LINE))
        return frame ? alloc_text(frame->function) : NULL;
    return alloc_format("%s%s%s:%" PRId64, frame->function ? frame->function : "",
                        frame->function ? " at " : "", base_name(frame->file), frame->line);
}

/** "barrier on solver", for free(); NULL for none. */
static char *
entry_text(const struct verdict *verdict, const struct collective *item)
{
    if (!item)
        return NULL;
    return alloc_format("%s on %s", item->name,
                        job_index_comm_name(&verdict->job.comms[item->comm]));
}

/** The ranks of a node, "[0-3,7]", for free(). */
static char *
ranks_text(const struct drawn_graph *graph, size_t node)
{
    struct strbuf text = {.text = NULL};
    if (graph->nodes.items[node].thread)
        return alloc_text("[0]");
    int32_t *labels = alloc_zeroed(graph->nodes.items[node].count, sizeof *labels);
    size_t count = 0;
    for (size_t i = 0; i < graph->ranks.count; i++)
        if (graph->nodes.of[i] == node)
            labels[count++] = graph->ranks.items[i].label;
    strbuf_add_ranges(&text, labels, count, SIZE_MAX);
    free(labels);
    return strbuf_take(&text);
}

/** What is known while edges are collected. */
struct search {
    struct drawn_graph *graph;
    struct intern edges; // those of the graph by what distinguishes them
    struct intern seen;  // waits that need not be followed again
    size_t budget;       // steps that may still be made
};

/** Whether one of the ranks is enough: for one of several operations, or a receive from anybody. */
static bool
needs_any(const struct wait *wait)
{
    return wait->any || (wait->op && wait->op->peer == ANY);
}

/** "tag 42"; "" when the wait is for no message or for any tag. */
static void
write_label(const struct wait *wait, char *ret, size_t size)
{
    const struct operation *op = wait->op ? wait->op->record : NULL;
    *ret = '\0';
    if (op && HAS(op, OP_TAG) && op->tag != REPORT_ANY)
        snprintf(ret, size, "tag %" PRId32, op->tag);
}

/** Adds an edge, or finds it; edges whose labels differ have none. */
static void
add_edge(struct search *search, const struct wait *wait, size_t from, size_t to)
{
    struct drawn_graph *graph = search->graph;
    const struct rank_state *one = &graph->ranks.items[from], *other = &graph->ranks.items[to];
    struct drawn_edge edge = {.from = graph->nodes.of[from],
                              .to = graph->nodes.of[to],
                              .any = needs_any(wait),
                              .cycle = one->cycle != SIZE_MAX && one->cycle == other->cycle};
    const size_t key[] = {edge.from, edge.to, edge.any, edge.cycle};
    write_label(wait, edge.label, sizeof edge.label);
    size_t number = intern_bytes(&search->edges, key, sizeof key);
    if (number == graph->n_edges)
        *ALLOC_ADD(graph->edges, graph->n_edges, graph->edges_capacity) = edge;
    else if (strcmp(graph->edges[number].label, edge.label) != 0)
        *graph->edges[number].label = '\0';
}

/** Whether a wait from the same node for the same ranks was seen: then its edges are there. */
static bool
is_seen(struct search *search, const struct wait *wait, size_t from)
{
    char label[24], key[128];
    size_t before = search->seen.count;
    write_label(wait, label, sizeof label);
    snprintf(key, sizeof key, "%zu %zu %" PRIx64 " %d %s", search->graph->nodes.of[from],
             search->graph->ranks.items[from].cycle, wait_hash(wait), needs_any(wait), label);
    return intern_text(&search->seen, key) < before;
}

/** That a thread waits for another one of its process, the panel of the rank shows. */
static void
add_wait(void *context, const struct wait *wait)
{
    struct search *search = context;
    const struct rank_states *all = &search->graph->ranks;
    size_t from = all->of[wait->process];
    if (wait->inside || from == all->count || is_seen(search, wait, from))
        return;
    for (size_t i = 0; i < wait->n_targets && search->budget > 0; i++, search->budget--)
        if (all->of[wait->targets[i]] < all->count)
            add_edge(search, wait, from, all->of[wait->targets[i]]);
}

/** Keeps the edges that are drawn: those of cycles before the others. */
static void
choose_edges(struct drawn_graph *graph)
{
    struct drawn_edge *chosen = alloc_zeroed(MANY_EDGES, sizeof *chosen);
    size_t count = 0;
    for (int in_cycle = 1; in_cycle >= 0; in_cycle--)
        for (size_t i = 0; i < graph->n_edges && count < MANY_EDGES; i++)
            if (graph->edges[i].cycle == in_cycle)
                chosen[count++] = graph->edges[i];
    free(graph->edges);
    graph->edges = chosen;
    graph->n_edges = count;
}

void
graph_make(struct drawn_graph *graph, const struct verdict *verdict)
{
    *graph =
        (struct drawn_graph){.ranks = rank_states_find(verdict), .by_index = verdict->job.by_index};
    bool of_threads = thread_graph_make(graph, verdict);
    if (!of_threads)
        graph->nodes = clusters_find(&graph->ranks);
    for (size_t i = 0; i < graph->nodes.count; i++) {
        struct cluster *node = &graph->nodes.items[i];
        node->ranks = ranks_text(graph, i);
        node->place = place_text(node->frame);
        node->entry = entry_text(verdict, node->not_entered);
    }
    struct search search = {.graph = graph, .budget = MANY_STEPS};
    if (!of_threads)
        wait_list_each(verdict, add_wait, &search);
    graph->all_edges = graph->n_edges <= MANY_EDGES && search.budget > 0;
    choose_edges(graph);
    intern_deinit(&search.edges);
    intern_deinit(&search.seen);
}

void
graph_free(struct drawn_graph *graph)
{
    for (size_t i = 0; i < graph->n_edges; i++)
        free(graph->edges[i].path);
    free(graph->edges);
    free(graph->error);
    clusters_free(&graph->nodes);
    rank_states_free(&graph->ranks);
}

/** A number with one place behind the point. */
static void
write_number(struct json_out *json, const char *key, double number)
{
    json_out_key(json, key);
    json_out_real(json, (double) (long) (number * 10) / 10);
}

static void
write_point(struct json_out *json, const char *key, struct point point)
{
    json_out_object(json, key);
    write_number(json, "x", point.x);
    write_number(json, "y", point.y);
    json_out_close(json, '}');
}

static void
write_node(struct json_out *json, const struct cluster *node, bool drawn)
{
    static const char *const kinds[KINDS] = {"unknown", "runs", "mpi", "waits", "cycle"};
    const struct {
        const char *key, *text;
    } texts[] = {{"ranks", node->ranks},   {"kind", kinds[node->kind]}, {"call", node->call},
                 {"state", node->state},   {"place", node->place},      {"late", node->entry},
                 {"thread", node->thread}, {"inside", node->inside}};
    json_out_open(json, '{');
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        json_out_set_text(json, texts[i].key, texts[i].text);
    json_out_set_integer(json, "count", (int64_t) node->count);
    if (drawn) {
        write_number(json, "x", node->x);
        write_number(json, "y", node->y);
        write_number(json, "w", node->w);
        write_number(json, "h", node->h);
    }
    json_out_close(json, '}');
}

static void
write_edge(struct json_out *json, const struct drawn_edge *edge)
{
    json_out_open(json, '{');
    json_out_set_integer(json, "from", (int64_t) edge->from);
    json_out_set_integer(json, "to", (int64_t) edge->to);
    json_out_set_text(json, "needs", edge->any ? "any" : "all");
    json_out_key(json, "cycle");
    json_out_bool(json, edge->cycle);
    json_out_set_text(json, "label", *edge->label != '\0' ? edge->label : NULL);
    json_out_set_text(json, "path", edge->path);
    if (edge->path)
        write_point(json, "tip", edge->tip);
    if (edge->has_label_at)
        write_point(json, "label_at", edge->label_at);
    json_out_close(json, '}');
}

void
graph_write(struct json_out *json, const struct drawn_graph *graph)
{
    bool drawn = !graph->error;
    json_out_open(json, '{');
    json_out_array(json, "nodes");
    for (size_t i = 0; i < graph->nodes.count; i++)
        write_node(json, &graph->nodes.items[i], drawn);
    json_out_close(json, ']');
    json_out_array(json, "edges");
    for (size_t i = 0; i < graph->n_edges; i++)
        write_edge(json, &graph->edges[i]);
    json_out_close(json, ']');
    json_out_key(json, "by_index");
    json_out_bool(json, graph->by_index);
    json_out_key(json, "all_edges");
    json_out_bool(json, graph->all_edges);
    json_out_set_text(json, "error", graph->error);
    if (drawn) {
        write_number(json, "width", graph->width);
        write_number(json, "height", graph->height);
    }
    json_out_close(json, '}');
}
