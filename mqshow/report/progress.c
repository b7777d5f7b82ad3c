// SPDX-License-Identifier: BSD-3-Clause
// Whether threads had their chance to go on between two samples, and whether they did.
#include "mqshow/report/progress.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/search.h"
#include "mqshow/process/procfs.h"

#include <stdlib.h>
#include <string.h>

// To ask for messages again and again, also those of Open MPI over TCP, which it asks for every 10
// ms, and more than a sample costs a thread.
enum { ENOUGH_NS = 20000000 };

// What a sample costs a thread that sleeps.
enum { STOP_NS = 200000 };

// A thread that yields runs for microseconds where others want the processor, but has asked for all
// messages whenever it gives it back. A sample takes one turn, to stop.
enum { RUN_TURNS = 4, ENOUGH_RUNS = 3 };

void
progress_measure(struct report *report)
{
    for (size_t i = 0; i < report->threads.count; i++) {
        struct thread_record *thread = &report->threads.items[i];
        struct procfs_time now;
        if (!report_thread_waits(report, thread) ||
            !procfs_thread_time((pid_t) report->pid, (pid_t) thread->tid, &now))
            continue;
        SET(thread, THREAD_RAN, ran_ns, (int64_t) now.ns);
        SET(thread, THREAD_TURNS, turns, (int64_t) now.turns);
        SET(thread, THREAD_SLEEPS, sleeps,
            procfs_thread_sleeps((pid_t) report->pid, (pid_t) thread->tid));
    }
}

void
progress_forget_measures(struct document *document)
{
    const uint32_t measures = 1u << THREAD_RAN | 1u << THREAD_TURNS | 1u << THREAD_SLEEPS;
    for (size_t i = 0; i < document->count; i++)
        for (size_t k = 0; k < document->reports[i].threads.count; k++)
            document->reports[i].threads.items[k].has &= ~measures;
}

/** Whether a thread was measured, all of it. */
static bool
is_measured(const struct thread_record *thread)
{
    return HAS(thread, THREAD_RAN) && HAS(thread, THREAD_TURNS) && HAS(thread, THREAD_SLEEPS);
}

static void
add_process(struct progress *progress, const struct report *report)
{
    for (size_t i = 0; i < report->threads.count; i++) {
        const struct thread_record *thread = &report->threads.items[i];
        if (!is_measured(thread) || !report_thread_waits(report, thread))
            continue;
        *ALLOC_ADD(progress->items, progress->count, progress->capacity) = (struct thread_time){
            .host = report->host,
            .pid = report->pid,
            .tid = thread->tid,
            .first_ns = (uint64_t) thread->ran_ns,
            .ns = (uint64_t) thread->ran_ns,
            .turns = (uint64_t) thread->turns,
            .is_openmp = thread->call == NULL && HAS(thread, THREAD_FRAME),
        };
    }
}

static int
compare_times(const void *left, const void *right)
{
    const struct thread_time *a = left, *b = right;
    int hosts = strcmp(a->host != NULL ? a->host : "", b->host != NULL ? b->host : "");
    return COMPARE({hosts, 0}, {a->pid, b->pid}, {a->tid, b->tid});
}

void
progress_init(struct progress *progress, const struct document *document)
{
    *progress = (struct progress){.items = NULL};
    for (size_t i = 0; i < document->count; i++)
        add_process(progress, &document->reports[i]);
    if (progress->count > 0)
        qsort(progress->items, progress->count, sizeof *progress->items, compare_times);
}

/** What was noted of a thread; NULL: nothing. */
static struct thread_time *
find(const struct progress *progress, const struct report *report, int64_t tid)
{
    const struct thread_time key = {.host = report->host, .pid = report->pid, .tid = tid};
    return progress->count > 0
               ? bsearch(&key, progress->items, progress->count, sizeof key, compare_times)
               : NULL;
}

static void
note_thread(struct thread_time *time, const struct thread_record *thread)
{
    uint64_t ns = (uint64_t) thread->ran_ns, turns = (uint64_t) thread->turns;
    time->ns = ns > time->ns ? ns : time->ns;
    time->sleeps = thread->sleeps;
    time->slept |= thread->sleeps;
    if (turns < time->turns || turns - time->turns < RUN_TURNS)
        return;
    time->turns = turns;
    time->runs++;
}

void
progress_note(struct progress *progress, const struct document *document)
{
    for (size_t i = 0; i < document->count; i++) {
        const struct report *report = &document->reports[i];
        for (size_t k = 0; k < report->threads.count; k++) {
            const struct thread_record *thread = &report->threads.items[k];
            struct thread_time *time =
                is_measured(thread) ? find(progress, report, thread->tid) : NULL;
            if (time != NULL)
                note_thread(time, thread);
        }
    }
}

static bool
has_run(const struct thread_time *time)
{
    return time != NULL &&
           (time->runs >= ENOUGH_RUNS || time->slept || time->ns - time->first_ns >= ENOUGH_NS);
}

bool
progress_made(const struct progress *progress, const struct report *report)
{
    if (report->core != NULL)
        return true;
    for (size_t i = 0; i < report->threads.count; i++) {
        const struct thread_record *thread = &report->threads.items[i];
        if (report_thread_waits(report, thread) && !has_run(find(progress, report, thread->tid)))
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

/** Those noted of a process. @param ret_count their number */
static const struct thread_time *
find_all(const struct progress *progress, const struct report *report, size_t *ret_count)
{
    const struct thread_time key = {.host = report->host, .pid = report->pid, .tid = -1};
    size_t first = search_first(&key, progress->items, progress->count, sizeof key, compare_times);
    size_t end = first;
    while (end < progress->count && progress->items[end].pid == report->pid &&
           text_equals(progress->items[end].host, report->host))
        end++;
    *ret_count = end - first;
    return progress->items + first;
}

bool
progress_has_unmoved(const struct progress *progress, const struct report *report)
{
    size_t count;
    const struct thread_time *times = find_all(progress, report, &count);
    for (size_t i = 0; i < count; i++)
        if (times[i].is_openmp && !times[i].moved)
            return true;
    return false;
}

static bool
has_slept(const struct thread_time *time)
{
    return time->sleeps && time->ns - time->first_ns < STOP_NS * (time->unmoved + 1ull);
}

bool
progress_slept(const struct progress *progress, const struct report *report)
{
    size_t count;
    const struct thread_time *times = find_all(progress, report, &count);
    for (size_t i = 0; i < count; i++)
        if (times[i].is_openmp && !times[i].moved && !has_slept(&times[i]))
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
        else if (time->unmoved >= (has_slept(time) ? few : samples) && has_run(time))
            SET(thread, THREAD_SETTLED, settled, true);
    }
}

void
progress_deinit(struct progress *progress)
{
    free(progress->items);
}
