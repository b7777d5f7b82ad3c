// SPDX-License-Identifier: BSD-3-Clause
// A graph of who waits for whom: a node waits for all or for any of its edges' ends.
#ifndef MQSHOW_VERDICT_GRAPH_H
#define MQSHOW_VERDICT_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum node_state {
    NODE_WAITS,
    NODE_RUNNABLE, // whatever the others do
    NODE_UNKNOWN   // nobody can tell
};

struct node {
    uint32_t what, number; // for the user of the graph
    uint32_t first, count; // edges
    uint8_t state;         // enum node_state
    bool any;              // one of the edges suffices
    bool perhaps_all;      // or all are needed: nobody can tell
    bool blocked;          // by the last graph_reduce()
};

struct edge {
    uint32_t from, to;
};

struct graph {
    struct node *nodes;
    struct edge *edges; // by node once it is complete
    size_t n_nodes, n_edges, nodes_capacity, edges_capacity;
};

/** Adds a node and gives its number. */
uint32_t graph_add(struct graph *graph, uint32_t what, uint32_t number, bool any);

/** @param from waits for @param to */
void graph_connect(struct graph *graph, uint32_t from, uint32_t to);

/** Puts the edges in order; afterwards nothing is added any more. */
void graph_complete(struct graph *graph);

/** Sets `blocked` in the nodes that can never go on, in linear time.
 * @param unknown whether what nobody can tell goes on
 */
void graph_reduce(struct graph *graph, bool unknown);

/** Takes the component number of each node that is blocked and on some cycle; NO_COMPONENT: none.
 * @return the components' number */
uint32_t components_find(const struct graph *graph, uint32_t *ret);

enum { NO_COMPONENT = 0xffffffff };

void graph_deinit(struct graph *graph);

#endif
