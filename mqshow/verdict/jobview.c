// SPDX-License-Identifier: BSD-3-Clause
// All processes of a document as tables of plain data.
#include "mqshow/verdict/jobview.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/search.h"

#include <stdlib.h>
#include <string.h>

static const int classes[JV_QUEUES] = {[JV_RECEIVES] = mqs_pending_receives,
                                       [JV_UNEXPECTED] = mqs_unexpected_messages,
                                       [JV_SENDS] = mqs_pending_sends};

static const enum jv_status statuses[] = {
    [mqs_st_pending] = JV_PENDING, [mqs_st_matched] = JV_MATCHED, [mqs_st_complete] = JV_COMPLETE};

int
jobview_class(unsigned queue)
{
    return classes[queue];
}

const struct operations *
jobview_operations(const struct jobview *view, const struct jv_op *op)
{
    return communicator_operations(view->members[op->member].record, classes[op->queue]);
}

int64_t
jobview_bytes(const struct jv_op *op)
{
    return HAS(op->record, OP_BYTES) && op->record->bytes >= 0 ? op->record->bytes : UNKNOWN;
}

/** A number, ANY, UNKNOWN. */
static int32_t
number_or_any(bool known, int32_t value)
{
    if (!known)
        return UNKNOWN;
    return value == REPORT_ANY ? ANY : value >= 0 ? value : UNKNOWN;
}

static bool
is_kind(const struct operation *record, mqs_operation_kind kind)
{
    return HAS(record, OP_KIND) && record->kind == kind;
}

static int32_t
partner_of(const struct jobview *view, uint32_t comm, int64_t peer)
{
    const struct jv_member *member = jobview_member(view, view->comms[comm].peers, peer);
    return member ? (int32_t) member->process : NOBODY;
}

static void
add_op(struct jobview *view, uint32_t member, uint8_t queue, uint32_t order,
       const struct operation *record)
{
    uint32_t comm = view->members[member].comm;
    int32_t peer = number_or_any(HAS(record, OP_PEER), record->peer);
    *ALLOC_ADD(view->ops, view->n_ops, view->ops_capacity) = (struct jv_op){
        .record = record,
        .process = view->members[member].process,
        .member = member,
        .comm = comm,
        .peer = peer,
        .partner = partner_of(view, comm, peer),
        .tag = number_or_any(HAS(record, OP_TAG), record->tag),
        .order = order,
        .queue = queue,
        .status = (uint8_t) statuses[record->status],
        .probe = is_kind(record, mqs_kind_probe),
        .synchronous = is_kind(record, mqs_kind_ssend),
        .buffered = is_kind(record, mqs_kind_bsend),
        .blocked = record->blocked,
        .freed = record->freed,
        .rendezvous = record->rendezvous,
        .eager = HAS(record, OP_RENDEZVOUS) && !record->rendezvous,
        .match = NOBODY,
    };
}

static void
add_queue(struct jobview *view, uint32_t member, uint8_t queue)
{
    const struct communicator *comm = view->members[member].record;
    const struct operations *operations =
        comm ? communicator_operations(comm, classes[queue]) : NULL;
    for (size_t i = 0; operations && i < operations->count; i++)
        add_op(view, member, queue, (uint32_t) i, &operations->items[i]);
}

static int
compare_processes(const void *left, const void *right)
{
    const struct jv_op *a = left, *b = right;
    return COMPARE({a->process, b->process}, {a->member, b->member}, {a->queue, b->queue},
                   {a->order, b->order});
}

static void
load_ops(struct jobview *view)
{
    for (uint32_t i = 0; i < view->n_members; i++)
        for (uint8_t queue = 0; queue < JV_QUEUES; queue++)
            add_queue(view, i, queue);
    size_t in_order = 1;
    while (in_order < view->n_ops &&
           compare_processes(&view->ops[in_order - 1], &view->ops[in_order]) < 0)
        in_order++;
    if (in_order < view->n_ops)
        qsort(view->ops, view->n_ops, sizeof *view->ops, compare_processes);
    for (size_t i = 0; i < view->n_ops; i++) {
        struct jv_process *process = &view->processes[view->ops[i].process];
        if (process->n_ops++ == 0)
            process->first_op = (uint32_t) i;
    }
}

