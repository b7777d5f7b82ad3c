// SPDX-License-Identifier: BSD-3-Clause
// Threads of one process that others wait for, and that go on, in words.
#include "mqshow/verdict/thread_cause.h"

#include "mqshow/base/alloc.h"
#include "mqshow/verdict/cause.h"
#include "mqshow/verdict/thread_text.h"

#include <stdlib.h>
#include <string.h>

enum { FACTS_SHOWN = 4 };

/** A thread that goes on while others wait for it. */
struct awaited_thread {
    uint32_t thread, waiter; // the first of those who wait
    size_t n_waiters;
    bool perhaps; // or for another one of its process that goes on
};

static bool
goes_on(const struct verdict *verdict, uint32_t thread)
{
    return waits_thread(&verdict->waits, thread)->state == NODE_RUNNABLE &&
           !thread_waits_inside(&verdict->waits.activities[thread]);
}

/** Whom a thread waits for, to free(). @param perhaps all that go on, where any of its process may
 * end the wait; none for other waits */
static uint32_t *
needed_by(const struct verdict *verdict, uint32_t waiter, bool perhaps, size_t *ret_count,
          bool *ret_any)
{
    const struct waits *waits = &verdict->waits;
    const struct job_index *job = &verdict->job;
    if (!perhaps)
        return waits_needed(waits, waiter, ret_count, ret_any);
    const struct process_entry *process = &job->processes[job->threads[waiter].process];
    uint32_t *threads = alloc_zeroed(process->n_threads, sizeof *threads);
    bool is_any = waits_for_anyone(waits, waiter);
    *ret_count = 0;
    *ret_any = true;
    uint32_t end = process->first_thread + process->n_threads;
    for (uint32_t i = process->first_thread; i < end && is_any; i++)
        if (goes_on(verdict, i))
            threads[(*ret_count)++] = i;
    return threads;
}

/** The one that most wait for; none: n_waiters is 0. */
static struct awaited_thread
find_awaited(const struct verdict *verdict, bool perhaps)
{
    size_t n_threads = verdict->job.n_threads;
    struct awaited_thread best = {.n_waiters = 0}, *all = alloc_zeroed(n_threads, sizeof *all);
    for (uint32_t i = 0; i < n_threads; i++) {
        size_t count;
        bool any;
        uint32_t *needed = needed_by(verdict, i, perhaps, &count, &any);
        for (size_t k = 0; k < count; k++) {
            struct awaited_thread *one = &all[needed[k]];
            if (!goes_on(verdict, needed[k]))
                continue;
            if (one->n_waiters++ == 0)
                *one = (struct awaited_thread){needed[k], i, 1, perhaps};
            if (one->n_waiters > best.n_waiters)
                best = *one;
        }
        free(needed);
    }
    free(all);
    return best;
}

/** Appends "computes in f at x.c:33", "sleeps in usleep() in f at x.c:33". */
static void
add_doing(const struct verdict *verdict, struct strbuf *words, uint32_t thread, bool many,
          bool with_place)
{
    const struct job_thread *of = &verdict->job.threads[thread];
    struct system_call call = thread_system_call(of);
    if (call.name)
        system_call_add(words, &call, many);
    else
        strbuf_add(words, many ? "compute" : "computes");
    char *where = verdict_thread_text(verdict, (int32_t) thread);
    if (with_place && *where != '\0')
        strbuf_add(words, " %s", where);
    free(where);
}

/** Appends "threads 1,2 wait", those that wait for the same lock as one of them. */
static void
add_waiters(const struct verdict *verdict, struct strbuf *words, uint32_t waiter)
{
    const struct process_entry *process =
        &verdict->job.processes[verdict->job.threads[waiter].process];
    uint32_t *threads = alloc_zeroed(process->n_threads, sizeof *threads);
    size_t count = 0;
    struct strbuf lock = {.text = NULL};
    verdict_add_object(verdict, &lock, waiter);
    for (uint32_t i = process->first_thread; i < process->first_thread + process->n_threads; i++) {
        struct strbuf other = {.text = NULL};
        if (verdict->waits.activities[i].doing != DOING_LOCK)
            continue;
        verdict_add_object(verdict, &other, i);
        if (strcmp(lock.text, other.text) == 0)
            threads[count++] = i;
        free(other.text);
    }
    verdict_add_thread_names(verdict, words, threads, count);
    strbuf_add(words, count == 1 ? " waits" : " wait");
    free(lock.text);
    free(threads);
}

