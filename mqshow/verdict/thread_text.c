// SPDX-License-Identifier: BSD-3-Clause
// Threads of a process, and what they wait for in it, in words.
#include "mqshow/verdict/thread_text.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/search.h"
#include "mqshow/report/place.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_SHOWN = 4, NAMES_SHOWN = 4 };

// Names of threads.

static bool
has_number(const struct job_thread *thread)
{
    return thread->openmp && (thread->openmp->known & MQS_OMP_THREAD_NUM) != 0;
}

bool
thread_has_unique_number(const struct verdict *verdict, uint32_t number)
{
    const struct job_thread *threads = verdict->job.threads, *thread = &threads[number];
    const struct process_entry *process = &verdict->job.processes[thread->process];
    if (!has_number(thread))
        return false;
    for (uint32_t i = process->first_thread; i < process->first_thread + process->n_threads; i++)
        if (i != number && has_number(&threads[i]) && !openmp_is_idle(threads[i].openmp) &&
            threads[i].openmp->thread_num == thread->openmp->thread_num)
            return false;
    return true;
}

void
verdict_add_thread_name(const struct verdict *verdict, struct strbuf *words, uint32_t number)
{
    const struct job_thread *thread = &verdict->job.threads[number];
    if (has_number(thread))
        strbuf_add(words, "thread %" PRId64, thread->openmp->thread_num);
    if (!thread_has_unique_number(verdict, number))
        strbuf_add(words, has_number(thread) ? " (tid %" PRId64 ")" : "tid %" PRId64, thread->tid);
}

void
verdict_add_thread_names(const struct verdict *verdict, struct strbuf *words,
                         const uint32_t *threads, size_t count)
{
    int32_t *numbers = alloc_zeroed(count, sizeof *numbers);
    bool unique = count > 1;
    for (size_t i = 0; i < count; i++) {
        unique &= thread_has_unique_number(verdict, threads[i]);
        if (unique)
            numbers[i] = (int32_t) verdict->job.threads[threads[i]].openmp->thread_num;
    }
    if (unique) {
        qsort(numbers, count, sizeof *numbers, compare_int32);
        strbuf_add(words, "threads ");
        strbuf_add_runs(words, numbers, count, RUNS_SHOWN);
    }
    for (size_t i = 0; i < count && i <= NAMES_SHOWN && !unique; i++) {
        strbuf_add(words, "%s", i == 0 ? "" : ", ");
        if (i == NAMES_SHOWN)
            strbuf_add(words, "%zu more", count - i);
        else
            verdict_add_thread_name(verdict, words, threads[i]);
    }
    free(numbers);
}

// What a thread waits for.

void
verdict_add_object(const struct verdict *verdict, struct strbuf *words, uint32_t number)
{
    const struct job_thread *thread = &verdict->job.threads[number];
    const struct openmp *omp = &verdict->job.processes[thread->process].report->omp;
    if (HAS(thread->record, THREAD_GIL_HOLDER)) {
        strbuf_add(words, "Python's GIL");
        return;
    }
    if (!thread_wait(&verdict->job, thread) && thread_has_object(thread->record)) {
        strbuf_add(words, "%s", thread->record->kernel.object);
        return;
    }
    char *name = thread->openmp ? omp_wait(omp, thread->openmp) : alloc_text("");
    strbuf_add(words, "%s", *name != '\0' ? name : "another thread");
    free(name);
}

void
thread_add_region_place(const struct verdict *verdict, struct strbuf *words,
                        const struct job_thread *thread)
{
    const struct openmp *omp = &verdict->job.processes[thread->process].report->omp;
    const mqs_omp_region *region = thread->openmp && (thread->openmp->known & MQS_OMP_REGION) != 0
                                       ? openmp_region(omp, thread->openmp->region)
                                       : NULL;
    const struct symbolized *place = region && (region->known & MQS_OMP_FUNCTION) != 0
                                         ? openmp_symbolized(omp, region->function)
                                         : NULL;
    if (place && place->file)
        strbuf_add(words, " at %s:%d", base_name(place->file), place->line);
}

/** Appends " at x.c:10". */
static void
add_place(const struct verdict *verdict, struct strbuf *words, uint32_t thread, enum detail detail)
{
    const struct frame_record *frame = place_of(verdict->job.threads[thread].record).frame;
    if (detail == WITH_PLACES && frame && frame->file && HAS(frame, FRAME_LINE) && frame->line > 0)
        strbuf_add(words, " at %s:%" PRId64, base_name(frame->file), frame->line);
}

static const char *
tasks_text(const struct verdict *verdict, uint32_t number)
{
    const struct omp_wait_record *wait = thread_wait(&verdict->job, &verdict->job.threads[number]);
    switch (wait ? wait->kind : OMP_WAITS_TASKWAIT) {
    case OMP_WAITS_TASKGROUP:
        return "at the end of a taskgroup";
    case OMP_WAITS_DEPEND:
        return "for tasks that it depends on";
    case OMP_WAITS_TASK:
        return "for an undeferred task";
    default:
        return "in taskwait";
    }
}

