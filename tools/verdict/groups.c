// SPDX-License-Identifier: BSD-3-Clause
// Groups of processes as runs of ranks that rise by one; equal groups are kept once.
#include "tools/verdict/groups.h"

#include "tools/alloc.h"

#include <stdio.h>
#include <stdlib.h>

/** Members `start` and following; what they are in MPI_COMM_WORLD. */
struct run {
    int32_t start, first, last; // -1 to -1: one process of another job
};

struct runs {
    struct run *items;
    size_t count, capacity;
    int64_t members;
};

static void
add_run(struct runs *runs, int32_t first, int32_t last)
{
    struct run *tail = runs->count > 0 ? &runs->items[runs->count - 1] : NULL;
    if (tail != NULL && first > 0 && tail->last == first - 1 && tail->first >= 0) {
        tail->last = last;
    } else {
        runs->items = alloc_grow(runs->items, runs->count, &runs->capacity, sizeof *runs->items);
        runs->items[runs->count++] = (struct run){(int32_t) runs->members, first, last};
    }
    runs->members += last - first + 1;
}

/** Reads a rank, or a run of them. @return whether it makes sense */
static bool
read_run(const json_t *item, int32_t *ret_first, int32_t *ret_last)
{
    const char *text = json_string_value(item);
    int end = 0;
    if (text != NULL)
        return sscanf(text, "%9d-%9d%n", ret_first, ret_last, &end) == 2 && text[end] == '\0' &&
               *ret_first >= 0 && *ret_first <= *ret_last;
    json_int_t rank = json_integer_value(item);
    *ret_first = *ret_last = (int32_t) rank;
    return json_is_integer(item) && rank >= -1 && rank < INT32_MAX;
}

int32_t
group_read(struct intern *groups, const json_t *array)
{
    struct runs runs = {.items = NULL};
    bool makes_sense = json_is_array(array);
    for (size_t i = 0; makes_sense && i < json_array_size(array); i++) {
        int32_t first, last;
        makes_sense = read_run(json_array_get(array, i), &first, &last) &&
                      runs.members + last - first < GROUP_MEMBERS_MAX;
        if (makes_sense)
            add_run(&runs, first, last);
    }
    int32_t ret = -1;
    if (makes_sense)
        ret = (int32_t) intern_bytes(groups, runs.items, runs.count * sizeof *runs.items);
    free(runs.items);
    return ret;
}

int64_t
group_rank(const struct intern *groups, uint32_t group, int64_t i)
{
    const struct run *runs = groups->items[group].bytes;
    size_t low = 0, high = groups->items[group].size / sizeof *runs;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (runs[middle].start <= i)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || i < 0 || runs[low - 1].first < 0)
        return -1;
    int64_t rank = runs[low - 1].first + (i - runs[low - 1].start);
    return rank <= runs[low - 1].last ? rank : -1;
}

int64_t
group_size(const struct intern *groups, uint32_t group)
{
    const struct run *runs = groups->items[group].bytes;
    size_t count = groups->items[group].size / sizeof *runs;
    return count > 0
               ? runs[count - 1].start + (int64_t) runs[count - 1].last - runs[count - 1].first + 1
               : 0;
}

bool
group_has_others(const struct intern *groups, uint32_t group)
{
    const struct run *runs = groups->items[group].bytes;
    size_t count = groups->items[group].size / sizeof *runs;
    for (size_t i = 0; i < count; i++)
        if (runs[i].first < 0)
            return true;
    return false;
}

static int
compare_runs(const void *left, const void *right)
{
    const mqs_rank_run *a = left, *b = right;
    return (a->first > b->first) - (a->first < b->first);
}

mqs_ranks
group_ranks(const struct intern *groups, uint32_t group)
{
    const struct run *runs = groups->items[group].bytes;
    size_t count = groups->items[group].size / sizeof *runs;
    mqs_rank_run *sorted = alloc_zeroed(count, sizeof *sorted);
    int kept = 0;
    for (size_t i = 0; i < count; i++)
        sorted[i] = (mqs_rank_run){runs[i].first, runs[i].last};
    qsort(sorted, count, sizeof *sorted, compare_runs);
    for (size_t i = 0; i < count; i++) {
        mqs_rank_run run = sorted[i], *tail = kept > 0 ? &sorted[kept - 1] : NULL;
        if (tail == NULL ||
            (run.first != tail->first && (tail->first < 0 || run.first > tail->last + 1)))
            sorted[kept++] = run;
        else if (run.last > tail->last)
            tail->last = run.last;
    }
    return (mqs_ranks){sorted, kept};
}
