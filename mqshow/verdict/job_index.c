// SPDX-License-Identifier: BSD-3-Clause
// All processes of a document as tables of plain data.
#include "mqshow/verdict/job_index.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/search.h"

#include <stdlib.h>
#include <string.h>

static const int classes[JOB_QUEUES] = {[JOB_RECEIVES] = mqs_pending_receives,
                                        [JOB_UNEXPECTED] = mqs_unexpected_messages,
                                        [JOB_SENDS] = mqs_pending_sends};

int
job_index_class(unsigned queue)
{
    return classes[queue];
}

const struct operations *
job_index_operations(const struct job_index *job, const struct job_op *op)
{
    return communicator_operations(job->members[op->member].record, classes[op->queue]);
}

int64_t
job_index_bytes(const struct job_op *op)
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
partner_of(const struct job_index *job, uint32_t comm, int64_t peer)
{
    const struct job_member *member = job_index_member(job, job->comms[comm].peers, peer);
    return member ? (int32_t) member->process : NOBODY;
}

static void
add_op(struct job_index *job, uint32_t member, uint8_t queue, uint32_t order,
       const struct operation *record)
{
    uint32_t comm = job->members[member].comm;
    int32_t peer = number_or_any(HAS(record, OP_PEER), record->peer);
    *ALLOC_ADD(job->ops, job->n_ops, job->ops_capacity) = (struct job_op){
        .record = record,
        .process = job->members[member].process,
        .member = member,
        .comm = comm,
        .peer = peer,
        .partner = partner_of(job, comm, peer),
        .tag = number_or_any(HAS(record, OP_TAG), record->tag),
        .order = order,
        .queue = queue,
        .status = (uint8_t) record->status,
        .probe = is_kind(record, mqs_kind_probe),
        .synchronous = is_kind(record, mqs_kind_ssend),
        .buffered = is_kind(record, mqs_kind_bsend),
        .eager = HAS(record, OP_RENDEZVOUS) && !record->rendezvous,
        .match = NOBODY,
    };
}

static void
add_queue(struct job_index *job, uint32_t member, uint8_t queue)
{
    const struct communicator *comm = job->members[member].record;
    const struct operations *operations =
        comm ? communicator_operations(comm, classes[queue]) : NULL;
    for (size_t i = 0; operations && i < operations->count; i++)
        add_op(job, member, queue, (uint32_t) i, &operations->items[i]);
}

