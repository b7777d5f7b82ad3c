// SPDX-License-Identifier: BSD-3-Clause
// The verdict about a document.
#include "mqshow/verdict/cause.h"
#include "mqshow/verdict/verdict.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/search.h"
#include "mqshow/base/escape.h"

#include <stdlib.h>
#include <string.h>

const char *
verdict_kind_name(enum verdict_kind kind)
{
    static const char *const names[] = {[VERDICT_DEADLOCK] = "deadlock",
                                        [VERDICT_UNLESS] = "deadlock unless",
                                        [VERDICT_HANG] = "hang",
                                        [VERDICT_NONE_SEEN] = "no deadlock seen",
                                        [VERDICT_UNKNOWN] = "unknown"};
    return names[kind];
}

const char *
verdict_noun(const struct verdict *verdict)
{
    return verdict->job.by_index ? "process" : "rank";
}

int32_t *
verdict_labels(const struct verdict *verdict, const uint32_t *processes, size_t count,
               size_t *ret_count)
{
    int32_t *labels = alloc_zeroed(count, sizeof *labels);
    *ret_count = 0;
    for (size_t i = 0; i < count; i++)
        if (verdict->job.processes[processes[i]].label != NOBODY)
            labels[(*ret_count)++] = verdict->job.processes[processes[i]].label;
    qsort(labels, *ret_count, sizeof *labels, compare_int32);
    return labels;
}

void
verdict_add_process(const struct verdict *verdict, struct strbuf *words, uint32_t process)
{
    const struct process_entry *of = &verdict->job.processes[process];
    if (of->label != NOBODY)
        strbuf_add(words, "%s %d", verdict_noun(verdict), of->label);
    else
        strbuf_add(words, "%s", base_name(of->report->core));
}

void
verdict_add_cores(const struct verdict *verdict, struct strbuf *words, const uint32_t *processes,
                  size_t count, const char *before)
{
    enum { CORES_SHOWN = 4 };
    size_t shown = 0;
    for (size_t i = 0; i < count; i++) {
        if (verdict->job.processes[processes[i]].label != NOBODY || shown++ > CORES_SHOWN)
            continue;
        strbuf_add(words, "%s", shown > 1 ? ", " : before);
        if (shown > CORES_SHOWN)
            strbuf_add(words, "...");
        else
            verdict_add_process(verdict, words, processes[i]);
    }
}

void
verdict_add_list(const struct verdict *verdict, struct strbuf *words, const uint32_t *processes,
                 size_t count, size_t max,
                 void (*add)(struct strbuf *, const int32_t *, size_t, size_t))
{
    size_t n_labels;
    int32_t *labels = verdict_labels(verdict, processes, count, &n_labels);
    const char *noun = verdict_noun(verdict);
    if (n_labels == 1)
        strbuf_add(words, "%s %d", noun, labels[0]);
    else if (n_labels > 1)
        strbuf_add(words, "%s%s ", noun, verdict->job.by_index ? "es" : "s");
    if (n_labels > 1)
        add(words, labels, n_labels, max);
    verdict_add_cores(verdict, words, processes, count, n_labels > 0 ? ", " : "");
    free(labels);
}

void
verdict_add_ranks(const struct verdict *verdict, struct strbuf *words, const uint32_t *processes,
                  size_t count)
{
    enum { RUNS_SHOWN = 12 };
    verdict_add_list(verdict, words, processes, count, RUNS_SHOWN, strbuf_add_ranges);
}

int32_t
verdict_main_thread(const struct verdict *verdict, uint32_t process)
{
    // In this order, what a thread does says most about its process.
    static const enum doing order[] = {DOING_MESSAGES, DOING_COLLECTIVE, DOING_OUTSIDE,
                                       DOING_UNKNOWN,  DOING_WORK,       DOING_REST,
                                       DOING_LOCK,     DOING_TASKS,      DOING_BARRIER};
    const struct process_entry *of = &verdict->job.processes[process];
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        for (uint32_t k = of->first_thread; k < of->first_thread + of->n_threads; k++)
            if (verdict->waits.activities[k].doing == order[i])
                return (int32_t) k;
    return NOBODY;
}

