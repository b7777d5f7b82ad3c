// SPDX-License-Identifier: BSD-3-Clause
// What is known of devices that processes wait for, and of collectives of devices.
#include "mqshow/verdict/cause.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/search.h"
#include "mqshow/report/device_wait.h"
#include "mqshow/report/place.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
add_device_collectives(struct verdict *verdict, const struct cause_waiter *waiters, size_t count)
{
    struct strbuf words = {.text = NULL};
    uint32_t *processes = alloc_zeroed(count, sizeof *processes);
    size_t n_processes = 0;
    const char *name = NULL;
    for (size_t i = 0; i < count; i++) {
        const char *of = collectives_of(verdict, waiters[i].process);
        if (of)
            processes[n_processes++] = waiters[i].process;
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
add_device_files(struct verdict *verdict, const struct cause_waiter *waiters, size_t count)
{
    for (size_t i = 0; i < count && i < CAUSE_SHOWN; i++) {
        struct strbuf words = {.text = NULL}, list = {.text = NULL};
        const struct device_record *device =
            &verdict->job.threads[waiters[i].thread].record->device;
        for (size_t k = 0; k < device->files.count && k < CAUSE_SHOWN; k++)
            strbuf_add(&list, "%s%s", k > 0 ? ", " : "", device->files.items[k]);
        if (device->files.count > CAUSE_SHOWN)
            strbuf_add(&list, " and %zu more", device->files.count - CAUSE_SHOWN);
        if (list.text || device->choice)
            verdict_add_process(verdict, &words, waiters[i].process);
        if (list.text)
            strbuf_add(&words, " has %s open", list.text);
        if (device->choice)
            strbuf_add(&words, "%s was started with %s", list.text ? ", and" : "", device->choice);
        cause_add_fact(verdict, &words);
        free(list.text);
    }
}

/** "/dev/nvidia2 of rank 1 (NVIDIA H200, GPU-8f6c): 100 % busy, 3 processes use it" */
static void
add_device_state(struct verdict *verdict, uint32_t process, const struct accelerator_record *device)
{
    struct strbuf words = {.text = NULL};
    strbuf_add(&words, "%s of ", device->file ? device->file : "a device");
    verdict_add_process(verdict, &words, process);
    if (device->name || device->uuid)
        strbuf_add(&words, " (%s%s%s)", device->name ? device->name : "",
                   device->name && device->uuid ? ", " : "", device->uuid ? device->uuid : "");
    const char *separator = ":";
    if (HAS(device, ACCELERATOR_BUSY)) {
        strbuf_add(&words, ": %" PRId64 " %% busy", device->busy);
        separator = ",";
    }
    if (HAS(device, ACCELERATOR_PROCESSES) && device->processes == 0)
        strbuf_add(&words, "%s no process uses it", separator);
    else if (HAS(device, ACCELERATOR_PROCESSES))
        strbuf_add(&words,
                   device->processes == 1 ? "%s %" PRId64 " process uses it"
                                          : "%s %" PRId64 " processes use it",
                   separator, device->processes);
    cause_add_fact(verdict, &words);
}

static bool
is_used(const struct accelerator_record *device)
{
    return HAS(device, ACCELERATOR_USED) && device->used;
}

/** What the drivers say of the devices of the first few: of those that they use, where that is
 * known, else of those that they have open. */
static void
add_device_states(struct verdict *verdict, const struct cause_waiter *waiters, size_t count)
{
    for (size_t i = 0; i < count && i < CAUSE_SHOWN; i++) {
        const struct report *report = verdict->job.processes[waiters[i].process].report;
        bool any_used = false;
        for (size_t k = 0; k < report->devices.count; k++)
            any_used |= is_used(&report->devices.items[k]);
        for (size_t k = 0, shown = 0; k < report->devices.count && shown < CAUSE_SHOWN; k++) {
            if (any_used && !is_used(&report->devices.items[k]))
                continue;
            add_device_state(verdict, waiters[i].process, &report->devices.items[k]);
            shown++;
        }
    }
}

/** What the first few that wait for a device do for it, each one a fact: the device may wait for
 * that.
 */
static void
add_device_functions(struct verdict *verdict, const struct cause_waiter *waiters, size_t count)
{
    for (size_t i = 0, shown = 0; i < count; i++) {
        const struct process_entry *process = &verdict->job.processes[waiters[i].process];
        for (uint32_t k = process->first_thread;
             k < process->first_thread + process->n_threads && shown < CAUSE_SHOWN; k++) {
            struct strbuf words = {.text = NULL};
            if (!device_runs_function(verdict->job.threads[k].record))
                continue;
            verdict_add_process(verdict, &words, waiters[i].process);
            strbuf_add(&words,
                       "'s thread %" PRId64 " runs a function that the program gave the device: ",
                       verdict->job.threads[k].tid);
            verdict_add_thread(verdict, &words, k);
            cause_add_fact(verdict, &words);
            shown++;
        }
    }
}

void
cause_add_device_facts(struct verdict *verdict, const struct cause_waiter *waiters, size_t count)
{
    add_device_files(verdict, waiters, count);
    add_device_states(verdict, waiters, count);
    add_device_functions(verdict, waiters, count);
    add_device_collectives(verdict, waiters, count);
}

bool
cause_waits_for_ranks(const struct verdict *verdict, const struct process_entry *process)
{
    for (uint32_t i = process->first_thread; i < process->first_thread + process->n_threads; i++)
        if (thread_waits_for_ranks(&verdict->job.threads[i]))
            return true;
    return false;
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

/** Appends where those are that are in no such call: ", rank 2 is in load_batch at train.py:20",
 * where all of them are there; else ", ranks 2,3 are elsewhere". @return whether a place is named
 */
static bool
add_elsewhere(const struct verdict *verdict, struct strbuf *words, const struct in_call *calls,
              size_t n_calls)
{
    size_t n_processes = verdict->job.n_processes, count = 0;
    uint32_t *processes = alloc_zeroed(n_processes, sizeof *processes);
    bool *is_in = alloc_zeroed(n_processes, sizeof *is_in), is_one = true;
    char *common = NULL;
    for (size_t i = 0; i < n_calls; i++)
        is_in[calls[i].process] = true;
    for (uint32_t i = 0; i < n_processes; i++) {
        if (is_in[i])
            continue;
        int32_t thread = verdict_main_thread(verdict, i);
        char *place = thread != NOBODY ? place_text(verdict->job.threads[thread].record, false)
                                       : alloc_text("");
        is_one &= *place != '\0' && (!common || strcmp(common, place) == 0);
        free(common);
        common = place;
        processes[count++] = i;
    }
    if (count > 0) {
        strbuf_add(words, ", ");
        cause_add_ranks(verdict, words, processes, count, "is ", "are ");
        strbuf_add(words, "%s%s", is_one ? "in " : "elsewhere", is_one ? common : "");
    }
    free(common);
    free(is_in);
    free(processes);
    return count > 0 && is_one;
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
    struct strbuf full = {.text = NULL}, brief = {.text = NULL}, others = {.text = NULL};
    size_t count, n_ranks = 0;
    struct in_call *calls = find_in_calls(verdict, &count);
    uint32_t *culprits = alloc_zeroed(count, sizeof *culprits);
    for (; n_ranks < count && calls[n_ranks].ranks; n_ranks++)
        culprits[n_ranks] = calls[n_ranks].process;
    bool is_all = n_ranks > 0 && verdict->job.n_unseen <= 1;
    if (is_all)
        verdict->has_place |= add_elsewhere(verdict, &others, calls, count);
    strbuf_add(&full, "cannot tell whether this is a deadlock: ");
    for (size_t i = 0; i < count && is_all;) {
        bool is_first = i == 0;
        strbuf_add(&full, is_first ? "" : ", ");
        i += add_in_call(verdict, &full, calls + i, count - i);
        if (is_first || full.length <= cause_line_bytes(verdict)) {
            brief.length = 0;
            strbuf_add(&brief, "%s", full.text);
        }
    }
    if (is_all) {
        strbuf_add(&full, "%s", others.text ? others.text : "");
        cause_set(verdict, "collective of devices", culprits, n_ranks);
        cause_set_line(verdict, &full, &brief);
    } else {
        free(full.text);
    }
    free(others.text);
    free(culprits);
    free(calls);
    return is_all;
}
