// SPDX-License-Identifier: BSD-3-Clause
// A graph of who waits for whom.
#include "mqshow/verdict/graph.h"

#include "mqshow/base/alloc.h"

#include <stdlib.h>
#include <string.h>

uint32_t
graph_add(struct graph *graph, uint32_t what, uint32_t number, bool any)
{
    *ALLOC_ADD(graph->nodes, graph->n_nodes, graph->nodes_capacity) =
        (struct node){.what = what, .number = number, .any = any};
    return (uint32_t) graph->n_nodes - 1;
}

void
graph_connect(struct graph *graph, uint32_t from, uint32_t to)
{
    *ALLOC_ADD(graph->edges, graph->n_edges, graph->edges_capacity) = (struct edge){from, to};
}

void
graph_complete(struct graph *graph)
{
    struct edge *sorted = alloc_zeroed(graph->n_edges, sizeof *sorted);
    uint32_t *next = alloc_zeroed(graph->n_nodes + 1, sizeof *next);
    for (size_t i = 0; i < graph->n_edges; i++)
        graph->nodes[graph->edges[i].from].count++;
    for (size_t i = 0; i < graph->n_nodes; i++) {
        graph->nodes[i].first = next[i];
        next[i + 1] = next[i] + graph->nodes[i].count;
    }
    for (size_t i = 0; i < graph->n_edges; i++)
        sorted[next[graph->edges[i].from]++] = graph->edges[i];
    free(graph->edges);
    free(next);
    graph->edges = sorted;
}

/** For each node, those that wait for it. */
struct waiters {
    uint32_t *first; // in `items`, one more than there are nodes
    uint32_t *items;
};

static struct waiters
find_waiters(const struct graph *graph)
{
    struct waiters ret = {alloc_zeroed(graph->n_nodes + 2, sizeof *ret.first),
                          alloc_zeroed(graph->n_edges, sizeof *ret.items)};
    // Counted one too far on, so that filling moves the bounds to where they belong.
    for (size_t i = 0; i < graph->n_edges; i++)
        ret.first[graph->edges[i].to + 2]++;
    for (size_t i = 2; i < graph->n_nodes + 2; i++)
        ret.first[i] += ret.first[i - 1];
    for (size_t i = 0; i < graph->n_edges; i++)
        ret.items[ret.first[graph->edges[i].to + 1]++] = graph->edges[i].from;
    return ret;
}

static bool
goes_on_alone(const struct node *node, bool unknown)
{
    if (node->state == NODE_WAITS)
        return !node->any && node->count == 0;
    return node->state == NODE_RUNNABLE || unknown;
}

void
graph_reduce(struct graph *graph, bool unknown)
{
    struct waiters waiters = find_waiters(graph);
    uint32_t *left = alloc_zeroed(graph->n_nodes, sizeof *left);
    uint32_t *queue = alloc_zeroed(graph->n_nodes, sizeof *queue);
    size_t end = 0;
    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        struct node *node = &graph->nodes[i];
        node->blocked = !goes_on_alone(node, unknown);
        left[i] = node->any && (unknown || !node->perhaps_all) ? 1 : node->count;
        if (!node->blocked)
            queue[end++] = i;
    }
    for (size_t next = 0; next < end; next++) {
        uint32_t freed = queue[next];
        for (uint32_t i = waiters.first[freed]; i < waiters.first[freed + 1]; i++) {
            uint32_t waiter = waiters.items[i];
            struct node *node = &graph->nodes[waiter];
            // What nobody can tell does not get to know it this way.
            if (!node->blocked || node->state == NODE_UNKNOWN || left[waiter] == 0)
                continue;
            if (--left[waiter] == 0) {
                node->blocked = false;
                queue[end++] = waiter;
            }
        }
    }
    free(waiters.first);
    free(waiters.items);
    free(left);
    free(queue);
}

void
graph_deinit(struct graph *graph)
{
    free(graph->nodes);
    free(graph->edges);
    *graph = (struct graph){.nodes = NULL};
}

// Strongly connected components of the blocked nodes, by Tarjan's algorithm without recursion.

struct search {
    const struct graph *graph;
    uint32_t *component; // of each node that is done
    uint32_t *number;    // from 1 in the order of first visit; 0: not visited
    uint32_t *low;       // the lowest number that can be reached
    uint32_t *edge;      // the next edge to follow
    uint32_t *path;      // nodes being visited
    uint32_t *open;      // visited and in no component yet
    size_t n_path, n_open;
    uint32_t visited, found;
};

static void
enter(struct search *search, uint32_t node)
{
    search->number[node] = search->low[node] = ++search->visited;
    search->edge[node] = search->graph->nodes[node].first;
    search->path[search->n_path++] = node;
    search->open[search->n_open++] = node;
}

static bool
waits_for_itself(const struct graph *graph, uint32_t number)
{
    const struct node *node = &graph->nodes[number];
    for (uint32_t i = node->first; i < node->first + node->count; i++)
        if (graph->edges[i].to == number)
            return true;
    return false;
}

/** Takes the component that begins with this node off the open ones. */
static void
close_component(struct search *search, uint32_t node)
{
    bool single = search->open[search->n_open - 1] == node;
    bool is_cycle = !single || waits_for_itself(search->graph, node);
    uint32_t member;
    do {
        member = search->open[--search->n_open];
        search->component[member] = is_cycle ? search->found : NO_COMPONENT;
        search->edge[member] = NO_COMPONENT; // done
    } while (member != node);
    search->found += is_cycle;
}

static void
lower(uint32_t *low, uint32_t other)
{
    if (other < *low)
        *low = other;
}

/** Follows the next edge of the innermost node, or leaves it. */
static void
step(struct search *search)
{
    uint32_t node = search->path[search->n_path - 1];
    const struct node *record = &search->graph->nodes[node];
    if (search->edge[node] < record->first + record->count) {
        uint32_t to = search->graph->edges[search->edge[node]++].to;
        if (!search->graph->nodes[to].blocked)
            return;
        if (search->number[to] == 0)
            enter(search, to);
        else if (search->edge[to] != NO_COMPONENT)
            lower(&search->low[node], search->number[to]);
        return;
    }
    search->n_path--;
    if (search->n_path > 0)
        lower(&search->low[search->path[search->n_path - 1]], search->low[node]);
    if (search->low[node] == search->number[node])
        close_component(search, node);
}

uint32_t
components_find(const struct graph *graph, uint32_t *ret)
{
    size_t count = graph->n_nodes;
    struct search search = {
        .graph = graph,
        .component = ret,
        .number = alloc_zeroed(count, sizeof(uint32_t)),
        .low = alloc_zeroed(count, sizeof(uint32_t)),
        .edge = alloc_zeroed(count, sizeof(uint32_t)),
        .path = alloc_zeroed(count, sizeof(uint32_t)),
        .open = alloc_zeroed(count, sizeof(uint32_t)),
    };
    memset(ret, 0xff, count * sizeof *ret);
    for (uint32_t i = 0; i < count; i++) {
        if (graph->nodes[i].blocked && search.number[i] == 0)
            enter(&search, i);
        while (search.n_path > 0)
            step(&search);
    }
    free(search.number);
    free(search.low);
    free(search.edge);
    free(search.path);
    free(search.open);
    return search.found;
}