static void
load_ops(struct job_index *job)
{
    for (uint32_t i = 0; i < job->n_processes; i++) {
        job->processes[i].first_op = (uint32_t) job->n_ops;
        for (uint32_t k = job->of_process.first[i]; k < job->of_process.first[i + 1]; k++)
            for (uint8_t queue = 0; queue < JOB_QUEUES; queue++)
                add_queue(job, job->of_process.items[k], queue);
        job->processes[i].n_ops = (uint32_t) job->n_ops - job->processes[i].first_op;
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
job_index_phase_of(const char *call)
{
    if (call && (strcmp(call, "MPI_Init") == 0 || strcmp(call, "MPI_Init_thread") == 0))
        return mqs_phase_in_init;
    return call && strcmp(call, "MPI_Finalize") == 0 ? mqs_phase_in_finalize : mqs_phase_unknown;
}

static void
load_threads(struct job_index *job, uint32_t number)
{
    struct process_entry *process = &job->processes[number];
    const struct report *report = process->report;
    size_t count;
    struct known *known = openmp_threads(&report->omp, &count);
    process->has_threads = report->threads.count > 0;
    process->finalizes = report_finalizes(report);
    process->first_thread = (uint32_t) job->n_threads;
    for (size_t i = 0; i < report->threads.count; i++) {
        const struct thread_record *record = &report->threads.items[i];
        *ALLOC_ADD(job->threads, job->n_threads, job->threads_capacity) = (struct job_thread){
            .record = record,
            .openmp = find_openmp(known, count, record->openmp),
            .process = number,
            .tid = record->tid > 0 && record->tid <= INT32_MAX ? record->tid : 0,
            .call = record->call,
        };
        // A thread that begins or ends MPI does so for its process.
        mqs_mpi_phase phase = job_index_phase_of(record->call);
        process->phase = phase != mqs_phase_unknown ? phase : process->phase;
    }
    process->n_threads = (uint32_t) report->threads.count;
    free(known);
}

// All processes of a document as tables of plain data.

void
by_key_init(struct by_key *by_key, const void *items, size_t size, size_t offset, size_t count,
            size_t n_keys)
{
    const char *keys = count > 0 ? (const char *) items + offset : NULL;
    uint32_t *first = alloc_zeroed(n_keys + 2, sizeof *first);
    *by_key = (struct by_key){first, alloc_zeroed(count, sizeof *by_key->items)};
    // Counted one too far on, so that filling moves the bounds to where they belong.
    for (size_t i = 0; i < count; i++) {
        uint32_t key = *(const uint32_t *) (keys + i * size);
        if (key < n_keys)
            first[key + 2]++;
    }
    for (size_t i = 2; i < n_keys + 2; i++)
        first[i] += first[i - 1];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t key = *(const uint32_t *) (keys + i * size);
        if (key < n_keys)
            by_key->items[first[key + 1]++] = i;
    }
}

void
by_key_deinit(struct by_key *by_key)
{
    free(by_key->first);
    free(by_key->items);
}

bool
job_index_is_halted(const struct process_entry *process)
{
    return process->state >= STATE_STOPPED || process->phase == mqs_phase_finalized;
}

bool
job_index_is_out(const struct process_entry *process)
{
    return job_index_is_halted(process) || process->phase == mqs_phase_in_finalize;
}

static void
load_process(struct job_index *job, struct process_entry *process, const struct report *report)
{
    bool has_phase = HAS(&report->mpi, MPI_PHASE), has_settled = HAS(report, PROCESS_SETTLED);
    *process = (struct process_entry){
        .report = report,
        .rank = report->rank >= 0 ? report->rank : NOBODY,
        .world = intern_text(&job->worlds, report->world ? report->world : ""),
        .state = HAS(report, PROCESS_STATE) ? (enum state_kind) report->state : STATE_UNKNOWN,
        .phase = has_phase ? (mqs_mpi_phase) report->mpi.phase : mqs_phase_unknown,
        .settled = has_settled && report->settled,
    };
    process->moved = has_settled && !report->settled && !job_index_is_halted(process);
}

static int
compare_pids(const void *left, const void *right)
{
    const struct job_pid *a = left, *b = right;
    return COMPARE({a->pid, b->pid});
}

static void
sort_pids(struct job_index *job)
{
    job->by_pid = alloc_zeroed(job->n_processes, sizeof *job->by_pid);
    for (uint32_t i = 0; i < job->n_processes; i++)
        job->by_pid[i] = (struct job_pid){job->processes[i].report->pid, i};
    if (job->n_processes > 0)
        qsort(job->by_pid, job->n_processes, sizeof *job->by_pid, compare_pids);
}

int32_t
job_index_neighbour(const struct job_index *job, uint32_t process, int32_t pid)
{
    const struct job_pid wanted = {.pid = pid}, *end = job->by_pid + job->n_processes;
    const char *host = job->processes[process].report->host;
    const struct job_pid *found = job->by_pid + search_first(&wanted, job->by_pid, job->n_processes,
                                                             sizeof wanted, compare_pids);
    for (; found < end && found->pid == pid; found++) {
        const struct report *report = job->processes[found->process].report;
        if (!report->core && strcmp(report->host ? report->host : "", host ? host : "") == 0)
            return (int32_t) found->process;
    }
    return NOBODY;
}

static void
load_processes(struct job_index *job)
{
    job->n_processes = job->document->count;
    job->processes = alloc_zeroed(job->n_processes, sizeof *job->processes);
    for (size_t i = 0; i < job->n_processes; i++) {
        load_process(job, &job->processes[i], &job->document->reports[i]);
        if (job->n_processes > 1 && job->document->reports[i].core)
            job_index_unseen(job, alloc_text("whether the cores were written at the same time"));
    }
}

/** Whether a process is a core that nothing of MPI was read of: its file names it. */
static bool
is_unread_core(const struct process_entry *process)
{
    return process->rank == NOBODY && process->report->core && process->report->comms.count == 0;
}

/** Whether ranks do not tell processes apart, as in several worlds. */
static bool
ranks_repeat(const struct job_index *job)
{
    int32_t *ranks = alloc_zeroed(job->n_processes, sizeof *ranks);
    size_t n_ranks = 0, n_named = 0;
    bool repeat = false;
    for (size_t i = 0; i < job->n_processes; i++)
        if (job->processes[i].rank != NOBODY)
            ranks[n_ranks++] = job->processes[i].rank;
        else
            n_named += is_unread_core(&job->processes[i]);
    qsort(ranks, n_ranks, sizeof *ranks, compare_int32);
    for (size_t i = 1; i < n_ranks; i++)
        repeat |= ranks[i] == ranks[i - 1];
    free(ranks);
    return repeat || n_ranks + n_named < job->n_processes || n_ranks == 0;
}

bool
job_index_is_by_index(const struct document *document)
{
    struct job_index job = {.document = document};
    load_processes(&job);
    bool by_index = ranks_repeat(&job);
    job_index_deinit(&job);
    return by_index;
}

void
job_index_init_comms(struct job_index *job, const struct document *document)
{
    *job = (struct job_index){.document = document};
    load_processes(job);
    job_index_load_comms(job);
}

/** Whether a rank still runs another program than one in MPI_Init, without an MPI library: what is
 * to start its own one. */
static bool
is_in_wrapper(const struct process_entry *process, const struct process_entry *other)
{
    const struct report *report = process->report;
    return process->phase == mqs_phase_unknown && process->rank != NOBODY &&
           HAS(report, PROCESS_THREADS) && report->threads.count > 0 && !HAS(report, PROCESS_MPI) &&
           report->comms.count == 0 && report->image && other->report->image &&
           strcmp(report->image, other->report->image) != 0;
}

/** A process that does not use MPI has not begun while others are in MPI_Init, which wait for it;
 * otherwise, where others have it in their communicators, it has ended. */
static void
settle_phases(struct job_index *job)
{
    const uint32_t *first = job->of_process.first;
    const struct process_entry **begins = alloc_zeroed(job->worlds.count, sizeof *begins);
    for (size_t i = 0; i < job->n_processes; i++)
        if (job->processes[i].phase == mqs_phase_in_init)
            begins[job->processes[i].world] = &job->processes[i];
    for (size_t i = 0; i < job->n_processes; i++) {
        struct process_entry *process = &job->processes[i];
        const struct process_entry *other = begins[process->world];
        if (process->phase == mqs_phase_not_in_use || (other && is_in_wrapper(process, other)))
            process->phase = other                     ? mqs_phase_before_init
                             : first[i + 1] > first[i] ? mqs_phase_finalized
                                                       : mqs_phase_not_in_use;
    }
    free(begins);
}

static bool
is_plain(const struct report *report)
{
    return HAS(report, PROCESS_OPENMP) && !report->has_mpi && report->rank < 0;
}

void
job_index_init(struct job_index *job, const struct document *document)
{
    job_index_init_comms(job, document);
    by_key_init(&job->of_process, job->members, sizeof *job->members,
                offsetof(struct job_member, process), job->n_members, job->n_processes);
    job->by_index = ranks_repeat(job);
    job->is_plain = job->n_processes > 0;
    for (size_t i = 0; i < job->n_processes; i++)
        job->is_plain &= is_plain(job->processes[i].report);
    for (size_t i = 0; i < job->n_processes; i++)
        job->processes[i].label = job->by_index ? (int32_t) i : job->processes[i].rank;
    sort_pids(job);
    load_ops(job);
    for (uint32_t i = 0; i < job->n_processes; i++)
        load_threads(job, i);
    settle_phases(job);
}

void
job_index_deinit(struct job_index *job)
{
    for (size_t i = 0; i < job->n_unseen; i++)
        free(job->unseen[i]);
    free(job->unseen);
    free(job->processes);
    free(job->threads);
    free(job->comms);
    free(job->members);
    free(job->ops);
    by_key_deinit(&job->of_process);
    free(job->places);
    free(job->by_pid);
    intern_deinit(&job->worlds);
    intern_deinit(&job->keys);
}

void
job_index_unseen(struct job_index *job, char *words)
{
    for (size_t i = 0; i < job->n_unseen; i++) {
        if (strcmp(job->unseen[i], words) == 0) {
            free(words);
            return;
        }
    }
    *ALLOC_ADD(job->unseen, job->n_unseen, job->unseen_capacity) = words;
}

static int
compare_local_ranks(const void *left, const void *right)
{
    const struct job_member *a = left, *b = right;
    return COMPARE({a->local_rank, b->local_rank});
}

const struct job_member *
job_index_member(const struct job_index *job, int32_t comm, int64_t local_rank)
{
    if (comm == NOBODY || local_rank < 0)
        return NULL;
    const struct job_comm *of = &job->comms[comm];
    const struct job_member *members = &job->members[of->first_member],
                            key = {.local_rank = local_rank};
    size_t at = search_first(&key, members, of->n_members, sizeof key, compare_local_ranks);
    return at < of->n_members && members[at].local_rank == local_rank ? &members[at] : NULL;
}

bool
job_index_knows_queue(const struct job_member *member, enum job_queue queue)
{
    return member->record && communicator_has_whole_queue(member->record, job_index_class(queue));
}

bool
job_index_has_queue(const struct process_entry *process, enum job_queue queue)
{
    for (size_t i = 0; i < process->report->comms.count; i++)
        if (!communicator_has_whole_queue(&process->report->comms.items[i], job_index_class(queue)))
            return false;
    return process->report->comms.count > 0;
}

int64_t
job_index_not_seen(const struct job_comm *comm)
{
    int64_t left = comm->size - comm->n_members;
    return left > 0 ? left : 0;
}

const char *
job_index_comm_name(const struct job_comm *comm)
{
    const char *text = comm->label ? comm->label : comm->name;
    return text && *text != '\0' ? text : "(no name)";
}