char *
verdict_thread_text(const struct verdict *verdict, int32_t thread)
{
    struct strbuf words = {.text = NULL};
    if (thread != NOBODY)
        verdict_add_thread(verdict, &words, (uint32_t) thread);
    return strbuf_take(&words);
}

uint32_t *
verdict_select(const struct verdict *verdict, verdict_property_ft holds, size_t *ret_count)
{
    uint32_t *processes = alloc_zeroed(verdict->job.n_processes, sizeof *processes);
    *ret_count = 0;
    for (uint32_t i = 0; i < verdict->job.n_processes; i++)
        if (holds(verdict, i))
            processes[(*ret_count)++] = i;
    return processes;
}

bool
verdict_is_live(const struct verdict *verdict, uint32_t process)
{
    const struct process_entry *of = &verdict->job.processes[process];
    return (of->moved || verdict->acting[process] != NOBODY) && !job_index_is_halted(of);
}

bool
verdict_is_locked(const struct verdict *verdict, uint32_t process)
{
    const struct process_entry *of = &verdict->job.processes[process];
    bool locked = false;
    for (uint32_t k = of->first_thread; k < of->first_thread + of->n_threads; k++)
        locked |= verdict->waits.activities[k].doing == DOING_LOCK ||
                  verdict->waits.activities[k].doing == DOING_TASKS;
    return locked && verdict->waits.graph.nodes[process].state == NODE_UNKNOWN;
}

bool
verdict_is_waiting(const struct verdict *verdict, uint32_t process)
{
    const struct graph *graph = &verdict->waits.graph;
    const struct node *node = &graph->nodes[process];
    bool acts = verdict->acting[process] != NOBODY; // whatever the others do
    for (uint32_t i = node->first; i < node->first + node->count; i++) {
        enum node_state state = (enum node_state) graph->nodes[graph->edges[i].to].state;
        acts |= state == NODE_RUNNABLE || state == NODE_UNKNOWN;
    }
    return !acts && node->state == NODE_WAITS && node->count > 0;
}

bool
verdict_is_blocked(const struct verdict *verdict, uint32_t process)
{
    return verdict->waits.blocked[process] &&
           !job_index_is_halted(&verdict->job.processes[process]);
}

bool
verdict_somebody_waits(const struct verdict *verdict)
{
    for (uint32_t i = 0; i < verdict->job.n_threads; i++) {
        const struct thread_activity *activity = &verdict->waits.activities[i];
        if (activity->doing == DOING_MESSAGES || activity->doing == DOING_COLLECTIVE ||
            activity->doing == DOING_OUTSIDE ||
            (thread_waits_inside(activity) && !activity->guessed))
            return true;
    }
    return verdict->n_waiting > 0;
}

bool
verdict_nobody_works(const struct verdict *verdict)
{
    size_t n_live;
    free(verdict_select(verdict, verdict_is_live, &n_live));
    return n_live == 0;
}

static bool
has_unseen_wait(const struct verdict *verdict)
{
    for (uint32_t i = 0; i < verdict->job.n_threads; i++)
        if (verdict->waits.activities[i].doing == DOING_MESSAGES &&
            waits_thread(&verdict->waits, i)->state == NODE_UNKNOWN)
            return true;
    return false;
}

bool
verdict_has_unknowns(const struct verdict *verdict)
{
    return verdict->kind == VERDICT_UNKNOWN && !verdict->is_partial &&
           (verdict->n_waiting_if_unknown > 0 ||
            (verdict->job.n_unseen > 0 && !verdict->job.is_plain));
}

bool
verdict_wants_samples(const struct verdict *verdict)
{
    return (verdict->kind == VERDICT_NONE_SEEN && verdict_nobody_works(verdict)) ||
           verdict->kind == VERDICT_HANG || verdict->may_last || has_unseen_wait(verdict);
}

static size_t
count_blocked(const struct verdict *verdict)
{
    size_t count = 0;
    for (size_t i = 0; i < verdict->job.n_processes; i++)
        count += verdict->waits.blocked[i];
    return count;
}

