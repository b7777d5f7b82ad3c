// SPDX-License-Identifier: BSD-3-Clause
// Ranks in the same situation as one node of the graph.
#ifndef TOOLS_HTML_FOLD_H
#define TOOLS_HTML_FOLD_H

#include "tools/html/situation.h"

/** Ranks that are drawn as one. What differs between them is NULL. */
struct node {
    const struct situation *first;
    size_t count;
    const char *call, *inside, *state;
    const json_t *frame, *late;
    enum kind kind;
};

struct nodes {
    struct node *items;
    size_t count;
    size_t *of; // node of each situation
};

/** Divides the ranks into nodes, of which there are few however many the ranks are. A small job has
 * a node for each rank; ranks of short cycles always have their own.
 */
struct nodes fold(const struct situations *all);

void fold_free(struct nodes *nodes);

#endif
