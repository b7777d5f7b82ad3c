// SPDX-License-Identifier: BSD-3-Clause
// Knots: sets of processes that wait for each other and for nobody else that could help.
#include "mqshow/verdict/knots.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/search.h"

#include <stdlib.h>
#include <string.h>

/** The graph within the components: everything else is taken to go on, to see which nodes stay
 * blocked by their own component alone. */
static void
cut_components(const struct waits *waits, const uint32_t *component, struct graph *ret)
{
    const struct graph *graph = &waits->graph;
    *ret = (struct graph){.nodes = NULL};
    for (size_t i = 0; i < graph->n_nodes; i++) {
        const struct node *node = &graph->nodes[i];
        uint32_t copy = graph_add(ret, node->what, node->number, node->any);
        bool free = component[i] == NO_COMPONENT;
        for (uint32_t k = node->first; k < node->first + node->count && !free; k++) {
            bool inside = component[graph->edges[k].to] == component[i];
            if (inside)
                graph_connect(ret, copy, graph->edges[k].to);
            free = !inside && node->any;
        }
        if (free)
            ret->nodes[copy].state = NODE_RUNNABLE;
    }
    graph_complete(ret);
    graph_reduce(ret, true);
}

/** How gladly a cycle goes through a node: other processes rather than the threads of one. */
static int
rate(const struct waits *waits, const struct node *node)
{
    if (node->what == WHAT_REGION)
        return 1;
    if (node->what != WHAT_THREAD)
        return 2;
    enum doing doing = waits->activities[node->number].doing;
    return doing == DOING_LOCK ? 0 : doing == DOING_BARRIER ? 1 : 2;
}

/** Where a cycle goes on. @param from the process that it is in */
static uint32_t
next_of(const struct waits *waits, const struct graph *graph, uint32_t number, uint32_t from)
{
    const struct node *node = &graph->nodes[number];
    uint32_t best = number;
    int best_rate = -1;
    for (uint32_t i = node->first; i < node->first + node->count; i++) {
        uint32_t to = graph->edges[i].to;
        int rated = to == from ? 0 : rate(waits, &graph->nodes[to]);
        if (graph->nodes[to].blocked && rated > best_rate) {
            best = to;
            best_rate = rated;
        }
    }
    return best;
}

/** Walks from a node of a knot of `size` nodes until it comes around. @param step all 0 */
static void
find_cycle(const struct waits *waits, const struct graph *graph, uint32_t start, size_t size,
           uint32_t *step, struct knot *ret)
{
    uint32_t node = start, count = 0, *path = alloc_zeroed(size, sizeof *path);
    uint32_t process = NO_COMPONENT;
    for (; step[node] == 0; node = next_of(waits, graph, node, process)) {
        if (graph->nodes[node].what == WHAT_PROCESS)
            process = node;
        path[count++] = node;
        step[node] = count;
    }
    size_t first = step[node] - 1;
    ret->n_cycle = count - first;
    ret->cycle = alloc_zeroed(ret->n_cycle, sizeof *ret->cycle);
    memcpy(ret->cycle, path + first, ret->n_cycle * sizeof *ret->cycle);
    for (uint32_t i = 0; i < count; i++)
        step[path[i]] = 0;
    free(path);
}

/** Makes the cycle begin with its process of the lowest number. */
static void
rotate(const struct graph *graph, struct knot *knot)
{
    size_t best = 0;
    uint32_t lowest = UINT32_MAX;
    for (size_t i = 0; i < knot->n_cycle; i++) {
        const struct node *node = &graph->nodes[knot->cycle[i]];
        if (node->what == WHAT_PROCESS && node->number < lowest) {
            lowest = node->number;
            best = i;
        }
    }
    uint32_t *turned = alloc_zeroed(knot->n_cycle, sizeof *turned);
    for (size_t i = 0; i < knot->n_cycle; i++)
        turned[i] = knot->cycle[(best + i) % knot->n_cycle];
    free(knot->cycle);
    knot->cycle = turned;
    knot->ring = alloc_zeroed(knot->n_cycle, sizeof *knot->ring);
    for (size_t i = 0; i < knot->n_cycle; i++)
        if (graph->nodes[turned[i]].what == WHAT_PROCESS)
            knot->ring[knot->n_ring++] = graph->nodes[turned[i]].number;
}

