// SPDX-License-Identifier: BSD-3-Clause
// The members of a group as runs of ranks that rise by one.
#include "mqshow/report/ranks.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/intern.h"

#include <stdlib.h>

bool
ranks_append(struct rank_list *list, int64_t first, int64_t last)
{
    struct rank_run *tail = list->n_runs > 0 ? &list->runs[list->n_runs - 1] : NULL;
    if (first < -1 || last < first || (first < 0 && last > first) || last >= INT32_MAX ||
        last - first >= RANKS_MAX - list->count)
        return false;
    if (tail != NULL && first > 0 && tail->last == first - 1 && tail->first >= 0) {
        tail->last = (int32_t) last;
    } else {
        *ALLOC_ADD(list->runs, list->n_runs, list->capacity) =
            (struct rank_run){(int32_t) list->count, (int32_t) first, (int32_t) last};
    }
    list->count += last - first + 1;
    return true;
}

struct ranks
ranks_keep(struct rank_list *list, struct intern *texts)
{
    uint32_t number = intern_bytes(texts, list->runs, list->n_runs * sizeof *list->runs);
    struct ranks ranks = {(const struct rank_run *) (const void *) intern_get_text(texts, number),
                          (uint32_t) list->n_runs, list->count};
    free(list->runs);
    *list = (struct rank_list){.runs = NULL};
    return ranks;
}

int64_t
ranks_get(const struct ranks *ranks, int64_t i)
{
    size_t low = 0, high = ranks->n_runs;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ranks->runs[middle].start <= i)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || i < 0 || ranks->runs[low - 1].first < 0)
        return -1;
    int64_t rank = ranks->runs[low - 1].first + (i - ranks->runs[low - 1].start);
    return rank <= ranks->runs[low - 1].last ? rank : -1;
}

bool
ranks_have_others(const struct ranks *ranks)
{
    for (uint32_t i = 0; i < ranks->n_runs; i++)
        if (ranks->runs[i].first < 0)
            return true;
    return false;
}