// What could not be seen, and weakens the verdict.

/** Says which members of a communicator were not read. */
static void
explain_members(struct verdict *verdict, uint32_t number)
{
    enum { RANKS_SHOWN = 1000, RUNS_SHOWN = 8 };
    struct job_index *job = &verdict->job;
    const struct job_comm *comm = &job->comms[number];
    int64_t left = job_index_not_seen(comm);
    int32_t ranks[RANKS_SHOWN];
    size_t count = 0;
    if (left == 0 || !comm->name || strcmp(comm->name, "MPI_COMM_WORLD") != 0)
        return;
    for (int64_t i = 0; i < comm->size && count < RANKS_SHOWN; i++)
        if (!job_index_member(job, (int32_t) number, i))
            ranks[count++] = (int32_t) i;
    struct strbuf words = {.text = NULL};
    verdict->is_partial = true;
    strbuf_add(&words, "%lld of the %lld ranks of MPI_COMM_WORLD: ", (long long) left,
               (long long) comm->size);
    strbuf_add_ranges(&words, ranks, count, RUNS_SHOWN);
    job_index_unseen(job, strbuf_take(&words));
}

/** What may be missing of a process or its threads, in this order; a bit for each. What lacks the
 * library or all queues is reported as that. */
enum {
    LACKS_REQUESTS = 7,
    LACKS_OTHERS,
    LACKS_CALL,
    LACKS_CONNECTION,
    LACKS_ACCEPTANCE,
    LACKS_RANKS,
    LACKS_THREAD // the last one
};

static const char *const lacking_words[] = {
    "what the threads do in",
    "the rank of",
    "the MPI library of",
    "the queues of",
    "the receives of",
    "the unexpected messages of",
    "the sends of",
    [LACKS_REQUESTS] = "which of the pending operations are waited for in",
    [LACKS_OTHERS] = "which other operations may end the wait in",
    [LACKS_CALL] = "what is waited for in",
    [LACKS_CONNECTION] = "who connects to the port of",
    [LACKS_ACCEPTANCE] = "who accepts the connection of",
    [LACKS_RANKS] = "who takes part in the call of",
    [LACKS_THREAD] = "who ends the wait for another thread in",
};

/** Whether there is an OpenMP thread in a region of which it is not known what it does. */
static bool
has_unseen_threads(const struct verdict *verdict, const struct process_entry *process)
{
    size_t seen = 0, in_regions = 0;
    for (uint32_t i = process->first_thread; i < process->first_thread + process->n_threads; i++)
        seen += verdict->job.threads[i].openmp && !openmp_is_idle(verdict->job.threads[i].openmp);
    for (size_t i = 0; i < process->report->omp.n_threads; i++)
        in_regions += !openmp_is_idle(&process->report->omp.threads[i]);
    return seen < in_regions;
}

static unsigned
what_lacks(const struct verdict *verdict, const struct process_entry *process)
{
    if (verdict->job.is_plain)
        return (unsigned) (!process->has_threads || has_unseen_threads(verdict, process));
    bool library = HAS(process->report, PROCESS_MPI) || process->report->comms.count > 0;
    if (!library && process->report->ranks_of)
        return (unsigned) !process->has_threads | (unsigned) cause_waits_for_ranks(verdict, process)
                                                      << LACKS_RANKS;
    unsigned queues = 0; // that are not known
    for (unsigned i = 0; i < JOB_QUEUES; i++)
        queues |= (unsigned) !job_index_has_queue(process, i) << i;
    bool none = queues == (1 << JOB_QUEUES) - 1;
    return (unsigned) !process->has_threads | (unsigned) (process->rank == NOBODY) << 1 |
           (unsigned) !library << 2 | (unsigned) (none && library) << 3 | (none ? 0 : queues) << 4;
}

/** Which bit says what is not known of the wait of a thread: a process of any job may meet it at a
 * port. */
