// SPDX-License-Identifier: BSD-3-Clause
// The first line of the verdict, and what all causes share.
#include "mqshow/verdict/cause.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/search.h"
#include "mqshow/report/place.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_SHOWN = 4 };

size_t
cause_line_bytes(const struct verdict *verdict)
{
    bool is_long = verdict->job.is_plain || verdict->is_conditional || verdict->has_place;
    return is_long ? PLAIN_LINE_BYTES : LINE_BYTES;
}

void
cause_set_line(struct verdict *verdict, struct strbuf *full, struct strbuf *brief)
{
    size_t most = cause_line_bytes(verdict);
    struct strbuf *chosen = full->length <= most ? full : brief;
    struct strbuf *other = chosen == full ? brief : full;
    if (chosen->length > most) {
        size_t end = most - strlen(" ...");
        while (end > 0 && chosen->text[end] != ' ') // neither within a name nor within a number
            end--;
        strcpy(chosen->text + end, " ...");
    }
    free(verdict->text);
    verdict->text = strbuf_take(chosen);
    free(strbuf_take(other));
}

void
cause_add_fact(struct verdict *verdict, struct strbuf *words)
{
    if (words->length == 0)
        return;
    *ALLOC_ADD(verdict->facts, verdict->n_facts, verdict->facts_capacity) = strbuf_take(words);
}

void
cause_add_entered(struct verdict *verdict, const struct collective *item)
{
    struct strbuf words = {.text = NULL};
    strbuf_add(&words, "all ranks are in ");
    collective_add_call(&words, item);
    strbuf_add(&words, " on %s: do they agree on its arguments?",
               job_index_comm_name(&verdict->job.comms[item->comm]));
    cause_add_fact(verdict, &words);
}

void
cause_set(struct verdict *verdict, const char *what, const uint32_t *processes, size_t count)
{
    free(verdict->cause.processes);
    verdict->cause = (struct cause){what, alloc_zeroed(count, sizeof *processes), count};
    if (count > 0)
        memcpy(verdict->cause.processes, processes, count * sizeof *processes);
}

void
cause_add_ranks(const struct verdict *verdict, struct strbuf *words, const uint32_t *processes,
                size_t count, const char *one, const char *many)
{
    verdict_add_list(verdict, words, processes, count, RUNS_SHOWN, strbuf_add_runs);
    if (one)
        strbuf_add(words, " %s", count == 1 ? one : many);
}

void
cause_add_waiting(const struct verdict *verdict, struct strbuf *words, const uint32_t *processes,
                  size_t count, size_t n_for)
{
    cause_add_ranks(verdict, words, processes, count, "waits for ", "wait for ");
    strbuf_add(words, n_for == 1 ? "it" : "them");
}

// Causes outside of MPI: processes that go on by themselves, or whose threads wait for each other.

/** A process that goes on by itself, and what its main thread does. */
struct live {
    uint32_t process;
    struct system_call call;
    bool is_early; // before MPI_Init
    bool polls;    // in an MPI call that does not wait
    int order;     // 0 is the most probable cause
};

/** The most probable cause first, those that do the same together. */
static int
compare_live(const void *left, const void *right)
{
    const struct live *a = left, *b = right;
    int call = a->order == b->order && a->call.name ? strcmp(a->call.name, b->call.name) : 0;
    return COMPARE({a->order, b->order}, {call, 0}, {a->is_early, b->is_early},
                   {a->process, b->process});
}

/** How many of the first do the same. */
static size_t
count_alike(const struct live *live, size_t count)
{
    size_t alike = count > 0;
    while (alike < count && text_equals(live[alike].call.name, live[0].call.name) &&
           live[alike].is_early == live[0].is_early && live[alike].polls == live[0].polls)
        alike++;
    return alike;
}

/** The thread by which a process goes on: one that works, while others may wait in MPI. */
static int32_t
live_thread(const struct verdict *verdict, uint32_t process)
{
    int32_t main = verdict_main_thread(verdict, process), acting = verdict->acting[process];
    if (main == NOBODY || acting == NOBODY ||
        waits_thread(&verdict->waits, (uint32_t) main)->state == NODE_RUNNABLE)
        return main;
    return acting;
}

