// SPDX-License-Identifier: BSD-3-Clause
// The threads of a process as they were seen: plain data.
#include "mqshow/stack/threads.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/search.h"

#include <stdlib.h>

struct thread *
threads_add(struct threads *threads, pid_t tid)
{
    struct thread *thread = ALLOC_ADD(threads->items, threads->count, threads->capacity);
    *thread = (struct thread){.tid = tid};
    return thread;
}

static int
compare_tids(const void *left, const void *right)
{
    const struct thread *a = left, *b = right;
    return COMPARE({a->tid, b->tid});
}

void
threads_sort(struct threads *threads)
{
    if (threads->count > 0)
        qsort(threads->items, threads->count, sizeof *threads->items, compare_tids);
}

const struct thread *
threads_find(const struct threads *threads, pid_t tid)
{
    const struct thread wanted = {.tid = tid};
    return threads->count == 0
               ? NULL
               : bsearch(&wanted, threads->items, threads->count, sizeof wanted, compare_tids);
}

void
threads_deinit(struct threads *threads)
{
    for (size_t i = 0; i < threads->count; i++) {
        free(threads->items[i].name);
        free(threads->items[i].call);
        for (size_t k = 0; k < threads->items[i].n_frames; k++)
            free(threads->items[i].frames[k].registers);
        free(threads->items[i].frames);
        free(threads->items[i].wait.items);
        free(threads->items[i].partners.items);
        free(threads->items[i].file);
        free(threads->items[i].port);
    }
    free(threads->items);
    python_deinit(&threads->python);
    *threads = (struct threads){.items = NULL};
}