static unsigned
lacking_partner(const struct verdict *verdict, const struct job_thread *thread)
{
    if (thread_waits_for_ranks(thread) && verdict->job.processes[thread->process].report->ranks_of)
        return LACKS_RANKS;
    if (!thread->call || !thread->record->port)
        return LACKS_CALL;
    return strcmp(thread->call, "MPI_Comm_connect") == 0 ? LACKS_ACCEPTANCE : LACKS_CONNECTION;
}

/** Likewise of a thread: it may go on by something that is in no queue, too. */
static unsigned
what_thread_lacks(const struct verdict *verdict, uint32_t thread)
{
    const struct node *node = waits_thread(&verdict->waits, thread);
    bool others_too = verdict->job.threads[thread].record->awaits.others_too;
    return (unsigned) (node->any && node->perhaps_all && node->count > 1) << LACKS_REQUESTS |
           (unsigned) (others_too && node->any) << LACKS_OTHERS |
           (unsigned) (node->state == NODE_UNKNOWN)
               << lacking_partner(verdict, &verdict->job.threads[thread]);
}

/** What is not known of a process, where that matters: what moves goes on all the same. */
static unsigned
what_matters(const struct verdict *verdict, uint32_t number)
{
    const struct process_entry *process = &verdict->job.processes[number];
    bool moves = process->moved || process->phase != mqs_phase_unknown;
    unsigned lacks = moves || job_index_is_halted(process) ? 0 : what_lacks(verdict, process);
    if (verdict->n_waiting_if_unknown == 0)
        return lacks;
    for (uint32_t i = 0; i < process->n_threads; i++)
        lacks |= what_thread_lacks(verdict, process->first_thread + i);
    return lacks | (unsigned) verdict_is_locked(verdict, number) << LACKS_THREAD;
}

/** The call that all threads are in of which it is not known what they wait for; NULL: there are
 * several, or it has no name. */
static const char *
common_call(const struct verdict *verdict)
{
    const char *call = NULL;
    for (uint32_t i = 0; i < verdict->job.n_threads; i++) {
        const struct job_thread *thread = &verdict->job.threads[i];
        if (waits_thread(&verdict->waits, i)->state != NODE_UNKNOWN)
            continue;
        if (!thread->call || (call && strcmp(call, thread->call) != 0))
            return NULL;
        call = thread->call;
    }
    return call;
}

static void
explain_unseen(struct verdict *verdict)
{
    struct job_index *job = &verdict->job;
    const char *call = common_call(verdict);
    uint32_t *lacking = alloc_zeroed(job->n_processes, sizeof *lacking);
    unsigned *lacks = alloc_zeroed(job->n_processes, sizeof *lacks);
    for (uint32_t i = 0; i < job->n_comms; i++)
        explain_members(verdict, i);
    for (uint32_t i = 0; i < job->n_processes; i++)
        lacks[i] = what_matters(verdict, i);
    for (unsigned bit = 0; bit <= LACKS_THREAD; bit++) {
        struct strbuf words = {.text = NULL};
        size_t count = 0;
        for (uint32_t i = 0; i < job->n_processes; i++)
            if ((lacks[i] >> bit & 1) != 0)
                lacking[count++] = i;
        if (count == 0)
            continue;
        if (verdict->job.is_plain && job->n_processes == 1) {
            job_index_unseen(job, alloc_text(bit == LACKS_THREAD ? "who ends the wait of threads"
                                             : bit == LACKS_CALL ? "what some threads wait for"
                                                                 : "what some threads do"));
            continue;
        }
        if (bit == LACKS_CALL && call)
            strbuf_add(&words, "what %s waits for in ", call);
        else
            strbuf_add(&words, "%s ", lacking_words[bit]);
        verdict_add_ranks(verdict, &words, lacking, count);
        job_index_unseen(job, strbuf_take(&words));
    }
    free(lacking);
    free(lacks);
}

/** Whether a node is of the inside of a process, or of a thread that waits there. */
static bool
is_inside(const struct verdict *verdict, const struct node *node, uint32_t process)
{
    if (node->what == WHAT_THREAD)
        return verdict->job.threads[node->number].process == process &&
               thread_waits_inside(&verdict->waits.activities[node->number]);
    return node->what == WHAT_INSIDE || node->what == WHAT_REGION || node->what == WHAT_HOLDER;
}

