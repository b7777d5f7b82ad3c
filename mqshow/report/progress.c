// SPDX-License-Identifier: BSD-3-Clause
// Whether threads had their chance to go on between two looks.
#include "mqshow/report/progress.h"

#include "mqshow/base/alloc.h"
#include "mqshow/process/procfs.h"

#include <stdlib.h>

// To ask for messages again and again, also those of Open MPI over TCP, which it asks for every 10
// ms, and more than a sample costs a thread.
enum { ENOUGH_NS = 20000000 };

// A thread that yields runs for microseconds where others want the processor, but has asked for all
// messages whenever it gives it back. A sample takes one turn, to stop.
enum { RUN_TURNS = 4, ENOUGH_RUNS = 3 };

static bool
is_here(const struct report *report)
{
    return report->host == NULL && report->core == NULL;
}

static void
add_process(struct progress *progress, const struct report *report)
{
    for (size_t i = 0; i < report->threads.count; i++) {
        const struct thread_record *thread = &report->threads.items[i];
        struct thread_time time = {.pid = report->pid, .tid = thread->tid};
        struct procfs_time now;
        if (thread->call == NULL || !procfs_thread_time((pid_t) time.pid, (pid_t) time.tid, &now))
            continue;
        time.ns = now.ns;
        time.turns = now.turns;
        *ALLOC_ADD(progress->items, progress->count, progress->capacity) = time;
    }
}

static int
compare_times(const void *left, const void *right)
{
    const struct thread_time *a = left, *b = right;
    return (a->tid > b->tid) - (a->tid < b->tid);
}

void
progress_init(struct progress *progress, const struct document *document)
{
    *progress = (struct progress){.items = NULL};
    for (size_t i = 0; i < document->count; i++)
        if (is_here(&document->reports[i]))
            add_process(progress, &document->reports[i]);
    if (progress->count > 0)
        qsort(progress->items, progress->count, sizeof *progress->items, compare_times);
}

void
progress_note(struct progress *progress)
{
    for (size_t i = 0; i < progress->count; i++) {
        struct thread_time *time = &progress->items[i];
        struct procfs_time now;
        if (!procfs_thread_time((pid_t) time->pid, (pid_t) time->tid, &now) ||
            now.turns - time->turns < RUN_TURNS)
            continue;
        time->turns = now.turns;
        time->runs++;
    }
}

static bool
has_run(const struct progress *progress, pid_t pid, pid_t tid)
{
    const struct thread_time key = {.tid = tid};
    const struct thread_time *before =
        progress->count > 0
            ? bsearch(&key, progress->items, progress->count, sizeof key, compare_times)
            : NULL;
    struct procfs_time now;
    if (before == NULL || before->pid != pid)
        return false;
    return before->runs >= ENOUGH_RUNS || procfs_thread_sleeps(pid, tid) ||
           (procfs_thread_time(pid, tid, &now) && now.ns - before->ns >= ENOUGH_NS);
}

bool
progress_made(const struct progress *progress, const struct report *report)
{
    for (size_t i = 0; is_here(report) && i < report->threads.count; i++) {
        const struct thread_record *thread = &report->threads.items[i];
        if (thread->call != NULL && !has_run(progress, report->pid, (pid_t) thread->tid))
            return false;
    }
    return true;
}

void
progress_deinit(struct progress *progress)
{
    free(progress->items);
}
