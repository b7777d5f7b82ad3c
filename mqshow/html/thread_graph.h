// SPDX-License-Identifier: BSD-3-Clause
// The wait-for graph of one process without MPI: its nodes are threads.
#ifndef MQSHOW_HTML_THREAD_GRAPH_H
#define MQSHOW_HTML_THREAD_GRAPH_H

#include "mqshow/html/graph.h"

/** Adds the threads that wait for others, and these, as nodes, with their edges, to a graph that has
 * none yet.
 * @return false and there are none: the document is of something else, no thread waits, or so many
 * do that they cannot be drawn
 */
bool thread_graph_make(struct drawn_graph *graph, const struct verdict *verdict);

#endif
