// SPDX-License-Identifier: BSD-3-Clause
// Following links, at most as many as there can be.
//
// The link of an item is followed only when the next item is wanted, so that an item with a bad
// link is still yielded.
#include "target/walk.h"

#include <inttypes.h>
#include <string.h>

void
walk_terminated(struct walk *walk, struct inferior *inf, taddr first, uint32_t link_offset,
                uint64_t budget)
{
    memset(walk, 0, sizeof(*walk));
    walk->inf = inf;
    walk->next = first;
    walk->budget = budget;
    walk->link_offset = link_offset;
    walk->shape = WALK_TERMINATED;
}

// Whether an item, with an aligned link, can be there.
static bool
can_be_item(const struct walk *walk, taddr item)
{
    unsigned pointer_size = walk->inf->model.pointer_size;
    taddr last = pointer_size == 4 ? UINT32_MAX : UINT64_MAX;
    if (item == 0 || item > last)
        return false;
    return walk->link_offset <= last - item && (item + walk->link_offset) % pointer_size == 0;
}

enum status
walk_circular(struct walk *walk, struct inferior *inf, taddr sentinel, uint32_t link_offset,
              uint64_t budget)
{
    walk_terminated(walk, inf, 0, link_offset, budget);
    walk->shape = WALK_CIRCULAR;
    walk->sentinel = sentinel;
    if (!can_be_item(walk, sentinel))
        return trail_begin(&inf->trail, STATUS_CORRUPT, "0x%" PRIx64 " cannot be a list", sentinel);
    return inferior_read_pointer(inf, sentinel + link_offset, &walk->next);
}

// Goes on to the item after the one that was yielded last.
static enum status
follow(struct walk *walk)
{
    if (walk->current == 0)
        return STATUS_OK;
    TRY(inferior_read_pointer(walk->inf, walk->current + walk->link_offset, &walk->next));
    walk->current = 0;
    return STATUS_OK;
}

static bool
is_end(const struct walk *walk, taddr item)
{
    if (walk->shape == WALK_CIRCULAR)
        return item == walk->sentinel;
    return item == 0 || item == walk->sentinel;
}

// A process may be stopped after it has linked an item in, and before it has counted it: one more
// than the budget is right when it is the last.
static bool
is_last(const struct walk *walk)
{
    taddr after;

    return inferior_read_pointer(walk->inf, walk->next + walk->link_offset, &after) == STATUS_OK &&
           is_end(walk, after);
}

enum status
walk_next(struct walk *walk, taddr *ret)
{
    struct trail *trail = &walk->inf->trail;
    TRY(follow(walk));
    if (is_end(walk, walk->next))
        return STATUS_END;
    if (!can_be_item(walk, walk->next))
        return trail_begin(trail, STATUS_CORRUPT, "0x%" PRIx64 " cannot be an item of the list",
                           walk->next);
    if (walk->budget == 0 && !is_last(walk))
        return trail_begin(trail, STATUS_CORRUPT, "the list has too many items");
    walk->budget -= walk->budget > 0;
    walk->current = walk->next;
    *ret = walk->next;
    return STATUS_OK;
}
