// SPDX-License-Identifier: BSD-3-Clause
// What processes do, in words, and which do the same.
#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/search.h"
#include "mqshow/report/openmp.h"
#include "mqshow/report/place.h"
#include "mqshow/verdict/ending.h"
#include "mqshow/verdict/init_stage.h"
#include "mqshow/verdict/thread_text.h"

#include <stdlib.h>
#include <string.h>

/** Appends " in exchange at ring.c:17"; perhaps nothing. */
static void
add_frame(struct strbuf *words, const struct thread_record *thread, const char *before)
{
    const struct frame_record *frame = place_of(thread).frame;
    char *text = place_text(thread, false);
    if (*text != '\0')
        strbuf_add(words, "%s%s%s", before, frame->function ? "in " : "", text);
    free(text);
}

/** Appends where a thread is, and how it ends its process: perhaps nothing.
 * @param start where what is said of it begins */
static void
add_where(const struct report *report, struct strbuf *words, const struct thread_record *thread,
          size_t start)
{
    const struct frame_record *from, *frame = place_of(thread).frame;
    char *ending = ending_text(report, thread, &from);
    // What is registered for the end may have called MPI by a jump, and be on no stack.
    if (!from || !frame || !frame_is_same_line(from, frame))
        add_frame(words, thread, words->length > start ? " " : "");
    if (ending)
        strbuf_add(words, "%sexiting: %s", words->length > start ? ", " : "", ending);
    free(ending);
}

bool
verdict_waits_inside(const struct verdict *verdict, uint32_t thread)
{
    const struct thread_activity *activity = &verdict->waits.activities[thread];
    return thread_waits_inside(activity) && !activity->guessed;
}

static bool
is_owned(const struct thread_record *record)
{
    return HAS(record, THREAD_GIL_HOLDER) || thread_has_owner(record);
}

/** What a thread waits for outside of MPI: "waits for critical (account)". */
static void
add_inside_wait(const struct verdict *verdict, struct strbuf *words, uint32_t number)
{
    const struct job_thread *thread = &verdict->job.threads[number];
    const struct openmp *omp = &verdict->job.processes[thread->process].report->omp;
    const char *state = thread->openmp ? thread->openmp->state_name : "";
    char *name = thread->openmp ? omp_wait(omp, thread->openmp) : alloc_text("");
    const struct omp_wait_record *wait = thread_wait(&verdict->job, thread);
    bool is_barrier = verdict->waits.activities[number].doing == DOING_BARRIER;
    bool is_named = HAS(thread->record, THREAD_GIL_HOLDER) || thread_has_object(thread->record);
    if (verdict->job.is_plain || is_named || (wait && !is_barrier))
        verdict_add_wait(verdict, words, number);
    else if (is_barrier)
        strbuf_add(words, "at a barrier of its parallel region");
    else if (*name != '\0')
        strbuf_add(words, "waits for %s", name);
    else if (strncmp(state, "wait_", 5) == 0)
        strbuf_add(words, "waits (%s)", state);
    else
        strbuf_add(words, "waits for another thread");
    free(name);
}

/** "waits for a file lock" */
static void
add_system_call(struct strbuf *words, const struct job_thread *thread)
{
    struct system_call call = thread_system_call(thread);
    strbuf_add(words, "%s", call.name ? call.one : "waits for another process");
}

/** ", held by a thread in MPI_Recv in solve at mesh.py:88"; its id would part ranks that do the
 * same. */
static void
add_holder(const struct verdict *verdict, struct strbuf *words, uint32_t number)
{
    const struct job_thread *threads = verdict->job.threads;
    int32_t holder = thread_holder(verdict, number);
    if (thread_waits_for_missing(verdict, number))
        strbuf_add(words, ", held by a thread that does not exist");
    if (!is_owned(threads[number].record) || holder == NOBODY ||
        thread_joins(threads[number].record))
        return;
    strbuf_add(words, ", held by a thread");
    if (is_owned(threads[holder].record)) // they may wait for each other
        return;
    struct strbuf what = {.text = NULL};
    verdict_add_thread(verdict, &what, (uint32_t) holder);
    bool waits = what.length > 0 && thread_waits_inside(&verdict->waits.activities[holder]);
    if (what.length > 0)
        strbuf_add(words, "%s%s",
                   threads[holder].call ? " in "
                   : waits              ? " that "
                                        : " ",
                   what.text);
    free(what.text);
}

