// SPDX-License-Identifier: BSD-3-Clause
// Searching arrays that are in order.
#ifndef MQSHOW_BASE_SEARCH_H
#define MQSHOW_BASE_SEARCH_H

#include <stddef.h>

/** The number of the first item that is not before the key, as bsearch() compares them; `count`
 * when all are. */
static inline size_t
search_first(const void *key, const void *items, size_t count, size_t size,
             int (*compare)(const void *key, const void *item))
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare(key, (const char *) items + middle * size) > 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif
