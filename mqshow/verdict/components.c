// SPDX-License-Identifier: BSD-3-Clause
// Strongly connected components of the blocked nodes, by Tarjan's algorithm without recursion.
#include "mqshow/base/alloc.h"
#include "mqshow/verdict/knots.h"

#include <stdlib.h>
#include <string.h>

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