void
thread_add_barrier(const struct verdict *verdict, struct strbuf *words, uint32_t number,
                   enum detail detail)
{
    const struct job_thread *thread = &verdict->job.threads[number];
    bool is_at_end = thread_is_at_end(thread);
    strbuf_add(words, is_at_end ? "end of the region" : "barrier");
    if (!is_at_end)
        add_place(verdict, words, number, detail);
    else if (detail == WITH_PLACES)
        thread_add_region_place(verdict, words, thread);
}

bool
thread_waits_for_absent(const struct verdict *verdict, uint32_t thread)
{
    enum doing doing = verdict->waits.activities[thread].doing;
    return (doing == DOING_ABSENT || doing == DOING_BARRIER) &&
           thread_absent(&verdict->job, &verdict->job.threads[thread]) > 0;
}

void
thread_add_absent(const struct verdict *verdict, struct strbuf *words, uint32_t thread)
{
    strbuf_add(words, " for %" PRId64 " of its team, which do not exist",
               thread_absent(&verdict->job, &verdict->job.threads[thread]));
}

void
thread_add_wait(const struct verdict *verdict, struct strbuf *words, uint32_t thread,
                enum detail detail)
{
    switch (verdict->waits.activities[thread].doing) {
    case DOING_BARRIER:
        strbuf_add(words, "at the ");
        thread_add_barrier(verdict, words, thread, detail);
        return;
    case DOING_TASKS:
        strbuf_add(words, "%s", tasks_text(verdict, thread));
        break;
    case DOING_ABSENT:
        strbuf_add(words, "at the begin of a region");
        add_place(verdict, words, thread, detail);
        thread_add_absent(verdict, words, thread);
        return;
    default:
        strbuf_add(words, "for ");
        verdict_add_object(verdict, words, thread);
        return;
    }
    add_place(verdict, words, thread, detail);
}

void
verdict_add_wait(const struct verdict *verdict, struct strbuf *words, uint32_t thread)
{
    strbuf_add(words, "waits ");
    thread_add_wait(verdict, words, thread, WITHOUT_PLACES);
}

bool
thread_waits_for_missing(const struct verdict *verdict, uint32_t thread)
{
    const struct job_thread *of = &verdict->job.threads[thread];
    return verdict->waits.activities[thread].doing == DOING_LOCK &&
           !thread_wait(&verdict->job, of) && thread_lacks_owner(&verdict->job, of);
}

void
thread_add_missing(const struct verdict *verdict, struct strbuf *words, uint32_t thread)
{
    strbuf_add(words, "held by thread %" PRId64 ", which does not exist",
               verdict->job.threads[thread].record->kernel.owner);
}

int32_t
thread_holder(const struct verdict *verdict, uint32_t thread)
{
    const struct omp_wait_record *wait = thread_wait(&verdict->job, &verdict->job.threads[thread]);
    size_t count;
    bool any;
    const struct thread_record *record = verdict->job.threads[thread].record;
    bool is_known = HAS(record, THREAD_GIL_HOLDER) ||
                    (wait ? HAS(wait, OMP_WAIT_HOLDER) : thread_has_owner(record));
    if (verdict->waits.activities[thread].doing != DOING_LOCK || !is_known ||
        thread_waits_for_missing(verdict, thread))
        return NOBODY;
    uint32_t *needed = waits_needed(&verdict->waits, thread, &count, &any);
    int32_t holder = count == 1 ? (int32_t) *needed : NOBODY;
    free(needed);
    return holder;
}

void
verdict_add_held(const struct verdict *verdict, struct strbuf *words, uint32_t number)
{
    const struct process_entry *process =
        &verdict->job.processes[verdict->job.threads[number].process];
    char *held = NULL;
    for (uint32_t i = process->first_thread; i < process->first_thread + process->n_threads; i++) {
        struct strbuf object = {.text = NULL};
        if (i == number || thread_joins(verdict->job.threads[i].record) ||
            thread_holder(verdict, i) != (int32_t) number)
            continue;
        verdict_add_object(verdict, &object, i);
        char *text = strbuf_take(&object);
        bool known = held && strstr(held, text);
        char *more =
            known ? NULL : alloc_format("%s%s%s", held ? held : "", held ? ", " : "", text);
        free(text);
        if (!more)
            continue;
        free(held);
        held = more;
    }
    if (held)
        strbuf_add(words, "%sholds %s", words->length > 0 ? ", " : "", held);
    free(held);
}

void
verdict_add_needed(const struct verdict *verdict, struct strbuf *words, uint32_t number)
{
    static const char *const before[] = {
        [DOING_BARRIER] = "for ", [DOING_TASKS] = "for tasks of ", [DOING_LOCK] = "held by "};
    size_t count;
    bool any;
    if (thread_waits_for_missing(verdict, number)) {
        thread_add_missing(verdict, words, number);
        return;
    }
    uint32_t *needed = waits_needed(&verdict->waits, number, &count, &any);
    if (count > 0 && verdict->waits.activities[number].doing != DOING_ABSENT) {
        strbuf_add(words, "%s", any ? "possibly " : "");
        strbuf_add(words, "%s",
                   thread_joins(verdict->job.threads[number].record)
                       ? "for the end of "
                       : before[verdict->waits.activities[number].doing]);
        strbuf_add(words, "%s", any && count > 1 ? "one of " : "");
        if (count == 1 && *needed == number)
            strbuf_add(words, "itself");
        else
            verdict_add_thread_names(verdict, words, needed, count);
    }
    free(needed);
}
