// SPDX-License-Identifier: BSD-3-Clause
// Processes that are stopped, held, dead or gone as the cause of what waits for them.
#include "mqshow/verdict/cause.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/mpi_calls.h"
#include "mqshow/base/search.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/** Processes that have the same state as the first one. */
static size_t
keep_alike(const struct verdict *verdict, uint32_t *processes, size_t count)
{
    const struct process_entry *all = verdict->job.processes;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (all[processes[i]].state == all[processes[0]].state)
            processes[kept++] = processes[i];
    return kept;
}

void
verdict_add_state(struct strbuf *words, const struct process_entry *process)
{
    const struct state state = report_state(process->report);
    const char *signal = state_signal_name(state.signal), *tracer = state.tracer_name;
    switch (process->state) {
    case STATE_STOPPED:
        strbuf_add(words, "stopped");
        break;
    case STATE_TRACED:
        strbuf_add(words, "held by %s", tracer ? tracer : "a debugger");
        if (state.tracer > 0)
            strbuf_add(words, " (pid %d)", (int) state.tracer);
        return;
    case STATE_ZOMBIE:
        strbuf_add(words, "dead");
        if (!signal && state.has_exit)
            strbuf_add(words, " (exit status %d)", state.exit);
        break;
    case STATE_GONE:
        strbuf_add(words, "gone");
        break;
    default:
        strbuf_add(words, "past MPI_Finalize");
        return;
    }
    if (signal)
        strbuf_add(words, " (%s)", signal);
}

static const char *
word_of_state(const struct process_entry *process)
{
    static const char *const words[] = {[STATE_STOPPED] = "stopped",
                                        [STATE_TRACED] = "traced",
                                        [STATE_ZOMBIE] = "dead",
                                        [STATE_GONE] = "gone"};
    return process->state >= STATE_STOPPED ? words[process->state]
                                           : phase_name(mqs_phase_finalized);
}

/** The worst state comes first. */
static int
compare_states(const void *left, const void *right, void *data)
{
    const struct process_entry *all = data;
    uint32_t one = *(const uint32_t *) left, other = *(const uint32_t *) right;
    return COMPARE({all[other].state, all[one].state}, {one, other});
}

/** The processes that blocked ones wait for, a mark for each, to free(). */
static bool *
find_needed(const struct verdict *verdict)
{
    const struct graph *graph = &verdict->waits.graph;
    size_t count = verdict->job.n_processes;
    bool *needed = alloc_zeroed(count, sizeof *needed);
    for (size_t i = 0; i < graph->n_edges; i++)
        if (graph->edges[i].to < count && verdict->waits.blocked[graph->edges[i].from])
            needed[graph->edges[i].to] = true;
    return needed;
}

/** The halted processes, the worst first, to free(). @param needed only those of these marks; NULL:
 * all but those that ended well */
static uint32_t *
find_halted(const struct verdict *verdict, const bool *needed, size_t *ret_count)
{
    const struct job_index *job = &verdict->job;
    uint32_t *halted = alloc_zeroed(job->n_processes, sizeof *halted);
    *ret_count = 0;
    for (uint32_t i = 0; i < job->n_processes; i++)
        if (needed ? needed[i] && job_index_is_halted(&job->processes[i])
                   : job->processes[i].state >= STATE_STOPPED)
            halted[(*ret_count)++] = i;
    qsort_r(halted, *ret_count, sizeof *halted, compare_states, job->processes);
    return halted;
}

enum { PRESSURE_SHOWN = 10 }; // percent

void
cause_add_memory(struct verdict *verdict, const uint32_t *processes, size_t count, bool ended)
{
    const char *last = "";
    int64_t of_machine = 0;
    for (size_t i = 0; i < count; i++) {
        const struct process_entry *process = &verdict->job.processes[processes[i]];
        const struct memory_record *memory = &process->report->memory;
        const char *group = memory->group ? memory->group : "?";
        struct strbuf words = {.text = NULL};
        if (HAS(memory, MEMORY_MACHINE) && memory->machine_pressure > of_machine)
            of_machine = memory->machine_pressure;
        bool killed = ended && HAS(memory, MEMORY_OOM_KILLS) &&
                      report_state(process->report).signal == SIGKILL;
        bool waits = !ended && HAS(memory, MEMORY_PRESSURE) && memory->pressure >= PRESSURE_SHOWN;
        if ((!killed && !waits) || strcmp(group, last) == 0)
            continue;
        last = group;
        if (killed)
            strbuf_add(&words,
                       "memory was exhausted: the kernel has killed %" PRId64
                       " process%s of control group %s (oom_kill)",
                       memory->oom_kills, memory->oom_kills == 1 ? "" : "es", group);
        else
            strbuf_add(&words,
                       "memory is short: in %" PRId64 " %% of the last 10 s all processes of "
                       "control group %s waited for it",
                       memory->pressure, group);
        cause_add_fact(verdict, &words);
    }
    struct strbuf words = {.text = NULL};
    if (!ended && !*last && of_machine >= PRESSURE_SHOWN)
        strbuf_add(&words,
                   "memory is short: in %" PRId64 " %% of the last 10 s all processes of the "
                   "machine waited for it",
                   of_machine);
    cause_add_fact(verdict, &words);
}