/** "thread 3 has not reached the barrier at x.c:10: it computes in f at x.c:33" */
static void
add_cause(const struct verdict *verdict, struct strbuf *words, const struct awaited_thread *awaited,
          const uint32_t *threads, size_t count, bool with_place)
{
    bool many = count > 1, any;
    size_t n_needed;
    switch (awaited->perhaps ? DOING_TASKS : verdict->waits.activities[awaited->waiter].doing) {
    case DOING_BARRIER:
        verdict_add_thread_names(verdict, words, threads, count);
        strbuf_add(words, " %s not reached the ", many ? "have" : "has");
        thread_add_barrier(verdict, words, awaited->waiter, WITH_PLACES);
        break;
    case DOING_LOCK:
        if (thread_joins(verdict->job.threads[awaited->waiter].record)) {
            verdict_add_thread_name(verdict, words, awaited->waiter);
            strbuf_add(words, " waits for the end of ");
            verdict_add_thread_names(verdict, words, threads, count);
            break;
        }
        free(waits_needed(&verdict->waits, awaited->waiter, &n_needed, &any));
        verdict_add_thread_names(verdict, words, threads, count);
        any = (any && n_needed > 1) || thread_waits_for_missing(verdict, awaited->waiter);
        strbuf_add(words, any ? " may hold " : " holds ");
        verdict_add_object(verdict, words, awaited->waiter);
        strbuf_add(words, ", for which ");
        add_waiters(verdict, words, awaited->waiter);
        break;
    default:
        verdict_add_thread_name(verdict, words, awaited->waiter);
        strbuf_add(words, " waits ");
        thread_add_wait(verdict, words, awaited->waiter, WITH_PLACES);
        strbuf_add(words, awaited->perhaps ? ", perhaps for " : " for ");
        verdict_add_thread_names(verdict, words, threads, count);
    }
    strbuf_add(words, many ? ": they " : ": it ");
    add_doing(verdict, words, threads[0], many, with_place && !many);
}

/** Whether what all of these do ends only by another process. */
static bool
is_for_ever(const struct verdict *verdict, const uint32_t *threads, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!thread_system_call(&verdict->job.threads[threads[i]]).for_ever)
            return false;
    return count > 0;
}

static bool
all_wait_for_device(const struct verdict *verdict, const uint32_t *threads, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!thread_waits_for_device(&verdict->job.threads[threads[i]]))
            return false;
    return count > 0;
}

static bool
is_settled(const struct verdict *verdict, const struct awaited_thread *awaited)
{
    const struct job_thread *thread = &verdict->job.threads[awaited->thread];
    return verdict->job.processes[thread->process].settled ||
           (HAS(thread->record, THREAD_SETTLED) && thread->record->settled);
}

