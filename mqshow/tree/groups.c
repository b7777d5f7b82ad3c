// SPDX-License-Identifier: BSD-3-Clause
// Processes that are in the same places, and those that are elsewhere than the many.
#include "mqshow/base/alloc.h"
#include "mqshow/base/search.h"
#include "mqshow/tree/tree.h"

#include <stdlib.h>

/** The leaves that threads of a process are in, each once, but for those that run nothing of the
 * program's. @param ret has room for one more than it has threads. @return their number */
static size_t
places_of(const struct tree *tree, const struct process_entry *process, uint32_t *ret)
{
    size_t n = 0, count = 0;
    for (uint32_t i = process->first_thread; i < process->first_thread + process->n_threads; i++)
        if (tree_step(tree, &tree->nodes[tree->leaves[i]])->kind != STEP_HELPERS)
            ret[n++] = tree->leaves[i];
    if (n > 1)
        qsort(ret, n, sizeof *ret, compare_int32);
    for (size_t i = 0; i < n; i++)
        if (count == 0 || ret[count - 1] != ret[i])
            ret[count++] = ret[i];
    return count;
}

/** The largest first. */
static int
compare_sizes(const void *left, const void *right)
{
    const struct place_group *a = left, *b = right;
    return COMPARE({b->count, a->count}, {*a->processes, *b->processes});
}

/** The smallest first. */
static int
compare_outliers(const void *left, const void *right)
{
    const struct place_group *a = left, *b = right;
    return COMPARE({a->count, b->count}, {*a->processes, *b->processes});
}

/** Groups of at most half as many as the largest one are outliers, where these are not most of
 * all: then there is no place of the many. */
static void
find_outliers(struct tree *tree)
{
    size_t all = 0, outside = 0, n = 0;
    for (size_t i = 0; i < tree->n_groups; i++) {
        bool is_outlier = 2 * (size_t) tree->groups[i].count <= tree->groups[0].count;
        all += tree->groups[i].count;
        outside += is_outlier ? tree->groups[i].count : 0;
        n += is_outlier;
    }
    if (n == 0 || 2 * outside > all)
        return;
    tree->n_outliers = n;
    qsort(tree->groups + tree->n_groups - n, n, sizeof *tree->groups, compare_outliers);
}

void
tree_group(struct tree *tree)
{
    const struct job_index *job = &tree->verdict->job;
    uint32_t *keys = alloc_zeroed(job->n_processes + 1, sizeof *keys);
    uint32_t *places = alloc_zeroed(job->n_threads + 1, sizeof *places);
    for (size_t i = 0; i < job->n_processes; i++) {
        size_t count = places_of(tree, &job->processes[i], places);
        keys[i] = job->processes[i].n_threads > 0
                      ? intern_bytes(&tree->places, places, count * sizeof *places)
                      : UINT32_MAX;
    }
    tree->n_groups = tree->places.count;
    by_key_init(&tree->in_groups, keys, sizeof *keys, 0, job->n_processes, tree->n_groups);
    tree->groups = alloc_zeroed(tree->n_groups + 1, sizeof *tree->groups);
    for (uint32_t i = 0; i < tree->n_groups; i++) {
        const uint32_t *first = &tree->in_groups.first[i];
        tree->groups[i] =
            (struct place_group){i, tree->in_groups.items + first[0], first[1] - first[0]};
    }
    qsort(tree->groups, tree->n_groups, sizeof *tree->groups, compare_sizes);
    find_outliers(tree);
    free(keys);
    free(places);
}

const uint32_t *
tree_places(const struct tree *tree, const struct place_group *group, size_t *ret_count)
{
    const struct interned *found = &tree->places.items[group->places];
    *ret_count = found->size / sizeof(uint32_t);
    return found->bytes;
}