/** "MPI_Recv", "MPI_Init (exchange of addresses)" */
static void
add_call(const struct verdict *verdict, struct strbuf *words, const struct job_thread *thread)
{
    const char *stage = init_stage_text(&verdict->job, thread);
    strbuf_add(words, stage ? "%s (%s)" : "%s", thread->call, stage);
}

void
verdict_add_thread(const struct verdict *verdict, struct strbuf *words, uint32_t number)
{
    const struct job_thread *thread = &verdict->job.threads[number];
    enum doing doing = verdict->waits.activities[number].doing;
    size_t start = words->length;
    if (thread->call && thread->record->file)
        strbuf_add(words, "%s of %s", thread->call, base_name(thread->record->file));
    else if (thread->call && thread->record->port)
        strbuf_add(words, "%s on port %s", thread->call, thread->record->port);
    else if (thread->call)
        add_call(verdict, words, thread);
    else if (thread_waits_inside(&verdict->waits.activities[number]))
        add_inside_wait(verdict, words, number);
    else if (doing == DOING_OUTSIDE)
        add_system_call(words, thread);
    else if (doing == DOING_IDLE || doing == DOING_HELP)
        return;
    add_where(verdict->job.processes[thread->process].report, words, thread->record, start);
    add_holder(verdict, words, number);
}

/** What is known of a thread that is in the user's code, but in no function that has a name. */
static void
add_nameless(const struct verdict *verdict, struct strbuf *words, uint32_t number)
{
    const char *call = thread_system_call(&verdict->job.threads[number]).name;
    if (verdict->waits.activities[number].doing == DOING_WORK ||
        verdict->waits.activities[number].doing == DOING_REST)
        strbuf_add(words, "in %s%s", call ? call : "an unnamed function", call ? "()" : "");
}

static int
compare_texts(const void *left, const void *right)
{
    return strcmp(*(char *const *) left, *(char *const *) right);
}

/** Appends the texts in order, equal ones once with their number. */
static void
add_counted(struct strbuf *words, char **texts, size_t count)
{
    qsort(texts, count, sizeof *texts, compare_texts);
    for (size_t first = 0, end; first < count; first = end) {
        end = search_end(texts, count, sizeof *texts, first, compare_texts);
        strbuf_add(words, "%s%s", words->length > 0 ? "; " : "", texts[first]);
        if (end - first > 1)
            strbuf_add(words, " (%zu threads)", end - first);
    }
}

/** Appends what a thread does, with the call by which it waits for a device: perhaps nothing. */
static void
add_thread(const struct verdict *verdict, struct strbuf *words, uint32_t number)
{
    struct system_call call = thread_system_call(&verdict->job.threads[number]);
    char *text = verdict_thread_text(verdict, (int32_t) number);
    const char *before = verdict->job.threads[number].call ? " in " : " ";
    if (call.device || call.ranks)
        system_call_add(words, &call, false);
    strbuf_add(words, "%s%s", (call.device || call.ranks) && *text != '\0' ? before : "", text);
    free(text);
}

static void
add_threads(const struct verdict *verdict, struct strbuf *words,
            const struct process_entry *process)
{
    char **texts = alloc_zeroed(process->n_threads, sizeof *texts);
    size_t count = 0;
    for (uint32_t i = 0; i < process->n_threads; i++) {
        struct strbuf thread = {.text = NULL};
        add_thread(verdict, &thread, process->first_thread + i);
        if (thread.length == 0)
            add_nameless(verdict, &thread, process->first_thread + i);
        if (thread.length > 0)
            texts[count++] = strbuf_take(&thread);
        else
            free(thread.text);
    }
    add_counted(words, texts, count);
    for (size_t i = 0; i < count; i++)
        free(texts[i]);
    free(texts);
}