/** All, in order, to free(). */
static struct live *
find_live(const struct verdict *verdict, size_t *ret_count)
{
    uint32_t *processes = verdict_select(verdict, verdict_is_live, ret_count);
    struct live *live = alloc_zeroed(*ret_count, sizeof *live);
    for (size_t i = 0; i < *ret_count; i++) {
        int32_t number = live_thread(verdict, processes[i]);
        const struct job_thread *thread = number != NOBODY ? &verdict->job.threads[number] : NULL;
        live[i] = (struct live){
            .process = processes[i],
            .is_early = verdict->job.processes[processes[i]].phase == mqs_phase_before_init,
            .polls = thread && thread->call != NULL,
        };
        if (thread)
            live[i].call = thread_system_call(thread);
        live[i].order = live[i].call.for_ever ? 0
                        : live[i].call.device ? 1
                        : live[i].call.name   ? 4
                        : live[i].is_early    ? 2
                        : live[i].polls       ? 5
                                              : 3;
    }
    free(processes);
    if (*ret_count > 0)
        qsort(live, *ret_count, sizeof *live, compare_live);
    return live;
}

bool
cause_is_system_call(const struct verdict *verdict)
{
    size_t count;
    struct live *live = find_live(verdict, &count);
    bool is_one = count > 0 && live[0].call.name &&
                  (live[0].call.device || count_alike(live, count) == count);
    free(live);
    return is_one;
}

/** What some that do the same do: "computes", "waits for a file lock in flock()". */
static void
add_doing(const struct verdict *verdict, struct strbuf *words, const struct live *live,
          size_t count)
{
    static const char *const words_of_early[] = {"have not called MPI_Init",
                                                 "has not called MPI_Init"};
    const struct system_call *call = &live->call;
    uint32_t *processes = alloc_zeroed(count, sizeof *processes);
    for (size_t i = 0; i < count; i++)
        processes[i] = live[i].process;
    const char *early = live->is_early ? words_of_early[count == 1] : "";
    cause_add_ranks(verdict, words, processes, count, early, early);
    free(processes);
    if (live->is_early && call->name)
        strbuf_add(words, ", ");
    if (call->name)
        system_call_add(words, call, count > 1);
    else if (live->polls)
        strbuf_add(words, count == 1 ? "polls" : "poll"); // the call follows, with its place
    else if (!live->is_early)
        strbuf_add(words, count == 1 ? "computes" : "compute");
}

/** Likewise of all, the most probable cause first. */
static void
add_doings(const struct verdict *verdict, struct strbuf *words, const struct live *live,
           size_t count)
{
    for (size_t first = 0, alike; first < count; first += alike) {
        alike = count_alike(live + first, count - first);
        strbuf_add(words, first > 0 ? ", " : "");
        add_doing(verdict, words, live + first, alike);
    }
}

/** Which files the first few of them wait for, and who can end that, each one a fact: "rank 1 waits
 * for a file lock on /tmp/lock, held by process 4711, not of the job". */
static void
add_files(struct verdict *verdict, const struct live *live, size_t count)
{
    for (size_t i = 0, shown = 0; i < count && shown < CAUSE_SHOWN; i++) {
        struct strbuf words = {.text = NULL}, file = {.text = NULL};
        int32_t thread = live_thread(verdict, live[i].process);
        if (live[i].call.name && !live[i].call.device && thread != NOBODY)
            verdict_add_system_wait(verdict, &file, (uint32_t) thread);
        if (!file.text)
            continue;
        verdict_add_process(verdict, &words, live[i].process);
        strbuf_add(&words, " %s %s", live[i].call.one, file.text);
        cause_add_fact(verdict, &words);
        free(file.text);
        shown++;
    }
}

/** Where the first few of them are, each one a fact. */
static void
add_places(struct verdict *verdict, const struct live *live, size_t count)
{
    for (size_t i = 0; i < count && i < CAUSE_SHOWN; i++) {
        struct strbuf words = {.text = NULL};
        char *where = verdict_thread_text(verdict, live_thread(verdict, live[i].process));
        if (*where != '\0') {
            verdict_add_process(verdict, &words, live[i].process);
            strbuf_add(&words, " is %s%s", strncmp(where, "MPI_", 4) == 0 ? "in " : "", where);
            cause_add_fact(verdict, &words);
        }
        free(where);
    }
}

static bool
is_settled(const struct verdict *verdict, const struct live *live, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!verdict->job.processes[live[i].process].settled)
            return false;
    return true;
}