/** A thread that goes on by itself, of those that act for a process, or that these wait for in it:
 * one that computes rather than one that rests. @param stack room for all nodes
 * @param seen by node: the process, counted from 1, that was followed there last */
static int32_t
find_acting(const struct verdict *verdict, uint32_t process, uint32_t *stack, uint32_t *seen)
{
    const struct graph *graph = &verdict->waits.graph;
    int32_t found = NOBODY;
    size_t count = 0;
    stack[count++] = process;
    while (count > 0) {
        const struct node *node = &graph->nodes[stack[--count]];
        for (uint32_t i = node->first; i < node->first + node->count; i++) {
            uint32_t to = graph->edges[i].to, thread = graph->nodes[to].number;
            if (seen[to] == process + 1)
                continue;
            seen[to] = process + 1;
            if (is_inside(verdict, &graph->nodes[to], process))
                stack[count++] = to;
            else if (graph->nodes[to].what == WHAT_THREAD &&
                     graph->nodes[to].state == NODE_RUNNABLE &&
                     (found == NOBODY || verdict->waits.activities[thread].doing == DOING_WORK))
                found = (int32_t) thread;
        }
    }
    return found;
}

static void
find_all_acting(struct verdict *verdict)
{
    size_t n_nodes = verdict->waits.graph.n_nodes;
    uint32_t *stack = alloc_zeroed(n_nodes, sizeof *stack),
             *seen = alloc_zeroed(n_nodes, sizeof *seen);
    verdict->acting = alloc_zeroed(verdict->job.n_processes, sizeof *verdict->acting);
    for (uint32_t i = 0; i < verdict->job.n_processes; i++)
        verdict->acting[i] = find_acting(verdict, i, stack, seen);
    free(stack);
    free(seen);
}

static void
reduce(struct verdict *verdict, unsigned goes_on)
{
    verdict->waits.goes_on = goes_on;
    graph_reduce(&verdict->waits.graph, goes_on, NULL, verdict->waits.blocked);
}

/** Where there are no knots, those that there are if threads that rest do nothing. */
static void
find_knots_but_for_rests(struct verdict *verdict)
{
    if (verdict->knots.count > 0)
        return;
    reduce(verdict, GOES_ON_UNKNOWN);
    knots_init(&verdict->knots, &verdict->waits);
    verdict->is_conditional = verdict->knots.count > 0;
    if (!verdict->is_conditional)
        reduce(verdict, GOES_ON_UNKNOWN | GOES_ON_RESTS);
}

void
verdict_init(struct verdict *verdict, const struct document *document)
{
    *verdict = (struct verdict){.text = NULL};
    job_index_init(&verdict->job, document);
    match_all(&verdict->job);
    near_init(&verdict->near, &verdict->job);
    waits_init(&verdict->waits, &verdict->job);
    find_all_acting(verdict);
    free(verdict_select(verdict, verdict_is_waiting, &verdict->n_waiting));
    verdict_group(verdict);
    reduce(verdict, GOES_ON_RESTS);
    verdict->n_waiting_if_unknown = count_blocked(verdict);
    reduce(verdict, GOES_ON_UNKNOWN | GOES_ON_RESTS);
    verdict->n_waiting_if_unknown -= count_blocked(verdict);
    knots_init(&verdict->knots, &verdict->waits);
    find_knots_but_for_rests(verdict);
    explain_unseen(verdict);
    verdict_judge(verdict);
}

void
verdict_deinit(struct verdict *verdict)
{
    near_deinit(&verdict->near);
    knots_deinit(&verdict->knots);
    waits_deinit(&verdict->waits);
    job_index_deinit(&verdict->job);
    intern_deinit(&verdict->situations);
    free(verdict->groups);
    by_key_deinit(&verdict->in_groups);
    for (size_t i = 0; i < verdict->n_facts; i++)
        free(verdict->facts[i]);
    free(verdict->facts);
    free(verdict->cause.processes);
    free(verdict->resting);
    free(verdict->acting);
    free(verdict->text);
}