/** What the queues tell, of a process whose threads are not known. */
static void
add_queues(const struct verdict *verdict, struct strbuf *words, const struct process_entry *process)
{
    static const char *const names[] = {[JOB_RECEIVES] = "receives",
                                        [JOB_UNEXPECTED] = "unexpected messages",
                                        [JOB_SENDS] = "sends"};
    size_t counts[JOB_QUEUES] = {0}, blocked = 0;
    for (uint32_t i = process->first_op; i < process->first_op + process->n_ops; i++) {
        counts[verdict->job.ops[i].queue]++;
        blocked += verdict->job.ops[i].record->blocked;
    }
    for (int i = 0; i < JOB_QUEUES; i++)
        if (counts[i] > 0)
            strbuf_add(words, "%s%zu %s pending", words->length > 0 ? ", " : "", counts[i],
                       names[i]);
    if (blocked > 0)
        strbuf_add(words, ", blocks in %zu", blocked);
}

static void
add_collectives(struct strbuf *words, const struct process_entry *process)
{
    for (size_t i = 0; i < process->report->comms.count; i++) {
        const struct communicator *comm = &process->report->comms.items[i];
        for (size_t k = 0; k < comm->collectives.count; k++)
            if (comm->collectives.items[k].name)
                strbuf_add(words, "%sin %s on %s", words->length > 0 ? "; " : "",
                           comm->collectives.items[k].name, communicator_label(comm));
    }
}

static uint32_t
situation_of_process(struct verdict *verdict, const struct process_entry *process)
{
    struct strbuf words = {.text = NULL};
    if (process->state >= STATE_STOPPED)
        verdict_add_state(&words, process);
    if (process->has_threads)
        add_threads(verdict, &words, process);
    if (words.length == 0)
        add_queues(verdict, &words, process);
    add_collectives(&words, process);
    char *text = strbuf_take(&words);
    bool was_seen = process->report->comms.count > 0;
    const char *nothing = was_seen ? "nothing is pending" : "nothing is known of it";
    uint32_t ret = intern_text(&verdict->situations, *text != '\0' ? text : nothing);
    free(text);
    return ret;
}

/** Those that have none come last. */
static int
compare_labels(const void *left, const void *right, void *data)
{
    const struct job_index *job = data;
    const uint32_t *one = left, *other = right;
    return COMPARE(
        {(uint32_t) job->processes[*one].label, (uint32_t) job->processes[*other].label});
}

/** Processes in the order of their labels, to free(). */
static uint32_t *
by_label(struct job_index *job)
{
    uint32_t *order = alloc_zeroed(job->n_processes, sizeof *order);
    for (uint32_t i = 0; i < job->n_processes; i++)
        order[i] = i;
    qsort_r(order, job->n_processes, sizeof *order, compare_labels, job);
    return order;
}

void
verdict_group(struct verdict *verdict)
{
    struct job_index *job = &verdict->job;
    uint32_t *order = by_label(job), *groups = alloc_zeroed(job->n_processes, sizeof *groups);
    for (size_t i = 0; i < job->n_processes; i++) {
        struct process_entry *process = &job->processes[order[i]];
        process->group = groups[i] = situation_of_process(verdict, process);
    }
    verdict->n_groups = verdict->situations.count;
    verdict->groups = alloc_zeroed(verdict->n_groups, sizeof *verdict->groups);
    by_key_init(&verdict->in_groups, groups, sizeof *groups, 0, job->n_processes,
                verdict->n_groups);
    for (size_t i = 0; i < job->n_processes; i++)
        verdict->in_groups.items[i] = order[verdict->in_groups.items[i]];
    for (uint32_t i = 0; i < verdict->n_groups; i++) {
        const uint32_t *first = &verdict->in_groups.first[i];
        verdict->groups[i] =
            (struct rank_group){i, verdict->in_groups.items + first[0], first[1] - first[0]};
    }
    free(groups);
    free(order);
}
