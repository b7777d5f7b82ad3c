// SPDX-License-Identifier: BSD-3-Clause
// Ranks in the same situation as one node of the graph.
#include "mqshow/html/cluster.h"

#include "mqshow/base/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    EACH_ALONE = 8,    // jobs of this size have a node for each rank
    MANY_NODES = 60,   // more cannot be read
    CYCLES_ALONE = 24, // ranks in cycles have their own nodes when there are no more
};

/** How much ranks must have in common, from all to little. */
enum level { LEVEL_RANK, LEVEL_WAITS, LEVEL_GROUP, LEVEL_CALL, LEVEL_KIND, LEVELS };

/** A text that is equal for ranks that may stand together, for free(). */
static char *
common_text(const struct rank_state *one, enum level level, bool cycles_alone)
{
    if (level == LEVEL_RANK || (cycles_alone && one->kind == KIND_CYCLE))
        return alloc_format("%d", one->label);
    const char *call = one->call ? one->call : "";
    const char *state = one->state ? one->state : "";
    bool has_not_entered = one->not_entered != NULL;
    switch (level) {
    case LEVEL_WAITS:
        return alloc_format("w%d %d %zu %" PRIx64 " %s %s", one->kind, has_not_entered,
                            (size_t) one->process->group, one->waits_hash, state, call);
    case LEVEL_GROUP:
        return alloc_format("g%d %d %zu %s %s", one->kind, has_not_entered,
                            (size_t) one->process->group, state, call);
    case LEVEL_CALL:
        return alloc_format("c%d %d %s %s", one->kind, has_not_entered, state, call);
    default:
        return alloc_format("k%d %s", one->kind, state);
    }
}

static bool
are_equal(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

/** Where its thread is in the program's own code; NULL: not known. */
static const struct frame_record *
frame_of(const struct rank_state *one)
{
    return one->thread && HAS(one->thread->record, THREAD_FRAME) ? &one->thread->record->frame
                                                                 : NULL;
}

static bool
is_same_frame(const struct frame_record *a, const struct frame_record *b)
{
    // Texts of one document are kept once.
    return a && b && a->function == b->function && a->file == b->file &&
           HAS(a, FRAME_LINE) == HAS(b, FRAME_LINE) && a->line == b->line;
}

static struct cluster
cluster_of(const struct rank_state *one)
{
    return (struct cluster){.call = one->call,
                            .inside = one->inside,
                            .state = one->state,
                            .frame = frame_of(one),
                            .not_entered = one->not_entered,
                            .kind = one->kind};
}

static void
join(struct cluster *node, const struct rank_state *one)
{
    node->count++;
    if (!are_equal(node->call, one->call))
        node->call = NULL;
    if (!are_equal(node->inside, one->inside))
        node->inside = NULL;
    if (!are_equal(node->state, one->state))
        node->state = NULL;
    if (!is_same_frame(node->frame, frame_of(one)))
        node->frame = NULL;
    if (node->not_entered != one->not_entered)
        node->not_entered = NULL;
}

static struct clusters
divide(const struct rank_states *all, enum level level, bool cycles_alone)
{
    struct clusters nodes = {.of = alloc_zeroed(all->count + 1, sizeof *nodes.of)};
    struct intern texts = {.items = NULL};
    for (size_t i = 0; i < all->count; i++) {
        char *text = common_text(&all->items[i], level, cycles_alone);
        nodes.of[i] = intern_text(&texts, text);
        if (nodes.of[i] == nodes.count)
            *ALLOC_ADD(nodes.items, nodes.count, nodes.capacity) = cluster_of(&all->items[i]);
        join(&nodes.items[nodes.of[i]], &all->items[i]);
        free(text);
    }
    intern_deinit(&texts);
    return nodes;
}

static size_t
count_in_cycles(const struct rank_states *all)
{
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++)
        count += all->items[i].kind == KIND_CYCLE;
    return count;
}

struct clusters
clusters_find(const struct rank_states *all)
{
    bool cycles_alone = count_in_cycles(all) <= CYCLES_ALONE;
    enum level level = all->count <= EACH_ALONE ? LEVEL_RANK : LEVEL_WAITS;
    for (;; level++) {
        struct clusters nodes = divide(all, level, cycles_alone);
        if (nodes.count <= MANY_NODES || level + 1 == LEVELS)
            return nodes;
        clusters_free(&nodes);
    }
}

void
clusters_free(struct clusters *clusters)
{
    for (size_t i = 0; i < clusters->count; i++) {
        free(clusters->items[i].ranks);
        free(clusters->items[i].place);
        free(clusters->items[i].entry);
    }
    free(clusters->items);
    free(clusters->of);
}
