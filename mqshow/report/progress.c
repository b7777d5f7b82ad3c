// SPDX-License-Identifier: BSD-3-Clause
// Whether threads had their chance to go on between two samples, and whether they did.
#include "mqshow/report/progress.h"

#include "mqshow/base/alloc.h"
#include "mqshow/process/procfs.h"

#include <stdlib.h>

// To ask for messages again and again, also those of Open MPI over TCP, which it asks for every 10
// ms, and more than a sample costs a thread.
enum { ENOUGH_NS = 20000000 };

// What a sample costs a thread that sleeps.
enum { STOP_NS = 200000 };

// A thread that yields runs for microseconds where others want the processor, but has asked for all
// messages whenever it gives it back. A sample takes one turn, to stop.
enum { RUN_TURNS = 4, ENOUGH_RUNS = 3 };

static bool
is_here(const struct report *report)
{
    return report->host == NULL && report->core == NULL;
}

/** Whether a thread waits for something that comes from other threads or processes. */
static bool
is_waiting(const struct report *report, const struct thread_record *thread)
{
    return thread->call != NULL || report_waits_in_openmp(report, thread);
}

static void
add_process(struct progress *progress, const struct report *report)
{
    for (size_t i = 0; i < report->threads.count; i++) {
        const struct thread_record *thread = &report->threads.items[i];
        struct thread_time time = {.pid = report->pid, .tid = thread->tid};
        struct procfs_time now;
        if (!is_waiting(report, thread) ||
            !procfs_thread_time((pid_t) time.pid, (pid_t) time.tid, &now))
            continue;
        time.is_openmp = thread->call == NULL && HAS(thread, THREAD_FRAME);
        time.ns = time.first_ns = now.ns;
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

/** What was noted of a thread; NULL: nothing. */
static struct thread_time *
find(const struct progress *progress, const struct report *report, int64_t tid)
{
    const struct thread_time key = {.tid = tid};
    struct thread_time *found =
        progress->count > 0 && is_here(report)
            ? bsearch(&key, progress->items, progress->count, sizeof key, compare_times)
            : NULL;
    return found != NULL && found->pid == report->pid ? found : NULL;
}

static bool
has_run(const struct progress *progress, const struct report *report, pid_t tid)
{
    const struct thread_time *before = find(progress, report, tid);
    pid_t pid = report->pid;
    struct procfs_time now;
    if (before == NULL)
        return false;
    return before->runs >= ENOUGH_RUNS || procfs_thread_sleeps(pid, tid) ||
           (procfs_thread_time(pid, tid, &now) && now.ns - before->ns >= ENOUGH_NS);
}

bool
progress_made(const struct progress *progress, const struct report *report)
{
    for (size_t i = 0; is_here(report) && i < report->threads.count; i++) {
        const struct thread_record *thread = &report->threads.items[i];
        if (is_waiting(report, thread) && !has_run(progress, report, (pid_t) thread->tid))
            return false;
    }
    return true;
}

bool
progress_note_moved(struct progress *progress, const struct document *document)
{
    bool known = true;
    for (size_t i = 0; i < document->count; i++) {
        const struct report *report = &document->reports[i];
        for (size_t k = 0; k < report->threads.count; k++) {
            const struct thread_record *thread = &report->threads.items[k];
            struct thread_time *time = find(progress, report, thread->tid);
            if (time == NULL)
                continue;
            known &= HAS(thread, THREAD_MOVED) || time->moved || !time->is_openmp;
            if (!HAS(thread, THREAD_MOVED))
                continue;
            time->moved |= thread->moved;
            time->unmoved += !thread->moved;
        }
    }
    return known;
}

bool
progress_has_unmoved(const struct progress *progress, const struct report *report)
{
    for (size_t i = 0; i < progress->count; i++)
        if (progress->items[i].pid == report->pid && progress->items[i].is_openmp &&
            !progress->items[i].moved)
            return is_here(report);
    return false;
}

static bool
has_slept(const struct thread_time *time)
{
    struct procfs_time now;
    return procfs_thread_sleeps((pid_t) time->pid, (pid_t) time->tid) &&
           procfs_thread_time((pid_t) time->pid, (pid_t) time->tid, &now) &&
           now.ns - time->first_ns < STOP_NS * (time->unmoved + 1ull);
}

bool
progress_slept(const struct progress *progress, const struct report *report)
{
    for (size_t i = 0; i < progress->count; i++)
        if (progress->items[i].pid == report->pid && progress->items[i].is_openmp &&
            !progress->items[i].moved && !has_slept(&progress->items[i]))
            return false;
    return true;
}

void
progress_settle(const struct progress *progress, struct report *report, unsigned samples,
                unsigned few)
{
    for (size_t i = 0; i < report->threads.count; i++) {
        struct thread_record *thread = &report->threads.items[i];
        const struct thread_time *time = find(progress, report, thread->tid);
        if (time == NULL || !time->is_openmp)
            continue;
        if (time->moved)
            SET(thread, THREAD_MOVED, moved, true);
        else if (time->unmoved >= (has_slept(time) ? few : samples) &&
                 has_run(progress, report, (pid_t) thread->tid))
            SET(thread, THREAD_SETTLED, settled, true);
    }
}

void
progress_deinit(struct progress *progress)
{
    free(progress->items);
}
