// SPDX-License-Identifier: BSD-3-Clause
// Nodes of the tree, and who is there, in words.
#include "mqshow/tree/tree.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/search.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void
tree_add_step(struct strbuf *words, const struct step *step)
{
    strbuf_add(words, "%s", step->name);
    if (step->file && step->line > 0)
        strbuf_add(words, " at %s:%" PRId64, base_name(step->file), step->line);
    else if (step->file && !strstr(step->name, base_name(step->file))) // as constructs have it
        strbuf_add(words, " in %s", base_name(step->file));
}

void
tree_add_node(const struct tree *tree, struct strbuf *words, const struct tree_node *node)
{
    tree_add_step(words, tree_step(tree, node));
    if (node->times > 1)
        strbuf_add(words, " (up to %" PRIu32 " in a row)", node->times);
}

void
tree_add_movement(struct strbuf *words, const struct tree_node *node)
{
    if (node->n_moved > 0 && node->n_moved == node->n_threads)
        strbuf_add(words, "%s", node->n_threads == 1 ? "moves" : "move");
    else if (node->n_moved > 0)
        strbuf_add(words, "%" PRIu32 " of them move%s", node->n_moved,
                   node->n_moved == 1 ? "s" : "");
}

const char *
tree_noun(const struct tree *tree)
{
    return tree->by_pid ? "pid" : tree->verdict->job.by_index ? "process" : "rank";
}

void
tree_add_who(const struct tree *tree, struct strbuf *words, const uint32_t *processes, size_t count,
             size_t max)
{
    size_t n = 0;
    int32_t *numbers;
    if (!tree->by_pid) {
        numbers = verdict_labels(tree->verdict, processes, count, &n);
    } else {
        numbers = alloc_zeroed(count + 1, sizeof *numbers);
        for (; n < count; n++)
            numbers[n] = tree->verdict->job.processes[processes[n]].report->pid;
        qsort(numbers, n, sizeof *numbers, compare_int32);
    }
    if (n > 0)
        strbuf_add_ranges(words, numbers, n, max);
    if (!tree->by_pid)
        verdict_add_cores(tree->verdict, words, processes, count, n > 0 ? ", " : "");
    free(numbers);
}

/** The step of a node that the threads of a group have which are in a leaf below it: with its line
 * where it is the same for all. */
static const struct step *
step_of_group(const struct tree *tree, const struct place_group *group, uint32_t leaf,
              const struct tree_node *node)
{
    const struct step *steps = tree->paths.steps;
    uint32_t found = node->step;
    bool is_first = true;
    for (uint32_t i = 0; i < group->count && steps[node->step].line == 0; i++) {
        const struct process_entry *process = &tree->verdict->job.processes[group->processes[i]];
        for (uint32_t k = process->first_thread; k < process->first_thread + process->n_threads;
             k++) {
            if (tree->leaves[k] != leaf)
                continue;
            uint32_t path = tree->paths.of_thread[k];
            uint32_t step = tree->items[tree->first_item[path] + node->depth].step;
            if (!is_first && step != found)
                return &steps[node->step];
            found = step;
            is_first = false;
        }
    }
    return &steps[found];
}

/** The innermost node with a source file from a node outwards; NULL: there is none. */
static const struct tree_node *
node_with_file(const struct tree *tree, const struct tree_node *node)
{
    while (!tree_step(tree, node)->file)
        if (node->parent == NOBODY)
            return NULL;
        else
            node = &tree->nodes[node->parent];
    return node;
}

/** Appends "in MPI_Recv in exchange at x.c:9": what the threads of a group do in a leaf, in which
 * function of the program; without one, in which three functions. */
static void
add_leaf(const struct tree *tree, struct strbuf *words, const struct place_group *group,
         uint32_t leaf, bool exact)
{
    const struct tree_node *node = &tree->nodes[leaf];
    if (tree_step(tree, node)->kind == STEP_HERE)
        node = &tree->nodes[node->parent];
    const struct tree_node *last = node_with_file(tree, node);
    for (int i = 0; i < 3; i++) {
        const struct step *step =
            exact ? step_of_group(tree, group, leaf, node) : tree_step(tree, node);
        if (i > 0 || step->kind != STEP_WAIT)
            strbuf_add(words, i > 0 ? " in " : "in ");
        tree_add_step(words, step);
        if (node == last || node->parent == NOBODY)
            return;
        node = last ? last : &tree->nodes[node->parent];
    }
}

void
tree_add_places(const struct tree *tree, struct strbuf *words, const struct place_group *group,
                const struct place_group *other, size_t max)
{
    size_t count, n_others, k = 0, n = 0;
    const uint32_t *places = tree_places(tree, group, &count);
    const uint32_t *others = tree_places(tree, other, &n_others);
    // The largest group is where most threads of each node are.
    bool exact = group != tree->groups;
    for (size_t i = 0; i < count; i++) {
        while (k < n_others && others[k] < places[i])
            k++;
        if (k < n_others && others[k] == places[i])
            continue;
        if (n++ >= max)
            continue;
        strbuf_add(words, n > 1 ? "; " : "");
        add_leaf(tree, words, group, places[i], exact);
    }
    if (n > max)
        strbuf_add(words, "; and in %zu other place%s", n - max, n - max == 1 ? "" : "s");
}
