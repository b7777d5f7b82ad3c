// SPDX-License-Identifier: BSD-3-Clause
// The stacks of all threads of a document as one tree.
#include "mqshow/tree/tree.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/search.h"

#include <stdlib.h>
#include <string.h>

/** A node before the children of each are in order. */
struct draft_node {
    int32_t parent;             // NOBODY: none
    size_t first_path, n_paths; // of a leaf, in their order
    uint32_t key, step, times, n_threads;
    bool has_children;
};

/** A tree while it is made. */
struct making {
    struct tree *tree;
    uint32_t *order; // paths that threads have, those that begin alike side by side
    size_t n_paths, n_used;
    struct by_key of_path; // threads
    struct draft_node *drafts;
    size_t n_drafts, capacity;
};

// Paths, with what repeats itself once.

static uint32_t
key_of(const struct tree *tree, uint32_t step)
{
    return tree->detail == TREE_LINES ? step : tree->paths.steps[step].place;
}

static void
add_item(const struct tree *tree, uint32_t path, uint32_t step)
{
    struct tree_item *items = tree->items + tree->first_item[path];
    uint32_t *count = &tree->n_items[path], key = key_of(tree, step);
    struct tree_item *last = *count > 0 ? &items[*count - 1] : NULL;
    if (!last || last->key != key) {
        items[(*count)++] = (struct tree_item){key, step, 1};
        return;
    }
    last->times++;
    if (last->step != step)
        last->step = tree->paths.steps[step].place;
}

static void
make_items(struct making *making)
{
    struct tree *tree = making->tree;
    size_t total = 0, count;
    tree->first_item = alloc_zeroed(making->n_paths + 1, sizeof *tree->first_item);
    tree->n_items = alloc_zeroed(making->n_paths + 1, sizeof *tree->n_items);
    for (uint32_t i = 0; i < making->n_paths; i++) {
        tree->first_item[i] = total;
        paths_get(&tree->paths, i, &count);
        total += count + 1;
    }
    tree->items = alloc_zeroed(total + 1, sizeof *tree->items);
    for (uint32_t i = 0; i < making->n_paths; i++) {
        const uint32_t *steps = paths_get(&tree->paths, i, &count);
        for (size_t k = 0; k < count; k++)
            add_item(tree, i, steps[k]);
    }
}

/** Items that two paths have in common at their beginnings. */
static uint32_t
common(const struct tree *tree, uint32_t one, uint32_t other)
{
    const struct tree_item *a = tree->items + tree->first_item[one];
    const struct tree_item *b = tree->items + tree->first_item[other];
    uint32_t i = 0;
    while (i < tree->n_items[one] && i < tree->n_items[other] && a[i].key == b[i].key)
        i++;
    return i;
}

static int
compare_paths(const void *left, const void *right, void *context)
{
    const struct tree *tree = context;
    uint32_t a = *(const uint32_t *) left, b = *(const uint32_t *) right;
    uint32_t i = common(tree, a, b);
    bool a_ends = i == tree->n_items[a], b_ends = i == tree->n_items[b];
    if (a_ends || b_ends)
        return COMPARE({b_ends, a_ends}, {a, b});
    return COMPARE(
        {tree->items[tree->first_item[a] + i].key, tree->items[tree->first_item[b] + i].key});
}

static void
sort_paths(struct making *making)
{
    struct tree *tree = making->tree;
    making->order = alloc_zeroed(making->n_paths + 1, sizeof *making->order);
    for (uint32_t i = 0; i < making->n_paths; i++)
        if (making->of_path.first[i] < making->of_path.first[i + 1]) // else it was put elsewhere
            making->order[making->n_used++] = i;
    qsort_r(making->order, making->n_used, sizeof *making->order, compare_paths, tree);
}

/** The end of the paths, in their order, that are the same but for lines that do not count. */
static size_t
end_of_same(const struct making *making, size_t first)
{
    const struct tree *tree = making->tree;
    uint32_t path = making->order[first], count = tree->n_items[path];
    size_t end = first + 1;
    while (end < making->n_used && tree->n_items[making->order[end]] == count &&
           common(tree, path, making->order[end]) == count)
        end++;
    return end;
}

/** Adds a step to paths that end where others go on. */
static void
end_inside(struct making *making, size_t first, size_t end)
{
    struct tree *tree = making->tree;
    uint32_t count = tree->n_items[making->order[first]];
    if (end == making->n_used || common(tree, making->order[first], making->order[end]) < count)
        return;
    uint32_t here = paths_step(&tree->paths, STEP_HERE, "here", NULL, 0);
    for (size_t i = first; i < end; i++) {
        uint32_t path = making->order[i];
        tree->items[tree->first_item[path] + count] = (struct tree_item){here, here, 1};
        tree->n_items[path]++;
    }
}

// Nodes.

static int32_t
add_draft(struct making *making, int32_t parent, const struct tree_item *item)
{
    if (parent != NOBODY)
        making->drafts[parent].has_children = true;
    *ALLOC_ADD(making->drafts, making->n_drafts, making->capacity) = (struct draft_node){
        .parent = parent, .key = item->key, .step = item->step, .times = item->times};
    return (int32_t) making->n_drafts - 1;
}

