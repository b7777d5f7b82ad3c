// SPDX-License-Identifier: BSD-3-Clause
// The tree for other programs: as JSON, and as a graph.
#include "mqshow/tree/export.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/search.h"
#include "mqshow/verdict/export.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *
step_kind_name(enum step_kind kind)
{
    static const char *const names[] = {
        [STEP_FUNCTION] = "function", [STEP_CALL] = "call",       [STEP_WAIT] = "wait",
        [STEP_HELPERS] = "helpers",   [STEP_UNKNOWN] = "unknown", [STEP_HERE] = "here"};
    return names[kind];
}

/** More threads come first: so that what is above a node does. */
static int
compare_nodes(const void *left, const void *right, void *context)
{
    const struct tree *tree = context;
    uint32_t a = *(const uint32_t *) left, b = *(const uint32_t *) right;
    return COMPARE({tree->nodes[b].n_threads, tree->nodes[a].n_threads}, {a, b});
}

/** The number of each node among those that have most threads, from 1; 0: it is left out. For
 * free(). */
static uint32_t *
choose(const struct tree *tree, size_t max)
{
    uint32_t *sorted = alloc_zeroed(tree->n_nodes + 1, sizeof *sorted), next = 0;
    uint32_t *ret = alloc_zeroed(tree->n_nodes + 1, sizeof *ret);
    for (uint32_t i = 0; i < tree->n_nodes; i++)
        sorted[i] = i;
    if (max < tree->n_nodes)
        qsort_r(sorted, tree->n_nodes, sizeof *sorted, compare_nodes, (void *) tree);
    for (size_t i = 0; i < tree->n_nodes && i < max; i++)
        ret[sorted[i]] = 1;
    for (size_t i = 0; i < tree->n_nodes; i++)
        ret[i] = ret[i] > 0 ? ++next : 0;
    free(sorted);
    return ret;
}

// JSON.

/** The processes of the node that was written last: the next one often has the same. */
struct last_processes {
    uint32_t first_thread, n_threads, *processes;
    size_t count;
};

static void
write_node(struct json_out *json, const struct tree *tree, const struct tree_node *node,
           uint32_t parent, struct last_processes *last)
{
    const struct step *step = tree_step(tree, node);
    if (!last->processes || last->first_thread != node->first_thread ||
        last->n_threads != node->n_threads) {
        free(last->processes);
        *last = (struct last_processes){node->first_thread, node->n_threads, NULL, 0};
        last->processes = tree_processes(tree, node, &last->count);
    }
    json_out_open(json, '{');
    if (parent > 0)
        json_out_set_integer(json, "parent", parent - 1);
    json_out_set_text(json, "kind", step_kind_name(step->kind));
    json_out_set_text(json, "name", step->name);
    json_out_set_text(json, "file", step->file);
    if (step->line > 0)
        json_out_set_integer(json, "line", step->line);
    if (node->times > 1)
        json_out_set_integer(json, "repeats", node->times);
    verdict_write_ranks(json, "ranks", tree->verdict, last->processes, last->count);
    json_out_set_integer(json, "processes", node->n_processes);
    json_out_set_integer(json, "threads", node->n_threads);
    if (node->n_moved + node->n_unmoved > 0) {
        json_out_set_integer(json, "moved", node->n_moved);
        json_out_set_integer(json, "unmoved", node->n_unmoved);
    }
    json_out_close(json, '}');
}

static void
write_nodes(struct json_out *json, const struct tree *tree, size_t max)
{
    uint32_t *numbers = choose(tree, max);
    struct last_processes last = {.processes = NULL};
    json_out_array(json, "nodes");
    for (size_t i = 0; i < tree->n_nodes; i++) {
        const struct tree_node *node = &tree->nodes[i];
        if (numbers[i] > 0)
            write_node(json, tree, node, node->parent != NOBODY ? numbers[node->parent] : 0, &last);
    }
    json_out_close(json, ']');
    if (tree->n_nodes > max)
        json_out_set_integer(json, "nodes_left_out", (int64_t) (tree->n_nodes - max));
    free(last.processes);
    free(numbers);
}

