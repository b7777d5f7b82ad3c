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
goes_on_alone(const struct node *node, bool doubts)
{
    if (node->state == NODE_WAITS)
        return !node->any && node->count == 0;
    return node->state == NODE_GOES_ON || doubts;
}

void
graph_reduce(struct graph *graph, bool doubts)
{
    struct waiters waiters = find_waiters(graph);
    uint32_t *left = alloc_zeroed(graph->n_nodes, sizeof *left);
    uint32_t *queue = alloc_zeroed(graph->n_nodes, sizeof *queue);
    size_t end = 0;
    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        struct node *node = &graph->nodes[i];
        node->blocked = !goes_on_alone(node, doubts);
        left[i] = node->any && (doubts || !node->perhaps_all) ? 1 : node->count;
        if (!node->blocked)
            queue[end++] = i;
    }
    for (size_t next = 0; next < end; next++) {
        uint32_t freed = queue[next];
        for (uint32_t i = waiters.first[freed]; i < waiters.first[freed + 1]; i++) {
            uint32_t waiter = waiters.items[i];
            struct node *node = &graph->nodes[waiter];
            // What nobody can tell does not get to know it this way.
            if (!node->blocked || node->state == NODE_DOUBTS || left[waiter] == 0)
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
