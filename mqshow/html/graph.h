// SPDX-License-Identifier: BSD-3-Clause
// The wait-for graph of a document, small enough to be drawn.
#ifndef MQSHOW_HTML_GRAPH_H
#define MQSHOW_HTML_GRAPH_H

#include <jansson.h>

struct verdict;

/** The graph of a verdict.
 *
 * { "nodes": [ { "ranks": "[0-3,7]", "count": 5, "kind": "cycle", "call": "MPI_Recv",
 *                "place": "exchange at ring.c:17", "late": "barrier on solver",
 *                "inside": "waits for critical (a)", "state": "stopped" } ],
 *   "edges": [ { "from": 0, "to": 1, "needs": "all", "cycle": true, "label": "tag 7" } ],
 *   "by_index": false, "all_edges": true }
 *
 * A node is a rank, or in a larger job, ranks in the same situation. What differs between them, and
 * what is not known, is left out. Kinds: cycle, waits, runs (in no MPI call), mpi (in an MPI call,
 * for whom is not known), unknown. With "by_index", ranks
 * repeat in the document, and numbers are places in "processes". Without "all_edges", there are
 * more than can be drawn.
 */
json_t *graph_make(const struct verdict *verdict);

/** Asks Graphviz where things go: adds "width" and "height" in pixels to the graph, x, y (of the
 * middle), w and h to nodes, "path" (of an SVG), "tip" and "label_at" to edges.
 * @return NULL, or why the graph cannot be drawn, for free(); then it has no width
 */
char *graph_lay_out(json_t *graph);

#endif
