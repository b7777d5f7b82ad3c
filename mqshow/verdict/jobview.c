// SPDX-License-Identifier: BSD-3-Clause
// All processes of a document as tables of plain data.
#include "mqshow/verdict/jobview.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/search.h"

#include <stdlib.h>
#include <string.h>

bool
jobview_is_halted(const struct jv_process *process)
{
    return process->state >= STATE_STOPPED || process->phase == mqs_phase_finalized;
}

bool
jobview_is_out(const struct jv_process *process)
{
    return jobview_is_halted(process) || process->phase == mqs_phase_in_finalize;
}

static void
load_process(struct jobview *view, struct jv_process *process, const struct report *report)
{
    bool has_phase = HAS(&report->mpi, MPI_PHASE), has_settled = HAS(report, PROCESS_SETTLED);
    *process = (struct jv_process){
        .report = report,
        .rank = report->rank >= 0 ? report->rank : NOBODY,
        .world = intern_text(&view->worlds, report->world != NULL ? report->world : ""),
        .state = HAS(report, PROCESS_STATE) ? (enum state_kind) report->state : STATE_UNKNOWN,
        .phase = has_phase ? (mqs_mpi_phase) report->mpi.phase : mqs_phase_unknown,
        .settled = has_settled && report->settled,
    };
    process->moved = has_settled && !report->settled && !jobview_is_halted(process);
}

static void
load_processes(struct jobview *view)
{
    view->n_processes = view->document->count;
    view->processes = alloc_zeroed(view->n_processes, sizeof *view->processes);
    for (size_t i = 0; i < view->n_processes; i++) {
        load_process(view, &view->processes[i], &view->document->reports[i]);
        if (view->n_processes > 1 && view->document->reports[i].core != NULL)
            jobview_unseen(view, alloc_text("whether the cores are of one moment"));
    }
}

/** Whether a process is a core that nothing of MPI was read of: its file names it. */
static bool
is_unread_core(const struct jv_process *process)
{
    return process->rank == NOBODY && process->report->core != NULL &&
           process->report->comms.count == 0;
}

/** Whether ranks do not tell processes apart, as in several worlds. */
static bool
ranks_repeat(const struct jobview *view)
{
    int32_t *ranks = alloc_zeroed(view->n_processes, sizeof *ranks);
    size_t n_ranks = 0, n_named = 0;
    bool repeat = false;
    for (size_t i = 0; i < view->n_processes; i++)
        if (view->processes[i].rank != NOBODY)
            ranks[n_ranks++] = view->processes[i].rank;
        else
            n_named += is_unread_core(&view->processes[i]);
    qsort(ranks, n_ranks, sizeof *ranks, compare_int32);
    for (size_t i = 1; i < n_ranks; i++)
        repeat |= ranks[i] == ranks[i - 1];
    free(ranks);
    return repeat || n_ranks + n_named < view->n_processes || n_ranks == 0;
}

bool
jobview_is_by_index(const struct document *document)
{
    struct jobview view = {.document = document};
    load_processes(&view);
    bool by_index = ranks_repeat(&view);
    jobview_deinit(&view);
    return by_index;
}

void
jobview_init_comms(struct jobview *view, const struct document *document)
{
    *view = (struct jobview){.document = document};
    load_processes(view);
    jobview_load_comms(view);
}

/** A process that does not use MPI has not begun while others are in MPI_Init, which wait for it;
 * otherwise, where others have it in their communicators, it has ended. */
static void
settle_phases(struct jobview *view)
{
    bool *begins = alloc_zeroed(view->worlds.count, sizeof *begins);
    bool *is_member = alloc_zeroed(view->n_processes, sizeof *is_member);
    for (size_t i = 0; i < view->n_processes; i++)
        begins[view->processes[i].world] |= view->processes[i].phase == mqs_phase_in_init;
    for (size_t i = 0; i < view->n_members; i++)
        is_member[view->members[i].process] = true;
    for (size_t i = 0; i < view->n_processes; i++) {
        struct jv_process *process = &view->processes[i];
        if (process->phase == mqs_phase_not_in_use)
            process->phase = begins[process->world] ? mqs_phase_before_init
                             : is_member[i]         ? mqs_phase_finalized
                                                    : mqs_phase_not_in_use;
    }
    free(begins);
    free(is_member);
}

void
jobview_init(struct jobview *view, const struct document *document)
{
    jobview_init_comms(view, document);
    view->by_index = ranks_repeat(view);
    for (size_t i = 0; i < view->n_processes; i++)
        view->processes[i].label = view->by_index ? (int32_t) i : view->processes[i].rank;
    jobview_load_ops(view);
    jobview_load_threads(view);
    settle_phases(view);
}

void
jobview_deinit(struct jobview *view)
{
    for (size_t i = 0; i < view->n_unseen; i++)
        free(view->unseen[i]);
    free(view->unseen);
    free(view->processes);
    free(view->threads);
    free(view->comms);
    free(view->members);
    free(view->ops);
    intern_deinit(&view->worlds);
    intern_deinit(&view->keys);
}

void
jobview_unseen(struct jobview *view, char *words)
{
    for (size_t i = 0; i < view->n_unseen; i++) {
        if (strcmp(view->unseen[i], words) == 0) {
            free(words);
            return;
        }
    }
    *ALLOC_ADD(view->unseen, view->n_unseen, view->unseen_capacity) = words;
}

static int
compare_local_ranks(const void *left, const void *right)
{
    const struct jv_member *a = left, *b = right;
    return COMPARE({a->local_rank, b->local_rank});
}

const struct jv_member *
jobview_member(const struct jobview *view, int32_t comm, int64_t local_rank)
{
    if (comm == NOBODY || local_rank < 0)
        return NULL;
    const struct jv_comm *of = &view->comms[comm];
    const struct jv_member *members = &view->members[of->first_member],
                           key = {.local_rank = local_rank};
    size_t at = search_first(&key, members, of->n_members, sizeof key, compare_local_ranks);
    return at < of->n_members && members[at].local_rank == local_rank ? &members[at] : NULL;
}

bool
jobview_knows_queue(const struct jv_member *member, enum jv_queue queue)
{
    return member->record != NULL &&
           communicator_has_whole_queue(member->record, jobview_class(queue));
}

bool
jobview_has_queue(const struct jv_process *process, enum jv_queue queue)
{
    for (size_t i = 0; i < process->report->comms.count; i++)
        if (!communicator_has_whole_queue(&process->report->comms.items[i], jobview_class(queue)))
            return false;
    return process->report->comms.count > 0;
}

int64_t
jobview_not_seen(const struct jobview *view, uint32_t comm)
{
    int64_t left = view->comms[comm].size - view->comms[comm].n_members;
    return left > 0 ? left : 0;
}

const char *
jobview_comm_name(const struct jv_comm *comm)
{
    const char *text = comm->label != NULL ? comm->label : comm->name;
    return text != NULL && *text != '\0' ? text : "(no name)";
}
