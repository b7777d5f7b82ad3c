// SPDX-License-Identifier: BSD-3-Clause
#include "mqshow/run/proc_facts.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/process/memory_group.h"
#include "mqshow/process/open_files.h"
#include "mqshow/process/sockets.h"

#include <stdlib.h>

void
proc_facts_add_state(struct report *report, pid_t pid)
{
    struct state state = state_read(pid);
    report_set_state(report, &state);
    state_deinit(&state);
}

/** What its memory is limited by, where that says that it was or is too little. */
static void
set_memory(struct report *report, pid_t pid)
{
    struct memory_group group = memory_group_read(pid);
    struct memory_record *memory = &report->memory;
    if (group.name != NULL)
        memory->group = report_keep(report, escape_text(group.name, SIZE_MAX));
    if (group.oom_kills > 0)
        SET(memory, MEMORY_OOM_KILLS, oom_kills, group.oom_kills);
    if (group.pressure > 0)
        SET(memory, MEMORY_PRESSURE, pressure, group.pressure);
    if (group.machine_pressure > 0)
        SET(memory, MEMORY_MACHINE, machine_pressure, group.machine_pressure);
    if (memory->has != 0)
        report->has |= 1u << PROCESS_MEMORY;
    memory_group_deinit(&group);
}

/** The ranks of the processes of the job on this machine that have the other ends open, to free();
 * -1: none has. */
static int *
find_senders(const struct job *job, const struct unread *found, size_t count)
{
    int *ranks = alloc_zeroed(count, sizeof *ranks);
    for (size_t k = 0; k < count; k++)
        ranks[k] = -1;
    for (size_t i = 0; i < job->count && count > 0; i++) {
        if (!job_is_live(&job->items[i]))
            continue;
        struct socket_list sockets = socket_list_read(job->items[i].pid);
        for (size_t k = 0; k < count; k++)
            if (found[k].other != 0 && ranks[k] < 0 && socket_list_has(&sockets, found[k].other))
                ranks[k] = job->items[i].rank;
        free(sockets.inodes);
    }
    return ranks;
}

/** What processes of the job or of other machines have sent over TCP. */
static void
set_unread(struct report *report, const struct job *job, pid_t pid)
{
    struct unread *found;
    size_t count = unread_find(&found, pid);
    int *ranks = find_senders(job, found, count);
    for (size_t i = 0; i < count; i++) {
        if (ranks[i] >= 0 || found[i].other == 0) {
            struct unread_record *unread =
                ALLOC_ADD(report->unread.items, report->unread.count, report->unread.capacity);
            record_init(&unread_record_type, unread);
            unread->rank = ranks[i];
            unread->from = report_keep(report, escape_text(found[i].from, SIZE_MAX));
            SET(unread, UNREAD_BYTES, bytes, (int64_t) found[i].bytes);
            report->has |= UINT32_C(1) << PROCESS_UNREAD;
        }
        free(found[i].from);
    }
    free(ranks);
    free(found);
}

void
proc_facts_add(struct report *report, const struct job *job, pid_t pid)
{
    proc_facts_add_state(report, pid);
    set_memory(report, pid);
    set_unread(report, job, pid);
}
