// SPDX-License-Identifier: BSD-3-Clause
// Whether processes that look the same in two samples have done something meanwhile.
#include "mqshow/report/activity.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/clock.h"
#include "mqshow/base/escape.h"
#include "mqshow/process/procfs.h"
#include "mqshow/process/system_call.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    WORK_NS = 20000000, // more than a sample costs a thread
    WORK_SHARE = 100,   // of the time that has passed; what watches over others takes less
    SAMPLE_TURNS = 6,   // on a processor, to stop and to go on
    WORK_BYTES = 1 << 16
};

static bool
is_here(const struct report *report, const char *here)
{
    return text_equals(report->host, here);
}

static bool
waits(const struct report *report, const struct thread_record *thread)
{
    return report_thread_waits(report, thread) || HAS(thread, THREAD_DEVICE);
}

static bool
has_waiting(const struct report *report)
{
    for (size_t i = 0; i < report->threads.count; i++)
        if (waits(report, &report->threads.items[i]))
            return true;
    return false;
}

/** Bytes that a process has read and written, to and from whatever. */
static uint64_t
io_bytes(int64_t pid)
{
    size_t size;
    char *text = procfs_read(&size, "/proc/%d/io", (int) pid);
    char *copy = text != NULL ? alloc_text(text) : NULL;
    long read = procfs_number(text, "rchar:"), written = procfs_number(copy, "wchar:");
    return (read > 0 ? (uint64_t) read : 0) + (written > 0 ? (uint64_t) written : 0);
}

/** Whether a thread is in a call to the system that ends when a time has passed. */
static bool
is_resting(int64_t pid, int64_t tid)
{
    struct made_call call;
    const struct call_kind *kind =
        procfs_thread_call((pid_t) pid, (pid_t) tid, &call) ? call_kind_of(&call) : NULL;
    return kind != NULL && kind->about == ABOUT_TIME;
}

/** For how long all threads of the processes below one have run. @param ret_rests set to whether
 * one sleeps for a while */
static uint64_t
time_below(int64_t pid, bool *ret_rests)
{
    pid_t *below, *threads;
    uint64_t ns = 0;
    size_t count = procfs_descendants((pid_t) pid, &below);
    *ret_rests = false;
    for (size_t i = 0; i < count; i++) {
        char folder[32];
        snprintf(folder, sizeof folder, "/proc/%d/task", (int) below[i]);
        ssize_t n_threads = procfs_numbers(folder, &threads);
        for (ssize_t k = 0; k < n_threads; k++) {
            struct procfs_time now;
            ns += procfs_thread_time(below[i], threads[k], &now) ? now.ns : 0;
            *ret_rests |= is_resting(below[i], threads[k]);
        }
        if (n_threads >= 0)
            free(threads);
    }
    free(below);
    return ns;
}

static void
add_process(struct activity *activity, const struct report *report)
{
    bool alone = !has_waiting(report), rests;
    uint64_t below_ns = alone ? time_below(report->pid, &rests) : 0;
    *ALLOC_ADD(activity->processes, activity->n_processes, activity->processes_capacity) =
        (struct process_work){report->pid, io_bytes(report->pid), alone, below_ns};
    for (size_t i = 0; i < report->threads.count; i++) {
        const struct thread_record *thread = &report->threads.items[i];
        struct procfs_time now;
        if (thread->runtime == NULL && !waits(report, thread) &&
            procfs_thread_time((pid_t) report->pid, (pid_t) thread->tid, &now))
            *ALLOC_ADD(activity->threads, activity->n_threads, activity->threads_capacity) =
                (struct thread_work){report->pid, thread->tid, now.ns, now.turns, alone};
    }
}

void
activity_note(struct activity *activity, const struct document *document, const char *here)
{
    activity->since_us = clock_us();
    activity->n_threads = activity->n_processes = 0;
    activity->elsewhere = 0;
    for (size_t i = 0; i < document->count; i++) {
        const struct report *report = &document->reports[i];
        if (HAS(report, PROCESS_STATE) && report->state != STATE_DISK_SLEEP)
            continue; // it is stopped or the like
        if (is_here(report, here))
            add_process(activity, report);
        else if (!has_waiting(report))
            activity->elsewhere = report->pid;
    }
}

static bool
has_worked(const struct thread_work *thread, int64_t since_us)
{
    struct procfs_time now;
    uint64_t passed = (uint64_t) (clock_us() - since_us) * 1000, least = passed / WORK_SHARE;
    if (!procfs_thread_time((pid_t) thread->pid, (pid_t) thread->tid, &now))
        return true; // it has ended
    if (now.ns - thread->ns > (least > WORK_NS ? least : WORK_NS))
        return true;
    // Where others wait it may only be one that watches over them.
    return thread->alone &&
           (now.turns - thread->turns > SAMPLE_TURNS || is_resting(thread->pid, thread->tid));
}

/** Whether a program that a process may wait for goes on, or another one runs by now. */
static bool
works_below(const struct process_work *process)
{
    bool rests = false;
    uint64_t ns = process->alone ? time_below(process->pid, &rests) : 0;
    return rests || ns < process->below_ns || ns > process->below_ns + WORK_NS;
}

int64_t
activity_find(const struct activity *activity)
{
    if (activity->elsewhere != 0)
        return activity->elsewhere;
    for (size_t i = 0; i < activity->n_threads; i++)
        if (has_worked(&activity->threads[i], activity->since_us))
            return activity->threads[i].pid;
    for (size_t i = 0; i < activity->n_processes; i++) {
        const struct process_work *process = &activity->processes[i];
        uint64_t bytes = io_bytes(process->pid);
        if (bytes > process->bytes + (process->alone ? 0 : WORK_BYTES) || works_below(process))
            return process->pid;
    }
    return 0;
}

void
activity_deinit(struct activity *activity)
{
    free(activity->threads);
    free(activity->processes);
    *activity = (struct activity){.threads = NULL};
}
