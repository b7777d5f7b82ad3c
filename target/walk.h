// SPDX-License-Identifier: BSD-3-Clause
// Bounded traversals of target lists that yield addresses.
#ifndef TARGET_WALK_H
#define TARGET_WALK_H

#include "target/inferior.h"

/** A walk along a circular list with a sentinel, or a NULL-terminated one.
 *
 * It ends at the sentinel or at NULL, breaks with STATUS_CORRUPT when there are more items than
 * `budget` (one more is fine when it is the last: it may not have been counted yet) or an address
 * cannot be that of an item, and with STATUS_UNREADABLE when a link cannot be read. What it has
 * yielded before stays good.
 */
struct walk {
    struct inferior *inf;
    taddr sentinel; // address of the item that ends the walk; 0: only NULL does
    taddr next;     // item that comes next, when `current` is 0
    taddr current;  // item that was yielded last, whose link leads on; 0: none
    uint64_t budget;
    uint32_t link_offset; // of the link in an item
    enum { WALK_CIRCULAR, WALK_TERMINATED } shape;
};

/** Starts a walk over a circular list.
 * @param sentinel    address of the head item, which is not part of the list
 * @param link_offset bytes from an item to its pointer to the next item
 * @param budget      most items that the list can have, known from elsewhere (its length)
 * @return as inferior_read_pointer(); STATUS_CORRUPT when there cannot be a list at `sentinel`
 */
CHECKED enum status walk_circular(struct walk *walk, struct inferior *inf, taddr sentinel,
                                  uint32_t link_offset, uint64_t budget);

/** Starts a walk over a NULL-terminated list at its first item (0: empty). Reads nothing. */
void walk_terminated(struct walk *walk, struct inferior *inf, taddr first, uint32_t link_offset,
                     uint64_t budget);

/** Yields the next item. @return STATUS_END past the last */
CHECKED enum status walk_next(struct walk *walk, taddr *ret);

#endif
