// SPDX-License-Identifier: BSD-3-Clause
// Tables of addresses that grow, and are searched once they are sorted.
#include "target/addrs.h"

#include "target/sort.h"

#include <string.h>

enum status
addrs_add(struct arena *arena, struct addrs *addrs, taddr addr)
{
    if (addrs->count == addrs->room) {
        const uint32_t room = addrs->room == 0 ? 256 : addrs->room * 2;
        taddr *at = arena_alloc(arena, room, sizeof(*at));
        if (at == NULL)
            return STATUS_NOMEM;
        if (addrs->count > 0)
            memcpy(at, addrs->at, addrs->count * sizeof(*at));
        addrs->at = at;
        addrs->room = room;
    }
    addrs->at[addrs->count++] = addr;
    return STATUS_OK;
}

static int
addr_less(void *context, uint32_t a, uint32_t b)
{
    const taddr *at = context;

    return at[a] < at[b];
}

uint32_t *
addrs_order(struct arena *arena, const struct addrs *addrs)
{
    uint32_t *order = arena_alloc(arena, (size_t) addrs->count + 1, sizeof(*order));

    if (order == NULL)
        return NULL;
    for (uint32_t i = 0; i < addrs->count; ++i)
        order[i] = i;
    sort_numbers(order, addrs->count, addr_less, addrs->at);
    return order;
}

enum status
addrs_sort(struct arena *arena, struct addrs *addrs)
{
    const uint32_t *order = addrs_order(arena, addrs);
    taddr *sorted = arena_alloc(arena, (size_t) addrs->count + 1, sizeof(*sorted));

    if (order == NULL || sorted == NULL)
        return STATUS_NOMEM;
    for (uint32_t i = 0; i < addrs->count; ++i)
        sorted[i] = addrs->at[order[i]];
    addrs->at = sorted;
    addrs->room = addrs->count;
    return STATUS_OK;
}

uint32_t
addrs_not_below(const struct addrs *addrs, taddr addr)
{
    uint32_t low = 0, high = addrs->count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (addrs->at[middle] < addr)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool
addrs_cover(const struct addrs *addrs, uint64_t size, taddr addr)
{
    const uint32_t place = addrs_not_below(addrs, addr);

    return (place < addrs->count && addrs->at[place] == addr) ||
           (place > 0 && addr - addrs->at[place - 1] < size);
}

uint32_t
addrs_find(const struct addrs *addrs, taddr addr)
{
    const uint32_t place = addrs_not_below(addrs, addr);

    return place < addrs->count && addrs->at[place] == addr ? place : addrs->count;
}

uint32_t
addrs_find_by(const struct addrs *addrs, const uint32_t *order, taddr addr)
{
    uint32_t low = 0, high = addrs->count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (addrs->at[order[middle]] < addr)
            low = middle + 1;
        else
            high = middle;
    }
    return low < addrs->count && addrs->at[order[low]] == addr ? order[low] : addrs->count;
}
