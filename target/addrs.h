// SPDX-License-Identifier: BSD-3-Clause
// Addresses, in a table that grows.
#ifndef TARGET_ADDRS_H
#define TARGET_ADDRS_H

#include "target/arena.h"
#include "target/status.h"

struct addrs {
    taddr *at; // in the arena
    uint32_t count;
    uint32_t room;
};

/** Appends an address. @return STATUS_NOMEM */
CHECKED enum status addrs_add(struct arena *arena, struct addrs *addrs, taddr addr);

/** Sorts a table, for addrs_find(). */
CHECKED enum status addrs_sort(struct arena *arena, struct addrs *addrs);

/** Place of the first address in a sorted table that is not below this one; `count`: all are. */
uint32_t addrs_not_below(const struct addrs *addrs, taddr addr);

/** Whether an address is one of a sorted table, or less than `size` bytes behind one. */
bool addrs_cover(const struct addrs *addrs, uint64_t size, taddr addr);

/** Place of an address in a sorted table; `count` when it is not there. */
uint32_t addrs_find(const struct addrs *addrs, taddr addr);

/** Numbers of a table's places in the order of their addresses, for addrs_find_by(). @return NULL
 * when there is no memory */
uint32_t *addrs_order(struct arena *arena, const struct addrs *addrs);

/** Place of an address in a table that is not sorted itself; `count` when it is not there. */
uint32_t addrs_find_by(const struct addrs *addrs, const uint32_t *order, taddr addr);

#endif