/** Notes that another path comes by. */
static void
add_to_draft(struct making *making, struct draft_node *node, const struct tree_item *item,
             uint32_t n_threads)
{
    if (node->step != item->step)
        node->step = making->tree->paths.steps[item->step].place;
    node->times = node->times > item->times ? node->times : item->times;
    node->n_threads += n_threads;
}

/** Adds a path. @param same items that it has in common with the one before
 * @param nodes of the one before, by depth; updated */
static void
add_path(struct making *making, uint32_t path, uint32_t same, int32_t *nodes)
{
    const struct tree *tree = making->tree;
    const struct tree_item *items = tree->items + tree->first_item[path];
    uint32_t n_threads = making->of_path.first[path + 1] - making->of_path.first[path];
    for (uint32_t k = 0; k < tree->n_items[path]; k++) {
        if (k >= same)
            nodes[k] = add_draft(making, k > 0 ? nodes[k - 1] : NOBODY, &items[k]);
        add_to_draft(making, &making->drafts[nodes[k]], &items[k], n_threads);
    }
}

static void
make_drafts(struct making *making)
{
    const struct tree *tree = making->tree;
    uint32_t max = 0;
    for (size_t i = 0; i < making->n_paths; i++)
        max = tree->n_items[i] > max ? tree->n_items[i] : max;
    int32_t *nodes = alloc_zeroed(max + 2, sizeof *nodes);
    for (size_t first = 0, end; first < making->n_used; first = end) {
        end = end_of_same(making, first);
        end_inside(making, first, end);
        for (size_t i = first; i < end; i++)
            add_path(making, making->order[i],
                     i > 0 ? common(tree, making->order[i - 1], making->order[i]) : 0, nodes);
        struct draft_node *leaf = &making->drafts[nodes[tree->n_items[making->order[first]] - 1]];
        leaf->first_path = first;
        leaf->n_paths = end - first;
    }
    free(nodes);
}

/** By parent; of its children those with more threads first, those of runtimes last. */
static int
compare_drafts(const void *left, const void *right, void *context)
{
    const struct making *making = context;
    const struct draft_node *a = &making->drafts[*(const uint32_t *) left];
    const struct draft_node *b = &making->drafts[*(const uint32_t *) right];
    const struct step *steps = making->tree->paths.steps;
    int ret = COMPARE({a->parent, b->parent},
                      {steps[a->step].kind == STEP_HELPERS, steps[b->step].kind == STEP_HELPERS},
                      {b->n_threads, a->n_threads});
    if (ret == 0)
        ret = strcmp(steps[a->step].name, steps[b->step].name);
    return ret != 0 ? ret : COMPARE({steps[a->step].line, steps[b->step].line}, {a->key, b->key});
}

/** Takes a node over. @param place of each draft: its number + 1, 0: not yet */
static void
add_node(struct making *making, uint32_t number, uint32_t *place, size_t *n_placed)
{
    struct tree *tree = making->tree;
    const struct draft_node *draft = &making->drafts[number];
    int32_t parent = draft->parent != NOBODY ? (int32_t) place[draft->parent] - 1 : NOBODY;
    struct tree_node node = {.step = draft->step,
                             .parent = parent,
                             .depth = parent != NOBODY ? tree->nodes[parent].depth + 1 : 0,
                             .first_thread = (uint32_t) *n_placed,
                             .n_threads = draft->n_threads,
                             .times = draft->times};
    if (parent != NOBODY)
        tree->nodes[parent].n_children++;
    *ALLOC_ADD(tree->nodes, tree->n_nodes, tree->nodes_capacity) = node;
    place[number] = (uint32_t) tree->n_nodes;
    for (size_t k = draft->first_path; k < draft->first_path + draft->n_paths; k++) {
        const uint32_t *first = &making->of_path.first[making->order[k]];
        for (uint32_t i = first[0]; i < first[1]; i++) {
            tree->threads[(*n_placed)++] = making->of_path.items[i];
            tree->leaves[making->of_path.items[i]] = (uint32_t) tree->n_nodes - 1;
        }
    }
}

/** Puts the nodes in order. */
static void
make_nodes(struct making *making)
{
    size_t count = making->n_drafts, depth = 0, n_placed = 0;
    uint32_t *sorted = alloc_zeroed(count + 1, sizeof *sorted);
    uint32_t *left = alloc_zeroed(count + 1, sizeof *left); // to be taken, the last one next
    uint32_t *place = alloc_zeroed(count + 1, sizeof *place);
    uint32_t *first = alloc_zeroed(count + 2, sizeof *first); // child of a draft, in `sorted`
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = i;
    qsort_r(sorted, count, sizeof *sorted, compare_drafts, making);
    for (size_t i = count; i-- > 0;)
        first[making->drafts[sorted[i]].parent + 1] = (uint32_t) i;
    for (int32_t parent = NOBODY;;) {
        size_t begin = first[parent + 1], end = begin;
        bool has_any = parent == NOBODY ? count > 0 : making->drafts[parent].has_children;
        while (has_any && end < count && making->drafts[sorted[end]].parent == parent)
            end++;
        while (end-- > begin)
            left[depth++] = sorted[end];
        if (depth == 0)
            break;
        parent = (int32_t) left[--depth];
        add_node(making, (uint32_t) parent, place, &n_placed);
    }
    free(sorted);
    free(left);
    free(place);
    free(first);
}

