// SPDX-License-Identifier: BSD-3-Clause
// Ranks in the same situation as one node of the graph.
#ifndef MQSHOW_HTML_FOLD_H
#define MQSHOW_HTML_FOLD_H

#include "mqshow/html/rank_state.h"

/** Ranks that are drawn as one. What differs between them is NULL. */
struct rank_node {
    const struct rank_state *first;
    size_t count;
    const char *call, *inside, *state;
    const struct frame_record *frame;
    const struct collective *late;
    enum kind kind;
};

struct nodes {
    struct rank_node *items;
    size_t count;
    size_t *of; // node of each situation
};

/** Divides the ranks into nodes, of which there are few however many the ranks are. A small job has
 * a node for each rank; ranks of short cycles always have their own.
 */
struct nodes fold(const struct rank_states *all);

void fold_free(struct nodes *nodes);

#endif