/** Whether a node of a knot waits for sure, whatever is on its way and whoever was read first.
 * Of a process that several samples saw do the same, everything is sure. */
static bool
is_certain(const struct waits *waits, const struct node *node)
{
    const struct job_index *job = waits->job;
    switch (node->what) {
    case WHAT_PROCESS:
        return job->processes[node->number].settled || job->processes[node->number].has_threads;
    case WHAT_THREAD:
        return job->processes[job->threads[node->number].process].settled ||
               waits->activities[node->number].doing == DOING_MESSAGES;
    case WHAT_OPERATION:
        return job->processes[job->ops[node->number].process].settled ||
               job->ops[node->number].certain;
    default:
        return false;
    }
}

/** Collectives and barriers are as sure as the processes in them. */
static bool
needs_others(const struct node *node)
{
    return node->what == WHAT_COLLECTIVE || node->what == WHAT_MEMBERS || node->what == WHAT_REGION;
}

static void
finish_knot(const struct waits *waits, const struct graph *graph, const uint32_t *nodes,
            size_t count, uint32_t *step, struct knot *knot)
{
    *knot = (struct knot){.certain = true};
    knot->processes = alloc_zeroed(count, sizeof *knot->processes);
    for (size_t i = 0; i < count; i++) {
        const struct node *node = &graph->nodes[nodes[i]];
        if (node->what == WHAT_PROCESS)
            knot->processes[knot->n_processes++] = node->number;
        if (!needs_others(node))
            knot->certain &= is_certain(waits, node);
    }
    find_cycle(waits, graph, nodes[0], count, step, knot);
    rotate(graph, knot);
}

/** Nodes by component: those of component i are items[first[i]] to items[first[i + 1]] without. */
static uint32_t *
sort_by_component(const struct graph *graph, const uint32_t *component, uint32_t count,
                  uint32_t **ret_first)
{
    uint32_t *first = alloc_zeroed((size_t) count + 2, sizeof *first);
    uint32_t *items = alloc_zeroed(graph->n_nodes, sizeof *items);
    for (size_t i = 0; i < graph->n_nodes; i++)
        if (graph->nodes[i].blocked && component[i] != NO_COMPONENT)
            first[component[i] + 2]++;
    for (size_t i = 2; i < (size_t) count + 2; i++)
        first[i] += first[i - 1];
    for (uint32_t i = 0; i < graph->n_nodes; i++)
        if (graph->nodes[i].blocked && component[i] != NO_COMPONENT)
            items[first[component[i] + 1]++] = i;
    *ret_first = first;
    return items;
}

static int
compare_knots(const void *left, const void *right)
{
    const struct knot *a = left, *b = right;
    return COMPARE(
        {a->n_processes > 0 ? a->processes[0] : 0, b->n_processes > 0 ? b->processes[0] : 0});
}

void
knots_init(struct knots *knots, const struct waits *waits)
{
    struct graph cut;
    uint32_t *component = alloc_zeroed(waits->graph.n_nodes, sizeof *component), *first;
    uint32_t *step = alloc_zeroed(waits->graph.n_nodes, sizeof *step);
    uint32_t count = components_find(&waits->graph, component);
    *knots = (struct knots){.items = NULL};
    cut_components(waits, component, &cut);
    uint32_t *nodes = sort_by_component(&cut, component, count, &first);
    for (uint32_t i = 0; i < count; i++) {
        if (first[i] == first[i + 1])
            continue;
        struct knot *knot = ALLOC_ADD(knots->items, knots->count, knots->capacity);
        finish_knot(waits, &cut, nodes + first[i], first[i + 1] - first[i], step, knot);
    }
    if (knots->count > 0)
        qsort(knots->items, knots->count, sizeof *knots->items, compare_knots);
    graph_deinit(&cut);
    free(nodes);
    free(first);
    free(step);
    free(component);
}

void
knots_deinit(struct knots *knots)
{
    for (size_t i = 0; i < knots->count; i++) {
        free(knots->items[i].cycle);
        free(knots->items[i].ring);
        free(knots->items[i].processes);
    }
    free(knots->items);
}

bool
knot_has(const struct knot *knot, uint32_t process)
{
    size_t at =
        search_first(&process, knot->processes, knot->n_processes, sizeof process, compare_int32);
    return at < knot->n_processes && knot->processes[at] == process;
}
