// SPDX-License-Identifier: BSD-3-Clause
// The wait-for graph of a document, small enough to be drawn.
#ifndef MQSHOW_HTML_GRAPH_H
#define MQSHOW_HTML_GRAPH_H

#include "mqshow/base/json_out.h"
#include "mqshow/html/cluster.h"

/** A place in pixels. */
struct point {
    double x, y;
};

struct drawn_edge {
    size_t from, to; // nodes
    bool any, cycle;
    char label[24]; // "": none
    char *path;     // of an SVG; NULL: not known where it goes
    struct point tip, label_at;
    bool has_label_at;
};

struct drawn_graph {
    struct rank_states ranks;
    struct clusters nodes;
    struct drawn_edge *edges;
    size_t n_edges, edges_capacity;
    bool by_index, all_edges;
    double width, height; // 0: it is not drawn
    char *error;          // why not; NULL: it is
};

/** Makes the graph of a verdict, which must live as long. Of several ranks that are one node, what
 * differs between them is left out. */
void graph_make(struct drawn_graph *graph, const struct verdict *verdict);
void graph_free(struct drawn_graph *graph);

/** Asks Graphviz where things go, and sets where nodes and edges are, or why the graph cannot be
 * drawn. */
void graph_lay_out(struct drawn_graph *graph);

/** Writes the graph.
 *
 * { "nodes": [ { "ranks": "[0-3,7]", "count": 5, "kind": "cycle", "call": "MPI_Recv",
 *                "place": "exchange at ring.c:17", "late": "barrier on solver",
 *                "inside": "waits for critical (a)", "state": "stopped", "x", "y", "w", "h" } ],
 *                                        or "thread": "thread 1", of which "inside" is then
 *   "edges": [ { "from": 0, "to": 1, "needs": "all", "cycle": true, "label": "tag 7", "path",
 *                "tip": { "x", "y" }, "label_at" } ],
 *   "by_index": false, "all_edges": true, "width", "height", "error" }
 *
 * What is not known is left out; x and y are the middle of a node. Kinds: cycle, waits, runs (in no
 * MPI call), mpi (in an MPI call, for whom is not known), unknown. With "by_index", ranks repeat in
 * the document, and numbers are places in "processes". Without "all_edges", there are more than can
 * be drawn.
 */
void graph_write(struct json_out *json, const struct drawn_graph *graph);

#endif
