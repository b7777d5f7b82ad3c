// SPDX-License-Identifier: BSD-3-Clause
// Arrays that are in order: comparing and searching.
#ifndef MQSHOW_BASE_SEARCH_H
#define MQSHOW_BASE_SEARCH_H

#include <stddef.h>
#include <stdint.h>

/** Compares pairs of numbers, the first that differs counts: a result for qsort(). */
static inline int
compare_pairs(const int64_t (*pairs)[2], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (pairs[i][0] != pairs[i][1])
            return pairs[i][0] < pairs[i][1] ? -1 : 1;
    return 0;
}

/** The same of pairs {a, b} in the order in which they count. */
#define COMPARE(...)                                 \
    compare_pairs((const int64_t[][2]){__VA_ARGS__}, \
                  sizeof((const int64_t[][2]){__VA_ARGS__}) / sizeof(int64_t[2]))

static inline int
compare_int32(const void *left, const void *right)
{
    return COMPARE({*(const int32_t *) left, *(const int32_t *) right});
}

static inline int
compare_int64(const void *left, const void *right)
{
    return COMPARE({*(const int64_t *) left, *(const int64_t *) right});
}

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

/** The number behind the last of the items from `first` on that are equal to it. */
static inline size_t
search_end(const void *items, size_t count, size_t size, size_t first,
           int (*compare)(const void *a, const void *b))
{
    size_t end = first + 1;
    while (end < count &&
           compare((const char *) items + first * size, (const char *) items + end * size) == 0)
        end++;
    return end;
}

#endif
