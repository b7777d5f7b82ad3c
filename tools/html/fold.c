// SPDX-License-Identifier: BSD-3-Clause
// Ranks in the same situation as one node of the graph.
#include "tools/html/fold.h"

#include "tools/alloc.h"

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
common_text(const struct situation *one, enum level level, bool cycles_alone)
{
    if (level == LEVEL_RANK || (cycles_alone && one->kind == KIND_CYCLE))
        return alloc_format("%" JSON_INTEGER_FORMAT, one->rank);
    const char *call = one->call != NULL ? one->call : "";
    const char *state = one->state != NULL ? one->state : "";
    bool is_late = one->late != NULL;
    switch (level) {
    case LEVEL_WAITS:
        return alloc_format("w%d %d %zu %" PRIx64 " %s %s", one->kind, is_late, one->group,
                            one->waits_hash, state, call);
    case LEVEL_GROUP:
        return alloc_format("g%d %d %zu %s %s", one->kind, is_late, one->group, state, call);
    case LEVEL_CALL:
        return alloc_format("c%d %d %s %s", one->kind, is_late, state, call);
    default:
        return alloc_format("k%d %s", one->kind, state);
    }
}

static bool
are_equal(const char *a, const char *b)
{
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

static struct node
node_of(const struct situation *one)
{
    return (struct node){.first = one,
                         .call = one->call,
                         .inside = one->inside,
                         .state = one->state,
                         .frame = json_object_get(one->thread, "frame"),
                         .late = one->late,
                         .kind = one->kind};
}

static void
join(struct node *node, const struct situation *one)
{
    const json_t *frame = json_object_get(one->thread, "frame");
    node->count++;
    if (!are_equal(node->call, one->call))
        node->call = NULL;
    if (!are_equal(node->inside, one->inside))
        node->inside = NULL;
    if (!are_equal(node->state, one->state))
        node->state = NULL;
    if (node->frame != NULL && !json_equal(node->frame, frame))
        node->frame = NULL;
    if (node->late != one->late)
        node->late = NULL;
}

static struct nodes
divide(const struct situations *all, enum level level, bool cycles_alone)
{
    struct nodes nodes = {.of = alloc_zeroed(all->count + 1, sizeof *nodes.of)};
    size_t capacity = 0;
    json_t *places = json_object();
    for (size_t i = 0; i < all->count; i++) {
        char *text = common_text(&all->items[i], level, cycles_alone);
        const json_t *place = json_object_get(places, text);
        nodes.of[i] = place != NULL ? (size_t) json_integer_value(place) : nodes.count;
        if (place == NULL) {
            nodes.items = alloc_grow(nodes.items, nodes.count, &capacity, sizeof *nodes.items);
            nodes.items[nodes.count] = node_of(&all->items[i]);
            json_object_set_new(places, text, json_integer((json_int_t) nodes.count++));
        }
        join(&nodes.items[nodes.of[i]], &all->items[i]);
        free(text);
    }
    json_decref(places);
    return nodes;
}

static size_t
count_in_cycles(const struct situations *all)
{
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++)
        count += all->items[i].kind == KIND_CYCLE;
    return count;
}

struct nodes
fold(const struct situations *all)
{
    bool cycles_alone = count_in_cycles(all) <= CYCLES_ALONE;
    enum level level = all->count <= EACH_ALONE ? LEVEL_RANK : LEVEL_WAITS;
    for (;; level++) {
        struct nodes nodes = divide(all, level, cycles_alone);
        if (nodes.count <= MANY_NODES || level + 1 == LEVELS)
            return nodes;
        fold_free(&nodes);
    }
}

void
fold_free(struct nodes *nodes)
{
    free(nodes->items);
    free(nodes->of);
}
