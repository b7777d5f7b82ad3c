// SPDX-License-Identifier: BSD-3-Clause
// The tree for other programs.
#ifndef MQSHOW_TREE_EXPORT_H
#define MQSHOW_TREE_EXPORT_H

#include "mqshow/base/json_out.h"
#include "mqshow/tree/tree.h"

#include <stdio.h>

/** Writes the value of the member "tree" of a document.
 *
 * { "frames": "function", "processes": 4, "threads": 9, "without_threads": 1,
 *   "outliers": [ { "ranks": [3], "count": 1, "place": "in solve at x.c:88", "others": 3,
 *                   "others_place": "in MPI_Recv in step at x.c:9" } ],
 *   "nodes": [ { "parent": 0, "kind": "function", "name": "solve", "file": "/src/x.c", "line": 88,
 *                "repeats": 3, "ranks": ["0-3"], "processes": 4, "threads": 8, "moved": 0,
 *                "unmoved": 8 } ] }
 *
 * "parent" is a place in "nodes", absent of those that have none. Ranks are as in the verdict. What
 * is not known is left out, and "line" where threads have several.
 * @param max nodes that are written, those with most threads; those that are left out are counted
 * in "nodes_left_out" */
void tree_write(struct json_out *json, const struct tree *tree, size_t max);

/** The tree as a graph for Graphviz: a node for each branch up to where it divides, of the largest
 * ones. */
void tree_write_dot(const struct tree *tree, FILE *out);

#endif
