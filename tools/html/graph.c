// SPDX-License-Identifier: BSD-3-Clause
// The wait-for graph of a document, small enough to be drawn.
#include "tools/html/graph.h"

#include "tools/alloc.h"
#include "tools/html/fold.h"
#include "tools/html/run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    MANY_EDGES = 240,     // more cannot be read, and take long to lay out
    MANY_STEPS = 4000000, // that are made to find them
};

static const char *const kind_names[KINDS] = {"unread", "unknown", "runs", "mpi", "waits", "cycle"};

/** Sets a member to a text of the document; nothing for NULL. */
static void
set_text(json_t *object, const char *key, const char *text)
{
    if (text != NULL)
        json_object_set_new(object, key, json_string(text));
}

/** "exchange at ring.c:17", for free(); NULL when nothing is known. */
static char *
place_text(const json_t *frame)
{
    const char *function = json_string_value(json_object_get(frame, "function"));
    const char *file = json_string_value(json_object_get(frame, "file"));
    const json_t *line = json_object_get(frame, "line");
    const char *slash = file != NULL ? strrchr(file, '/') : NULL;
    if (file == NULL || !json_is_integer(line))
        return alloc_text(function);
    return alloc_format("%s%s%s:%" JSON_INTEGER_FORMAT, function != NULL ? function : "",
                        function != NULL ? " at " : "", slash != NULL ? slash + 1 : file,
                        json_integer_value(line));
}

/** "barrier on solver", for free(); NULL for none. */
static char *
late_text(const json_t *late)
{
    const char *name = json_string_value(json_object_get(late, "name"));
    const char *comm = json_string_value(json_object_get(late, "communicator"));
    if (name == NULL)
        return NULL;
    return comm != NULL ? alloc_format("%s on %s", name, comm) : alloc_text(name);
}

/** "waits for critical (a)" of "waits for critical (a) in work at ring.c:17", for free(). */
static char *
inside_text(const char *inside)
{
    char *text = alloc_text(inside);
    char *place = text != NULL ? strstr(text, " in ") : NULL;
    if (place != NULL)
        *place = '\0';
    return text;
}

/** The ranks of a node, "[0-3,7]", for free(). */
static char *
ranks_text(const struct situations *all, const struct nodes *nodes, size_t node)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    const char *separator = "[";
    for (size_t i = 0; i < all->count; i++) {
        json_int_t first = all->items[i].rank, last = first;
        if (nodes->of[i] != node)
            continue;
        while (i + 1 < all->count && nodes->of[i + 1] == node && all->items[i + 1].rank == last + 1)
            last = all->items[++i].rank;
        fprintf(out, "%s%" JSON_INTEGER_FORMAT, separator, first);
        if (last > first)
            fprintf(out, "-%" JSON_INTEGER_FORMAT, last);
        separator = ",";
    }
    fputc(']', out);
    fclose(out);
    return text;
}

static json_t *
node_json(const struct situations *all, const struct nodes *nodes, size_t i)
{
    const struct node *node = &nodes->items[i];
    char *ranks = ranks_text(all, nodes, i);
    char *place = place_text(node->frame), *late = late_text(node->late);
    char *inside = inside_text(node->inside);
    json_t *object = json_pack("{s:s, s:I, s:s}", "ranks", ranks, "count", (json_int_t) node->count,
                               "kind", kind_names[node->kind]);
    set_text(object, "call", node->call);
    set_text(object, "state", node->state);
    set_text(object, "place", place);
    set_text(object, "late", late);
    set_text(object, "inside", inside);
    free(ranks);
    free(place);
    free(late);
    free(inside);
    return object;
}

/** What is known while edges are collected. */
struct edges {
    const struct situations *all;
    const struct nodes *nodes;
    json_t *cycle_steps; // "FROM>TO" of ranks
    json_t *seen;        // waits that need not be looked at again, and the places of edges
    json_t *list;
    size_t budget; // steps that may still be made
};

static json_t *
steps_of_cycles(const json_t *cycles)
{
    json_t *steps = json_object();
    char text[64];
    for (size_t i = 0; i < json_array_size(cycles); i++) {
        const json_t *cycle = json_array_get(cycles, i);
        size_t size = json_array_size(cycle);
        for (size_t k = 0; k < size; k++) {
            snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT ">%" JSON_INTEGER_FORMAT,
                     json_integer_value(json_array_get(cycle, k)),
                     json_integer_value(json_array_get(cycle, (k + 1) % size)));
            json_object_set_new(steps, text, json_true());
        }
    }
    return steps;
}

