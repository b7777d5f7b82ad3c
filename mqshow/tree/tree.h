// SPDX-License-Identifier: BSD-3-Clause
// The stacks of all threads of a document as one tree.
#ifndef MQSHOW_TREE_TREE_H
#define MQSHOW_TREE_TREE_H

#include "mqshow/base/options.h"
#include "mqshow/tree/paths.h"

/** Threads that have the same frames up to here. All threads are in the leaves, each once. */
struct tree_node {
    uint32_t step;                    // without its line where threads have several
    uint32_t depth;                   // nodes above it
    int32_t parent;                   // NOBODY: none
    uint32_t n_children;              // the next level
    uint32_t first_thread, n_threads; // in tree->threads
    uint32_t n_processes;
    uint32_t times;              // frames in a row that are this step, at most
    uint32_t n_moved, n_unmoved; // threads; of the others it is not known
};

/** A step of a path, or several that are the same in a row. */
struct tree_item {
    uint32_t key;  // by which it is the same as another one
    uint32_t step; // without a line if several have not the same
    uint32_t times;
};

/** Processes that are in the same places. */
struct place_group {
    uint32_t places;     // leaves, in tree->places
    uint32_t *processes; // rising
    uint32_t count;
};

struct tree {
    const struct verdict *verdict;
    struct verdict *own; // made for the tree; NULL: it was given
    enum tree_detail detail;
    struct paths paths;
    struct tree_item *items; // of all paths, each with room for one more
    size_t *first_item;      // by path
    uint32_t *n_items;
    struct tree_node
        *nodes; // each before its children, of which those with more threads come first
    size_t n_nodes, nodes_capacity;
    uint32_t *threads; // numbers in the job, by leaf
    uint32_t *leaves;  // nodes, by number in the job
    struct intern places;
    struct by_key in_groups;    // what `processes` of the groups points into
    struct place_group *groups; // the largest first, but for outliers
    size_t n_groups;
    size_t
        n_outliers;   // of the groups, the last ones: they differ from the many; the smallest first
    size_t n_without; // processes whose threads are not known
    size_t n_moved, n_unmoved; // threads between samples; of the others it is not known
    bool by_pid;               // no process has a rank
};

/** Makes the tree of a document, which must live as long, and so must the verdict about it.
 * @param verdict NULL: there is none */
void tree_init(struct tree *tree, const struct document *document, const struct verdict *verdict,
               enum tree_detail detail);
void tree_deinit(struct tree *tree);

/** Finds groups and outliers; the last step of tree_init(). */
void tree_group(struct tree *tree);

/** The processes of a node in rising order, for free(). */
uint32_t *tree_processes(const struct tree *tree, const struct tree_node *node, size_t *ret_count);

/** What a node is. */
const struct step *tree_step(const struct tree *tree, const struct tree_node *node);

/** Whether a node is the first one of those that the same threads have. */
bool tree_begins_branch(const struct tree *tree, size_t node);

/** The last one of these, from the first one on. */
size_t tree_end_of_branch(const struct tree *tree, size_t node);

/** Leaves of a group. */
const uint32_t *
tree_places(const struct tree *tree, const struct place_group *group, size_t *ret_count);

// In words.

/** Appends "solve at x.c:88", "MPI_Recv". */
void tree_add_step(struct strbuf *words, const struct step *step);

/** The same of a node, with how often it repeats itself. */
void tree_add_node(const struct tree *tree, struct strbuf *words, const struct tree_node *node);

/** Appends "[0-3,7]", at most `max` runs: ranks, or what else processes are known by. */
void tree_add_who(const struct tree *tree, struct strbuf *words, const uint32_t *processes,
                  size_t count, size_t max);

/** What these are: "rank", "process", "pid". */
const char *tree_noun(const struct tree *tree);

/** Appends "in solve at x.c:88; in MPI_Recv in run at x.c:9", at most `max`: where a group is and
 * another one is not; nothing when there is no such place. */
void tree_add_places(const struct tree *tree, struct strbuf *words, const struct place_group *group,
                     const struct place_group *other, size_t max);

/** Appends "2 of 8 threads move" of a node; nothing where nothing is known, or none does. */
void tree_add_movement(struct strbuf *words, const struct tree_node *node);

#endif
