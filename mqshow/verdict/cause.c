// SPDX-License-Identifier: BSD-3-Clause
// The first line of the verdict, and what all causes share.
#include "mqshow/verdict/cause.h"

#include "mqshow/base/alloc.h"

#include <stdlib.h>
#include <string.h>

enum { RUNS_SHOWN = 4 };

void
cause_set_line(struct verdict *verdict, struct strbuf *full, struct strbuf *brief)
{
    struct strbuf *chosen = full->length <= LINE_BYTES ? full : brief;
    struct strbuf *other = chosen == full ? brief : full;
    if (chosen->length > LINE_BYTES) {
        size_t end = LINE_BYTES - strlen("...");
        while (end > 0 && (chosen->text[end] & 0xc0) == 0x80) // within a character
            end--;
        strcpy(chosen->text + end, "...");
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
    char *call = collectives_call(&verdict->waits.collectives, item);
    strbuf_add(&words, "all ranks are in %s on %s: do they agree on its arguments?", call,
               jobview_comm_name(&verdict->view.comms[item->comm]));
    cause_add_fact(verdict, &words);
    free(call);
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
    strbuf_add(words, " %s", count == 1 ? one : many);
}

/** Processes that have the same state as the first one. */
static size_t
keep_alike(const struct verdict *verdict, uint32_t *processes, size_t count)
{
    const struct jv_process *all = verdict->view.processes;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (all[processes[i]].state == all[processes[0]].state)
            processes[kept++] = processes[i];
    return kept;
}

void
verdict_add_state(struct strbuf *words, const struct jv_process *process)
{
    const struct state state = report_state(process->report);
    const char *signal = state_signal_name(state.signal), *tracer = state.tracer_name;
    switch (process->state) {
    case STATE_STOPPED:
        strbuf_add(words, "stopped");
        break;
    case STATE_TRACED:
        strbuf_add(words, "held by %s", tracer != NULL ? tracer : "a debugger");
        if (state.tracer > 0)
            strbuf_add(words, " (pid %d)", (int) state.tracer);
        return;
    case STATE_ZOMBIE:
        strbuf_add(words, "dead");
        if (signal == NULL && state.has_exit)
            strbuf_add(words, " (exit status %d)", state.exit);
        break;
    case STATE_GONE:
        strbuf_add(words, "gone");
        break;
    default:
        strbuf_add(words, "past MPI_Finalize");
        return;
    }
    if (signal != NULL)
        strbuf_add(words, " (%s)", signal);
}

static const char *
word_of_state(const struct jv_process *process)
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
    const struct jv_process *all = data;
    uint32_t one = *(const uint32_t *) left, other = *(const uint32_t *) right;
    int order = (all[one].state < all[other].state) - (all[one].state > all[other].state);
    return order != 0 ? order : (one > other) - (one < other);
}

/** The processes that blocked ones wait for, a mark for each, to free(). */
static bool *
find_needed(const struct verdict *verdict)
{
    const struct graph *graph = &verdict->waits.graph;
    size_t count = verdict->view.n_processes;
    bool *needed = alloc_zeroed(count, sizeof *needed);
    for (size_t i = 0; i < graph->n_edges; i++)
        if (graph->edges[i].to < count && graph->nodes[graph->edges[i].from].blocked)
            needed[graph->edges[i].to] = true;
    return needed;
}

/** The halted processes, the worst first, to free(). @param needed only those of these marks; NULL:
 * all but those that ended well */
static uint32_t *
find_halted(const struct verdict *verdict, const bool *needed, size_t *ret_count)
{
    const struct jobview *view = &verdict->view;
    uint32_t *halted = alloc_zeroed(view->n_processes, sizeof *halted);
    *ret_count = 0;
    for (uint32_t i = 0; i < view->n_processes; i++)
        if (needed != NULL ? needed[i] && jobview_is_halted(&view->processes[i])
                           : view->processes[i].state >= STATE_STOPPED)
            halted[(*ret_count)++] = i;
    qsort_r(halted, *ret_count, sizeof *halted, compare_states, view->processes);
    return halted;
}

/** "rank 2 is stopped (SIGSTOP)" and more, as line and cause, or without more as a fact. Empties
 * the words. */
static void
tell_halted(struct verdict *verdict, const uint32_t *halted, size_t count, struct strbuf *more,
            bool line)
{
    struct strbuf full = {.text = NULL}, brief = {.text = NULL};
    char *rest = strbuf_take(more);
    cause_add_ranks(verdict, &brief, halted, count, "is ", "are ");
    verdict_add_state(&brief, &verdict->view.processes[halted[0]]);
    strbuf_add(&full, "%s%s", brief.text, rest);
    free(rest);
    if (line) {
        cause_set(verdict, word_of_state(&verdict->view.processes[halted[0]]), halted, count);
        cause_set_line(verdict, &full, &brief);
    } else {
        cause_add_fact(verdict, &brief);
        free(full.text);
    }
}

bool
cause_of_halted(struct verdict *verdict, bool line)
{
    size_t n_all, n_blocked;
    bool *needed = find_needed(verdict);
    uint32_t *halted = find_halted(verdict, needed, &n_all);
    uint32_t *blocked = verdict_select(verdict, verdict_is_blocked, &n_blocked);
    bool any = n_all > 0 && n_blocked > 0;
    for (size_t first = 0, count; any && first < n_all; first += count) {
        struct strbuf more = {.text = NULL};
        count = keep_alike(verdict, halted + first, n_all - first);
        strbuf_add(&more, ": ");
        cause_add_ranks(verdict, &more, blocked, n_blocked, "waits for ", "wait for ");
        strbuf_add(&more, count == 1 ? "it" : "them");
        tell_halted(verdict, halted + first, count, &more, line && first == 0);
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
    for (size_t i = 0; i < verdict->view.n_processes; i++)
        if (!jobview_is_halted(&verdict->view.processes[i]))
            return true;
    return false;
}

bool
cause_of_unneeded(struct verdict *verdict)
{
    struct strbuf more = {.text = NULL};
    size_t n_all;
    uint32_t *halted = find_halted(verdict, NULL, &n_all);
    strbuf_add(&more, "%s", has_others(verdict) ? "; no deadlock seen of the others" : "");
    if (n_all > 0)
        tell_halted(verdict, halted, keep_alike(verdict, halted, n_all), &more, true);
    free(more.text);
    free(halted);
    return n_all > 0;
}