/** Whether a wait is a part of a cycle: a step of one, or between two ranks of the same knot. */
static bool
is_in_cycle(const struct edges *edges, const struct situation *from, const struct situation *to)
{
    char text[64];
    snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT ">%" JSON_INTEGER_FORMAT, from->rank,
             to->rank);
    bool same = from->cycle != SIZE_MAX && from->cycle == to->cycle;
    return same || json_object_get(edges->cycle_steps, text) != NULL;
}

/** "tag 42", for free(); NULL when the wait is for no message or for any tag. */
static char *
wait_label(const json_t *wait)
{
    const json_t *tag = json_object_get(json_object_get(wait, "operation"), "tag");
    if (!json_is_integer(tag))
        return NULL;
    return alloc_format("tag %" JSON_INTEGER_FORMAT, json_integer_value(tag));
}

/** Adds an edge, or finds it; edges whose labels differ have none. */
static void
add_edge(struct edges *edges, const json_t *wait, const struct situation *from,
         const struct situation *to)
{
    size_t a = edges->nodes->of[from - edges->all->items];
    size_t b = edges->nodes->of[to - edges->all->items];
    bool cycle = is_in_cycle(edges, from, to);
    bool any = wait_needs_any(wait);
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

/** Whether a thread waits for another one of its process. The panel of the rank tells of it. */
static bool
is_inside(const json_t *wait)
{
    return json_object_get(wait, "inside") != NULL;
}

/** Whether a wait from the same node for the same ranks was seen: then its edges are there. */
static bool
is_seen(struct edges *edges, const json_t *wait, const struct situation *from)
{
    char *label = wait_label(wait);
    size_t node = edges->nodes->of[from - edges->all->items];
    char *key = alloc_format("wait %zu %zu %" PRIx64 " %s", node, from->cycle, wait_hash(wait),
                             label != NULL ? label : "");
    bool seen = json_object_get(edges->seen, key) != NULL;
    json_object_set_new(edges->seen, key, json_true());
    free(key);
    free(label);
    return seen;
}

static void
add_run(struct edges *edges, const json_t *wait, const struct situation *from, struct run run)
{
    const struct situations *all = edges->all;
    for (size_t to = situations_from(all, run.first);
         to < all->count && all->items[to].rank <= run.last && edges->budget > 0; to++) {
        add_edge(edges, wait, from, &all->items[to]);
        edges->budget--;
    }
}

static void
add_wait(struct edges *edges, const json_t *wait)
{
    const struct situations *all = edges->all;
    const json_t *rank = json_object_get(wait, "rank"), *list = json_object_get(wait, "for");
    size_t from = situations_from(all, json_integer_value(rank));
    if (!json_is_integer(rank) || is_inside(wait) || from == all->count ||
        all->items[from].rank != json_integer_value(rank) ||
        is_seen(edges, wait, &all->items[from]))
        return;
    struct run run;
    for (size_t i = 0; i < json_array_size(list); i++)
        if (run_read(json_array_get(list, i), &run))
            add_run(edges, wait, &all->items[from], run);
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
set_edges(json_t *graph, struct edges *edges, const json_t *waits)
{
    for (size_t i = 0; i < json_array_size(waits); i++)
        add_wait(edges, json_array_get(waits, i));
    json_t *chosen = choose(edges->list);
    bool all = json_array_size(chosen) == json_array_size(edges->list) && edges->budget > 0;
    json_object_set_new(graph, "edges", chosen);
    json_object_set_new(graph, "all_edges", json_boolean(all));
}

json_t *
graph_make(const json_t *document)
{
    const json_t *verdict = json_object_get(document, "verdict");
    struct situations all = situations_read(document);
    struct nodes nodes = fold(&all);
    json_t *graph = json_object(), *list = json_array();
    for (size_t i = 0; i < nodes.count; i++)
        json_array_append_new(list, node_json(&all, &nodes, i));
    json_object_set_new(graph, "by_index", json_boolean(all.by_index));
    json_object_set_new(graph, "nodes", list);
    struct edges edges = {.all = &all,
                          .nodes = &nodes,
                          .cycle_steps = steps_of_cycles(json_object_get(verdict, "cycles")),
                          .seen = json_object(),
                          .list = json_array(),
                          .budget = MANY_STEPS};
    set_edges(graph, &edges, json_object_get(verdict, "waits"));
    json_decref(edges.cycle_steps);
    json_decref(edges.seen);
    json_decref(edges.list);
    fold_free(&nodes);
    situations_free(&all);
    return graph;
}