/** Appends who waits for those that go on. */
static void
add_waiting(const struct verdict *verdict, struct strbuf *words, size_t n_live, const char *before)
{
    size_t count;
    uint32_t *waiting = verdict_select(verdict, verdict_is_waiting, &count);
    if (count > 0) {
        strbuf_add(words, "%s", before);
        cause_add_waiting(verdict, words, waiting, count, n_live);
    }
    free(waiting);
}

bool
cause_of_locked(struct verdict *verdict)
{
    struct strbuf full = {.text = NULL}, brief = {.text = NULL};
    size_t n_locked;
    uint32_t *locked = verdict_select(verdict, verdict_is_locked, &n_locked);
    bool is_all = n_locked > 0 && verdict->job.n_unseen == 1;
    if (is_all) {
        strbuf_add(&full, "cannot tell whether this is a deadlock: ");
        cause_add_ranks(verdict, &full, locked, n_locked, "waits for another thread",
                        "wait for other threads");
        strbuf_add(&brief, "%s", full.text);
        add_waiting(verdict, &full, n_locked, ", ");
        cause_set(verdict, "another thread", locked, n_locked);
        cause_set_line(verdict, &full, &brief);
    }
    free(locked);
    return is_all;
}

/** What is known of the devices that some of them wait for. */
static void
add_device_facts(struct verdict *verdict, const struct live *live, size_t count)
{
    struct cause_waiter *waiters = alloc_zeroed(count, sizeof *waiters);
    size_t n_waiters = 0;
    for (size_t i = 0; i < count; i++)
        if (live[i].call.device)
            waiters[n_waiters++] = (struct cause_waiter){
                live[i].process, (uint32_t) live_thread(verdict, live[i].process)};
    cause_add_device_facts(verdict, waiters, n_waiters);
    free(waiters);
}

/** " in step at job.py:6": where a thread is, but for what that has called, to free(); empty: in a
 * call of MPI, or not known. */
static char *
short_place(const struct verdict *verdict, int32_t thread)
{
    const struct thread_record *record =
        thread != NOBODY ? verdict->job.threads[thread].record : NULL;
    const struct frame_record *frame = record && !record->call ? place_of(record).frame : NULL;
    char *place = frame && frame->function ? frame_text(frame) : NULL;
    char *ret = place ? alloc_format(" in %s", place) : alloc_text("");
    free(place);
    return ret;
}

bool
cause_of_live(struct verdict *verdict)
{
    struct strbuf full = {.text = NULL}, brief = {.text = NULL}, rest = {.text = NULL};
    size_t count;
    struct live *live = find_live(verdict, &count);
    size_t alike = count_alike(live, count); // the most probable cause
    verdict->may_last = alike == count && live->call.for_ever;
    bool for_ever = verdict->may_last && is_settled(verdict, live, count);
    bool is_cause = for_ever || live[count - 1].call.device; // then all of them wait for one
    const char *before = is_cause ? ": " : ", ";
    verdict->has_place |= live->call.device;
    char *where = verdict_thread_text(verdict, live_thread(verdict, live->process));
    if (!is_cause)
        strbuf_add(&full, "no deadlock seen: ");
    strbuf_add(&brief, "%s", full.text ? full.text : "");
    add_doings(verdict, &full, live, count);
    add_doing(verdict, &brief, live, alike);
    if (alike < count)
        strbuf_add(&brief, ", %zu more go on", count - alike);
    if (count == 1 && *where != '\0')
        strbuf_add(&full, " %s%s", strncmp(where, "MPI_", 4) == 0 ? "in " : "", where);
    add_waiting(verdict, &rest, count, before);
    char *place = short_place(verdict, live_thread(verdict, live->process));
    bool fits = brief.length + strlen(place) + rest.length <= cause_line_bytes(verdict);
    strbuf_add(&full, "%s", rest.text ? rest.text : "");
    strbuf_add(&brief, "%s%s", count == 1 && fits ? place : "", rest.text ? rest.text : "");
    free(rest.text);
    free(place);
    uint32_t *culprits = alloc_zeroed(alike, sizeof *culprits);
    for (size_t i = 0; i < alike; i++)
        culprits[i] = live[i].process;
    cause_set(verdict, system_call_word(&live->call), culprits, alike);
    cause_set_line(verdict, &full, &brief);
    if (!strstr(verdict->text, where))
        add_places(verdict, live, count);
    add_device_facts(verdict, live, count);
    add_files(verdict, live, count);
    cause_add_memory(verdict, culprits, alike, false);
    free(culprits);
    free(where);
    free(live);
    return for_ever;
}