// The threads of a document as plain data.

/** An OpenMP thread by its id. */
struct known {
    const char *id;
    const mqs_omp_thread *thread;
};

static int
compare_ids(const void *left, const void *right)
{
    const struct known *a = left, *b = right;
    return strcmp(a->id, b->id);
}

/** The OpenMP threads of a process by id, to free(). */
static struct known *
openmp_threads(const struct openmp *omp, size_t *ret_count)
{
    struct known *known = alloc_zeroed(omp->n_threads, sizeof *known);
    size_t count = 0;
    for (size_t i = 0; i < omp->n_threads; i++)
        if (*omp->threads[i].id != '\0')
            known[count++] = (struct known){omp->threads[i].id, &omp->threads[i]};
    qsort(known, count, sizeof *known, compare_ids);
    *ret_count = count;
    return known;
}

static const mqs_omp_thread *
find_openmp(const struct known *known, size_t count, const char *id)
{
    struct known key = {id, NULL};
    const struct known *found = id ? bsearch(&key, known, count, sizeof *known, compare_ids) : NULL;
    return found ? found->thread : NULL;
}

mqs_mpi_phase
jobview_phase_of(const char *call)
{
    if (call && (strcmp(call, "MPI_Init") == 0 || strcmp(call, "MPI_Init_thread") == 0))
        return mqs_phase_in_init;
    return call && strcmp(call, "MPI_Finalize") == 0 ? mqs_phase_in_finalize : mqs_phase_unknown;
}

/** A thread that begins or ends MPI does so for its process. */
static void
note_phase(struct jv_process *process, const char *call)
{
    mqs_mpi_phase phase = jobview_phase_of(call);
    if (phase != mqs_phase_unknown)
        process->phase = phase;
}

static void
load_threads(struct jobview *view, uint32_t number)
{
    struct jv_process *process = &view->processes[number];
    const struct report *report = process->report;
    size_t count;
    struct known *known = openmp_threads(&report->omp, &count);
    process->has_threads = report->threads.count > 0;
    process->first_thread = (uint32_t) view->n_threads;
    for (size_t i = 0; i < report->threads.count; i++) {
        const struct thread_record *record = &report->threads.items[i];
        *ALLOC_ADD(view->threads, view->n_threads, view->threads_capacity) = (struct jv_thread){
            .record = record,
            .openmp = find_openmp(known, count, record->openmp),
            .process = number,
            .place = (uint32_t) i,
            .tid = record->tid > 0 && record->tid <= INT32_MAX ? record->tid : 0,
            .call = record->call,
        };
    }
    process->n_threads = (uint32_t) report->threads.count;
    for (uint32_t k = process->first_thread; k < view->n_threads; k++)
        note_phase(process, view->threads[k].call);
    free(known);
}

static void
load_all_threads(struct jobview *view)
{
    for (uint32_t i = 0; i < view->n_processes; i++)
        load_threads(view, i);
}

// All processes of a document as tables of plain data.

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
        .world = intern_text(&view->worlds, report->world ? report->world : ""),
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
        if (view->n_processes > 1 && view->document->reports[i].core)
            jobview_unseen(view, alloc_text("whether the cores are of one moment"));
    }
}

/** Whether a process is a core that nothing of MPI was read of: its file names it. */
static bool
is_unread_core(const struct jv_process *process)
{
    return process->rank == NOBODY && process->report->core && process->report->comms.count == 0;
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
    load_ops(view);
    load_all_threads(view);
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
    return member->record && communicator_has_whole_queue(member->record, jobview_class(queue));
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
    const char *text = comm->label ? comm->label : comm->name;
    return text && *text != '\0' ? text : "(no name)";
}
