// SPDX-License-Identifier: BSD-3-Clause
// Ranks in the same situation as one node of the graph.
#ifndef MQSHOW_HTML_CLUSTER_H
#define MQSHOW_HTML_CLUSTER_H

#include "mqshow/html/rank_state.h"

/** Ranks that are drawn as one. What differs between them is NULL. */
struct cluster {
    size_t count;
    const char *call, *inside, *state;
    const struct frame_record *frame;
    const struct collective *not_entered;
    enum kind kind;
    char *ranks, *place, *entry; // as graph_write() has them; by graph_make()
    double x, y, w, h;           // by graph_lay_out()
};

struct clusters {
    struct cluster *items;
    size_t count, capacity;
    size_t *of; // cluster of each rank
};

/** Divides the ranks into nodes, of which there are few however many the ranks are. A small job has
 * a node for each rank; ranks of short cycles always have their own.
 */
struct clusters clusters_find(const struct rank_states *all);

void clusters_free(struct clusters *clusters);

#endif