/** "rank 2 is stopped (SIGSTOP)" and more, as line and cause, or without more as a fact. */
static void
explain_halted(struct verdict *verdict, const uint32_t *halted, size_t count, const char *more,
               bool line)
{
    struct strbuf full = {.text = NULL}, brief = {.text = NULL};
    cause_add_ranks(verdict, &brief, halted, count, "is ", "are ");
    verdict_add_state(&brief, &verdict->job.processes[halted[0]]);
    strbuf_add(&full, "%s%s", brief.text, more);
    if (line) {
        cause_set(verdict, word_of_state(&verdict->job.processes[halted[0]]), halted, count);
        cause_set_line(verdict, &full, &brief);
    } else {
        cause_add_fact(verdict, &brief);
        free(full.text);
    }
    cause_add_memory(verdict, halted, count, true);
}

/** Whether a process waits for others and will not go on, or a thread of it in MPI, whatever its
 * other threads do. */
static bool
is_held_up(const struct verdict *verdict, uint32_t process)
{
    const struct process_entry *of = &verdict->job.processes[process];
    const bool *blocked = verdict->waits.blocked;
    bool ret = blocked[process];
    for (uint32_t i = of->first_thread; i < of->first_thread + of->n_threads; i++)
        ret |= verdict->job.threads[i].call && blocked[verdict->waits.first_thread + i];
    return ret && !job_index_is_halted(of);
}

bool
cause_of_halted(struct verdict *verdict, bool line)
{
    size_t n_all, n_blocked;
    bool *needed = find_needed(verdict);
    uint32_t *halted = find_halted(verdict, needed, &n_all);
    uint32_t *blocked = verdict_select(verdict, is_held_up, &n_blocked);
    bool any = n_all > 0 && n_blocked > 0;
    for (size_t first = 0, count; any && first < n_all; first += count) {
        struct strbuf more = {.text = NULL};
        count = keep_alike(verdict, halted + first, n_all - first);
        strbuf_add(&more, ": ");
        cause_add_waiting(verdict, &more, blocked, n_blocked, count);
        explain_halted(verdict, halted + first, count, more.text, line && first == 0);
        free(more.text);
    }
    free(needed);
    free(halted);
    free(blocked);
    return any;
}

/** Whether there is a process that does not stand still for good. */
static bool
has_others(const struct verdict *verdict)
{
    for (size_t i = 0; i < verdict->job.n_processes; i++)
        if (!job_index_is_halted(&verdict->job.processes[i]))
            return true;
    return false;
}

static bool
is_halted(const struct verdict *verdict, int32_t process)
{
    return process != NOBODY && verdict->job.processes[process].state >= STATE_STOPPED;
}

/** Whether a process waits for a message of a halted one that has left it, as far as is known. */
static bool
awaits_of_halted(const struct verdict *verdict, uint32_t process)
{
    const struct waits *waits = &verdict->waits;
    for (size_t i = waits_of_process(waits, process);
         i < waits->n_awaited && waits->awaited[i].process == process; i++) {
        const struct job_op *op = waits_op(waits, &waits->awaited[i]);
        if (op && op->queue == JOB_RECEIVES && op->match == NOBODY &&
            is_halted(verdict, op->partner))
            return true;
    }
    return false;
}

/** Whether a thread is in a collective that some leave early, and that a halted process is to be in
 * or has been. */
static bool
meets_halted(const struct verdict *verdict, const struct entry *entry)
{
    const struct job_index *job = &verdict->job;
    const struct intern *kinds = &verdict->waits.collectives.kinds;
    if (!entry || !mpi_call_is_one_sided(intern_get_text(kinds, (uint32_t) entry->kind)))
        return false;
    const struct job_comm *comm = &job->comms[entry->comm];
    for (uint32_t i = comm->first_member; i < comm->first_member + comm->n_members; i++)
        if (is_halted(verdict, (int32_t) job->members[i].process))
            return true;
    return false;
}

/** Whether a process may wait for one that is halted, though it is not seen to. */
static bool
may_need_halted(const struct verdict *verdict, uint32_t process)
{
    const struct process_entry *of = &verdict->job.processes[process];
    bool ret = awaits_of_halted(verdict, process);
    for (uint32_t i = of->first_thread; i < of->first_thread + of->n_threads; i++)
        ret |= meets_halted(verdict, verdict->waits.activities[i].entry);
    return ret && !job_index_is_halted(of);
}

bool
cause_of_unneeded(struct verdict *verdict, enum verdict_kind *ret)
{
    size_t n_all, n_needing, count;
    uint32_t *halted = find_halted(verdict, NULL, &n_all);
    uint32_t *needing = verdict_select(verdict, may_need_halted, &n_needing);
    struct strbuf more = {.text = NULL};
    if (n_all > 0) {
        count = keep_alike(verdict, halted, n_all);
        verdict->may_last = n_needing > 0;
        *ret = n_needing > 0 ? VERDICT_UNKNOWN : VERDICT_NONE_SEEN;
        strbuf_add(&more, n_needing > 0         ? "; cannot tell whether "
                          : has_others(verdict) ? "; no deadlock seen of the others"
                                                : "");
        if (n_needing > 0)
            cause_add_waiting(verdict, &more, needing, n_needing, count);
        explain_halted(verdict, halted, count, more.text ? more.text : "", true);
    }
    free(more.text);
    free(needing);
    free(halted);
    return n_all > 0;
}