/** Line, cause and facts of threads that others wait for. */
static enum verdict_kind
explain_awaited(struct verdict *verdict, const struct awaited_thread *awaited)
{
    struct strbuf full = {.text = NULL}, brief = {.text = NULL};
    size_t n_needed, count = 0;
    bool any;
    uint32_t *threads = needed_by(verdict, awaited->waiter, awaited->perhaps, &n_needed, &any);
    for (size_t i = 0; i < n_needed; i++)
        if (goes_on(verdict, threads[i]))
            threads[count++] = threads[i];
    uint32_t process = verdict->job.threads[awaited->thread].process;
    verdict->may_last = is_for_ever(verdict, threads, count);
    bool for_ever = verdict->may_last && is_settled(verdict, awaited);
    bool for_device = all_wait_for_device(verdict, threads, count);
    strbuf_add(&full, for_ever || for_device ? "" : "no deadlock seen: ");
    strbuf_add(&brief, "%s", full.text ? full.text : "");
    thread_add_process(verdict, &full, process);
    thread_add_process(verdict, &brief, process);
    add_cause(verdict, &full, awaited, threads, count, true);
    add_cause(verdict, &brief, awaited, threads, count, false);
    bool is_short = full.length <= cause_line_bytes(verdict) && count == 1;
    cause_set_line(verdict, &full, &brief);
    cause_set(verdict, for_device ? "device" : for_ever ? "system call" : "computes", &process, 1);
    for (size_t i = 0; i < count && i < FACTS_SHOWN && !is_short; i++) {
        struct strbuf words = {.text = NULL};
        verdict_add_thread_name(verdict, &words, threads[i]);
        strbuf_add(&words, " ");
        add_doing(verdict, &words, threads[i], false, true);
        cause_add_fact(verdict, &words);
    }
    thread_add_starved(verdict, threads, count);
    free(threads);
    return for_ever ? VERDICT_HANG : VERDICT_NONE_SEEN;
}

/** Those that were seen to move, to free(). */
static uint32_t *
find_moved(const struct verdict *verdict, size_t *ret_count)
{
    uint32_t *threads = alloc_zeroed(verdict->job.n_threads, sizeof *threads);
    *ret_count = 0;
    for (uint32_t i = 0; i < verdict->job.n_threads; i++)
        if (thread_has_moved(&verdict->job.threads[i]))
            threads[(*ret_count)++] = i;
    return threads;
}

/** Line and cause of threads that wait for a device, of which no other one is known to need them:
 * "thread 0 waits for the GPU in cudaFree() in f at x.cu:33, 2 more". @return false: there are none
 */
static bool
explain_device(struct verdict *verdict)
{
    struct strbuf full = {.text = NULL}, brief = {.text = NULL};
    uint32_t first = 0;
    size_t count = 0;
    for (uint32_t i = (uint32_t) verdict->job.n_threads; i-- > 0;)
        if (thread_waits_for_device(&verdict->job.threads[i])) {
            first = i;
            count++;
        }
    if (count == 0)
        return false;
    thread_add_process(verdict, &full, verdict->job.threads[first].process);
    verdict_add_thread_name(verdict, &full, first);
    strbuf_add(&full, " ");
    strbuf_add(&brief, "%s", full.text);
    add_doing(verdict, &full, first, false, true);
    add_doing(verdict, &brief, first, false, false);
    if (count > 1) {
        strbuf_add(&full, ", %zu more", count - 1);
        strbuf_add(&brief, ", %zu more", count - 1);
    }
    cause_set_line(verdict, &full, &brief);
    cause_set(verdict, "device", &verdict->job.threads[first].process, 1);
    return true;
}

enum verdict_kind
judge_live_threads(struct verdict *verdict)
{
    struct awaited_thread awaited = find_awaited(verdict, false);
    struct strbuf full = {.text = NULL}, brief = {.text = NULL};
    if (awaited.n_waiters == 0)
        awaited = find_awaited(verdict, true);
    if (awaited.n_waiters > 0)
        return explain_awaited(verdict, &awaited);
    if (explain_device(verdict))
        return VERDICT_NONE_SEEN;
    size_t n_moved;
    uint32_t *moved = find_moved(verdict, &n_moved);
    strbuf_add(&full, "no deadlock seen: ");
    if (n_moved > 0) {
        verdict_add_thread_names(verdict, &full, moved, n_moved);
        strbuf_add(&full, " moved between two samples");
    } else {
        strbuf_add(&full, "%s",
                   verdict_somebody_waits(verdict) ? "what threads wait for is there or on its way"
                                                   : "no thread waits for another");
    }
    cause_set_line(verdict, &full, &brief);
    free(moved);
    return VERDICT_NONE_SEEN;
}
