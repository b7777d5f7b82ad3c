// SPDX-License-Identifier: BSD-3-Clause
// From addresses to numbers, by a table that is searched once it is sorted.
#include "mpi-impl-adapters/mpich/search.h"

#include "target/sort.h"

static int
addr_less(void *context, uint32_t a, uint32_t b)
{
    const taddr *at = context;

    return at[a] < at[b];
}

enum status
map_add(struct search *search, struct map *map, taddr key, taddr value)
{
    TRY(addrs_add(search->arena, &map->key, key));
    return addrs_add(search->arena, &map->value, value);
}

enum status
map_seal(struct search *search, struct map *map)
{
    map->order = arena_alloc(search->arena, map->key.count + 1, sizeof(*map->order));
    if (map->order == NULL)
        return STATUS_NOMEM;
    for (uint32_t i = 0; i < map->key.count; ++i)
        map->order[i] = i;
    sort_numbers(map->order, map->key.count, addr_less, map->key.at);
    return STATUS_OK;
}

// The neighbours of a key that was found have others, or the same value.
static bool
is_only(const struct map *map, uint32_t place)
{
    const uint32_t here = map->order[place];
    const uint32_t before = place > 0 ? map->order[place - 1] : here;
    const uint32_t after = place + 1 < map->key.count ? map->order[place + 1] : here;
    const taddr key = map->key.at[here], value = map->value.at[here];

    return (map->key.at[before] != key || map->value.at[before] == value) &&
           (map->key.at[after] != key || map->value.at[after] == value);
}

bool
map_find(const struct map *map, taddr key, taddr *ret)
{
    uint32_t low = 0, high = map->order == NULL ? 0 : map->key.count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const taddr at = map->key.at[map->order[middle]];
        if (at == key) {
            *ret = map->value.at[map->order[middle]];
            return is_only(map, middle);
        }
        if (at < key)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}
