// SPDX-License-Identifier: BSD-3-Clause
// The first line of the verdict, and what all causes share.
#include "mqshow/verdict/cause.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/search.h"
#include "mqshow/report/device_wait.h"
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

enum { LIVE_SHOWN = 4 };

/** Which files the first few of them wait for, and who can end that, each one a fact: "rank 1 waits
 * for a file lock on /tmp/lock, held by process 4711, not of the job". */
static void
add_files(struct verdict *verdict, const struct live *live, size_t count)
{
    for (size_t i = 0, shown = 0; i < count && shown < LIVE_SHOWN; i++) {
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
    for (size_t i = 0; i < count && i < LIVE_SHOWN; i++) {
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

/** The library for collectives of devices that a process uses; NULL: none is seen. */
static const char *
collectives_of(const struct verdict *verdict, uint32_t process)
{
    const struct process_entry *of = &verdict->job.processes[process];
    const char *name = NULL;
    for (uint32_t i = of->first_thread; i < of->first_thread + of->n_threads && !name; i++)
        name = device_collectives_of(verdict->job.threads[i].record);
    return name;
}

/** Those that wait for a device may do so for a collective of devices, which no queue shows. */
static void
add_device_collectives(struct verdict *verdict, const struct live *live, size_t count)
{
    struct strbuf words = {.text = NULL};
    uint32_t *processes = alloc_zeroed(count, sizeof *processes);
    size_t n_processes = 0;
    const char *name = NULL;
    for (size_t i = 0; i < count && live[i].call.device; i++) {
        const char *of = collectives_of(verdict, live[i].process);
        if (of)
            processes[n_processes++] = live[i].process;
        name = of ? of : name;
    }
    if (name) {
        cause_add_ranks(verdict, &words, processes, n_processes, "uses ", "use ");
        strbuf_add(&words, "%s: the device may wait for a collective that others have not called",
                   name);
    }
    cause_add_fact(verdict, &words);
    free(processes);
}

/** Which devices the first few may wait for, each one a fact: "rank 1 has /dev/nvidia0 open". */
static void
add_device_files(struct verdict *verdict, const struct live *live, size_t count)
{
    for (size_t i = 0; i < count && i < LIVE_SHOWN && live[i].call.device; i++) {
        struct strbuf words = {.text = NULL}, list = {.text = NULL};
        int32_t thread = live_thread(verdict, live[i].process);
        const struct device_record *device = &verdict->job.threads[thread].record->device;
        for (size_t k = 0; k < device->files.count && k < LIVE_SHOWN; k++)
            strbuf_add(&list, "%s%s", k > 0 ? ", " : "", device->files.items[k]);
        if (device->files.count > LIVE_SHOWN)
            strbuf_add(&list, " and %zu more", device->files.count - LIVE_SHOWN);
        if (list.text || device->choice)
            verdict_add_process(verdict, &words, live[i].process);
        if (list.text)
            strbuf_add(&words, " has %s open", list.text);
        if (device->choice)
            strbuf_add(&words, "%s was started with %s", list.text ? ", and" : "", device->choice);
        cause_add_fact(verdict, &words);
        free(list.text);
    }
}

/** What the first few that wait for a device do for it, each one a fact: the device may wait for
 * that.
 */
static void
add_device_functions(struct verdict *verdict, const struct live *live, size_t count)
{
    for (size_t i = 0, shown = 0; i < count && live[i].call.device; i++) {
        const struct process_entry *process = &verdict->job.processes[live[i].process];
        for (uint32_t k = process->first_thread;
             k < process->first_thread + process->n_threads && shown < LIVE_SHOWN; k++) {
            struct strbuf words = {.text = NULL};
            if (!device_runs_function(verdict->job.threads[k].record))
                continue;
            verdict_add_process(verdict, &words, live[i].process);
            strbuf_add(&words,
                       "'s thread %" PRId64 " runs a function that the program gave the device: ",
                       verdict->job.threads[k].tid);
            verdict_add_thread(verdict, &words, k);
            cause_add_fact(verdict, &words);
            shown++;
        }
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

/** A process and the call that it is in, of MPI or of a collective of devices. */
struct in_call {
    const char *call;
    uint32_t process;
    bool ranks; // the latter
};

static int
compare_calls(const void *left, const void *right)
{
    const struct in_call *a = left, *b = right;
    int calls = strcmp(a->call, b->call);
    return COMPARE({b->ranks, a->ranks}, {calls, 0}, {a->process, b->process});
}

/** All that are in one, those of devices first, to free(). */
static struct in_call *
find_in_calls(const struct verdict *verdict, size_t *ret_count)
{
    struct in_call *calls = alloc_zeroed(verdict->job.n_processes, sizeof *calls);
    *ret_count = 0;
    for (uint32_t i = 0; i < verdict->job.n_processes; i++) {
        int32_t number = verdict_main_thread(verdict, i);
        const struct job_thread *thread = number != NOBODY ? &verdict->job.threads[number] : NULL;
        struct system_call call =
            thread ? thread_system_call(thread) : (struct system_call){.name = NULL};
        const char *name = call.ranks ? call.name : thread ? thread->call : NULL;
        if (name)
            calls[(*ret_count)++] = (struct in_call){name, i, call.ranks};
    }
    qsort(calls, *ret_count, sizeof *calls, compare_calls);
    return calls;
}

/** "ranks 0-2 are in ncclAllReduce", of the first that are in the same. @return their number */
static size_t
add_in_call(const struct verdict *verdict, struct strbuf *words, const struct in_call *calls,
            size_t count)
{
    uint32_t *processes = alloc_zeroed(count, sizeof *processes);
    size_t alike = 0;
    for (; alike < count && strcmp(calls[alike].call, calls->call) == 0; alike++)
        processes[alike] = calls[alike].process;
    cause_add_ranks(verdict, words, processes, alike, "is in ", "are in ");
    strbuf_add(words, "%s", calls->call);
    free(processes);
    return alike;
}

bool
cause_of_device_collectives(struct verdict *verdict)
{
    struct strbuf full = {.text = NULL}, brief = {.text = NULL};
    size_t count, n_ranks = 0, n_calls = 0;
    struct in_call *calls = find_in_calls(verdict, &count);
    uint32_t *culprits = alloc_zeroed(count, sizeof *culprits);
    for (; n_ranks < count && calls[n_ranks].ranks; n_ranks++)
        culprits[n_ranks] = calls[n_ranks].process;
    bool is_all = n_ranks > 0 && verdict->job.n_unseen <= 1;
    strbuf_add(&full, "cannot tell whether this is a deadlock: ");
    for (size_t i = 0; i < count && is_all; n_calls++) {
        strbuf_add(&full, i > 0 ? ", " : "");
        i += add_in_call(verdict, &full, calls + i, count - i);
        if (n_calls == 0)
            strbuf_add(&brief, "%s", full.text);
    }
    if (is_all) {
        cause_set(verdict, "collective of devices", culprits, n_ranks);
        cause_set_line(verdict, &full, &brief);
    } else {
        free(full.text);
    }
    free(culprits);
    free(calls);
    return is_all;
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
    add_device_files(verdict, live, count);
    add_device_functions(verdict, live, count);
    add_device_collectives(verdict, live, count);
    add_files(verdict, live, count);
    cause_add_memory(verdict, culprits, alike, false);
    free(culprits);
    free(where);
    free(live);
    return for_ever;
}