/** A text, unless it is empty. */
static void
write_words(struct json_out *json, const char *key, struct strbuf *words)
{
    char *text = strbuf_take(words);
    json_out_set_text(json, key, *text != '\0' ? text : NULL);
    free(text);
}

static void
write_outlier(struct json_out *json, const struct tree *tree, const struct place_group *group)
{
    enum { PLACES_MAX = 8 };
    struct strbuf own = {.text = NULL}, others = {.text = NULL};
    tree_add_places(tree, &own, group, &tree->groups[0], PLACES_MAX);
    tree_add_places(tree, &others, &tree->groups[0], group, PLACES_MAX);
    json_out_open(json, '{');
    verdict_write_ranks(json, "ranks", tree->verdict, group->processes, group->count);
    json_out_set_integer(json, "count", group->count);
    write_words(json, "place", &own);
    json_out_set_integer(json, "others", tree->groups[0].count);
    write_words(json, "others_place", &others);
    json_out_close(json, '}');
}

void
tree_write(struct json_out *json, const struct tree *tree, size_t max)
{
    json_out_open(json, '{');
    json_out_set_text(json, "frames", tree->detail == TREE_LINES ? "line" : "function");
    json_out_set_integer(json, "processes", (int64_t) tree->verdict->job.n_processes);
    json_out_set_integer(json, "threads", (int64_t) tree->verdict->job.n_threads);
    if (tree->n_without > 0)
        json_out_set_integer(json, "without_threads", (int64_t) tree->n_without);
    if (tree->verdict->job.by_index)
        json_out_set_text(json, "ranks_are", "indices of processes");
    json_out_array(json, "outliers");
    for (size_t i = tree->n_groups - tree->n_outliers; i < tree->n_groups; i++)
        write_outlier(json, tree, &tree->groups[i]);
    json_out_close(json, ']');
    write_nodes(json, tree, max);
    json_out_close(json, '}');
}

// DOT.

enum { BRANCHES_MAX = 200, RUNS_SHOWN = 6 };

/** Writes what becomes a line of a label, and empties the buffer. */
static void
write_line(FILE *out, struct strbuf *words)
{
    export_label(out, words);
    fputs("\\l", out);
}

static void
write_branch(const struct tree *tree, FILE *out, size_t first)
{
    struct strbuf words = {.text = NULL};
    const struct tree_node *node = &tree->nodes[first];
    size_t end = tree_end_of_branch(tree, first), count;
    uint32_t *processes = tree_processes(tree, node, &count);
    fprintf(out, "  n%zu [label=\"", end);
    for (size_t i = first; i <= end; i++) {
        tree_add_node(tree, &words, &tree->nodes[i]);
        write_line(out, &words);
    }
    tree_add_who(tree, &words, processes, count, RUNS_SHOWN);
    strbuf_add(&words, " %" PRIu32 " thread%s", node->n_threads, node->n_threads == 1 ? "" : "s");
    write_line(out, &words);
    tree_add_movement(&words, node);
    if (words.length > 0)
        write_line(out, &words);
    fputs("\"];\n", out);
    if (node->parent != NOBODY)
        fprintf(out, "  n%" PRId32 " -> n%zu;\n", node->parent, end);
    free(words.text);
    free(processes);
}

void
tree_write_dot(const struct tree *tree, FILE *out)
{
    uint32_t *branches = alloc_zeroed(tree->n_nodes + 1, sizeof *branches);
    size_t count = 0;
    for (uint32_t i = 0; i < tree->n_nodes; i++)
        if (tree_begins_branch(tree, i))
            branches[count++] = i;
    qsort_r(branches, count, sizeof *branches, compare_nodes, (void *) tree);
    fputs("digraph stacks {\n  node [shape=box, fontname=\"sans-serif\"];\n", out);
    for (size_t i = 0; i < count && i < BRANCHES_MAX; i++)
        write_branch(tree, out, branches[i]);
    if (count > BRANCHES_MAX)
        fprintf(out, "  label=\"%zu smaller branches are left out\";\n", count - BRANCHES_MAX);
    fputs("}\n", out);
    free(branches);
}