// What is known of nodes.

static void
count_node(struct tree *tree, struct tree_node *node, uint32_t stamp, uint32_t *seen)
{
    const struct tree_node *parent = node->parent != NOBODY ? &tree->nodes[node->parent] : NULL;
    if (parent && parent->n_threads == node->n_threads) {
        node->n_processes = parent->n_processes;
        node->n_moved = parent->n_moved;
        node->n_unmoved = parent->n_unmoved;
        return;
    }
    for (uint32_t i = node->first_thread; i < node->first_thread + node->n_threads; i++) {
        const struct job_thread *thread = &tree->verdict->job.threads[tree->threads[i]];
        bool is_known = HAS(thread->record, THREAD_MOVED);
        node->n_processes += seen[thread->process] != stamp;
        seen[thread->process] = stamp;
        node->n_moved += is_known && thread->record->moved;
        node->n_unmoved += is_known && !thread->record->moved;
    }
}

static void
count_all(struct tree *tree)
{
    const struct job_index *job = &tree->verdict->job;
    uint32_t *seen = alloc_zeroed(job->n_processes + 1, sizeof *seen);
    for (size_t i = 0; i < tree->n_nodes; i++) {
        count_node(tree, &tree->nodes[i], (uint32_t) i + 1, seen);
        tree->n_moved += tree->nodes[i].parent == NOBODY ? tree->nodes[i].n_moved : 0;
        tree->n_unmoved += tree->nodes[i].parent == NOBODY ? tree->nodes[i].n_unmoved : 0;
    }
    tree->by_pid = job->n_processes > 0;
    for (size_t i = 0; i < job->n_processes; i++) {
        tree->n_without += job->processes[i].n_threads == 0;
        tree->by_pid &= job->processes[i].rank < 0 && job->processes[i].report->pid > 0;
    }
    free(seen);
}

void
tree_init(struct tree *tree, const struct document *document, const struct verdict *verdict,
          enum tree_detail detail)
{
    struct verdict *own = NULL;
    struct making making = {.tree = tree};
    if (!verdict) {
        verdict = own = alloc_zeroed(1, sizeof *own);
        verdict_init(own, document);
    }
    size_t n_threads = verdict->job.n_threads;
    *tree = (struct tree){.verdict = verdict,
                          .own = own,
                          .detail = detail,
                          .threads = alloc_zeroed(n_threads + 1, sizeof *tree->threads),
                          .leaves = alloc_zeroed(n_threads + 1, sizeof *tree->leaves)};
    paths_init(&tree->paths, verdict);
    making.n_paths = tree->paths.all.count;
    by_key_init(&making.of_path, tree->paths.of_thread, sizeof(uint32_t), 0, n_threads,
                making.n_paths);
    make_items(&making);
    sort_paths(&making);
    make_drafts(&making);
    make_nodes(&making);
    by_key_deinit(&making.of_path);
    free(making.order);
    free(making.drafts);
    count_all(tree);
    tree_group(tree);
}

void
tree_deinit(struct tree *tree)
{
    paths_deinit(&tree->paths);
    intern_deinit(&tree->places);
    by_key_deinit(&tree->in_groups);
    free(tree->items);
    free(tree->first_item);
    free(tree->n_items);
    free(tree->nodes);
    free(tree->threads);
    free(tree->leaves);
    free(tree->groups);
    if (tree->own)
        verdict_deinit(tree->own);
    free(tree->own);
}

uint32_t *
tree_processes(const struct tree *tree, const struct tree_node *node, size_t *ret_count)
{
    uint32_t *ret = alloc_zeroed(node->n_threads + 1, sizeof *ret);
    size_t count = 0;
    for (uint32_t i = 0; i < node->n_threads; i++)
        ret[i] = tree->verdict->job.threads[tree->threads[node->first_thread + i]].process;
    qsort(ret, node->n_threads, sizeof *ret, compare_int32);
    for (uint32_t i = 0; i < node->n_threads; i++)
        if (count == 0 || ret[count - 1] != ret[i])
            ret[count++] = ret[i];
    *ret_count = count;
    return ret;
}

const struct step *
tree_step(const struct tree *tree, const struct tree_node *node)
{
    return &tree->paths.steps[node->step];
}

bool
tree_begins_branch(const struct tree *tree, size_t node)
{
    int32_t parent = tree->nodes[node].parent;
    return parent == NOBODY || tree->nodes[parent].n_children > 1;
}

size_t
tree_end_of_branch(const struct tree *tree, size_t node)
{
    while (tree->nodes[node].n_children == 1)
        node++;
    return node;
}
