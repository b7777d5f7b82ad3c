// SPDX-License-Identifier: BSD-3-Clause
// The verdict about a document.
#include "mqshow/verdict/verdict.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/search.h"
#include "mqshow/verdict/match.h"
#include "mqshow/base/member.h"

#include <stdlib.h>

const char *
verdict_kind_name(enum verdict_kind kind)
{
    static const char *const names[] = {[VERDICT_DEADLOCK] = "deadlock",
                                        [VERDICT_HANG] = "hang",
                                        [VERDICT_NONE_SEEN] = "no deadlock seen",
                                        [VERDICT_UNKNOWN] = "unknown"};
    return names[kind];
}

const char *
verdict_noun(const struct verdict *verdict)
{
    return verdict->view.by_index ? "process" : "rank";
}

int32_t *
verdict_labels(const struct verdict *verdict, const uint32_t *processes, size_t count,
               size_t *ret_count)
{
    int32_t *labels = alloc_zeroed(count, sizeof *labels);
    *ret_count = 0;
    for (size_t i = 0; i < count; i++)
        if (verdict->view.processes[processes[i]].label != NOBODY)
            labels[(*ret_count)++] = verdict->view.processes[processes[i]].label;
    qsort(labels, *ret_count, sizeof *labels, compare_int32);
    return labels;
}

void
verdict_add_process(const struct verdict *verdict, struct strbuf *words, uint32_t process)
{
    const struct jv_process *of = &verdict->view.processes[process];
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
        if (verdict->view.processes[processes[i]].label != NOBODY || shown++ > CORES_SHOWN)
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
        strbuf_add(words, "%s%s ", noun, verdict->view.by_index ? "es" : "s");
    if (n_labels > 1)
        add(words, labels, n_labels, max);
    verdict_add_cores(verdict, words, processes, count, n_labels > 0 ? ", " : "");
    free(labels);
}

void
verdict_add_ranks(const struct verdict *verdict, struct strbuf *words, const uint32_t *processes,
                  size_t count)
{
    enum { RUNS_TOLD = 12 };
    verdict_add_list(verdict, words, processes, count, RUNS_TOLD, strbuf_add_ranges);
}

int32_t
verdict_main_thread(const struct verdict *verdict, uint32_t process)
{
    // In this order, what a thread does says most about its process.
    static const enum doing order[] = {DOING_MESSAGES, DOING_COLLECTIVE, DOING_UNKNOWN,
                                       DOING_WORK,     DOING_LOCK,       DOING_BARRIER};
    const struct jv_process *of = &verdict->view.processes[process];
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        for (uint32_t k = of->first_thread; k < of->first_thread + of->n_threads; k++)
            if (verdict->waits.situations[k].doing == order[i])
                return (int32_t) k;
    return NOBODY;
}

char *
verdict_thread_words(const struct verdict *verdict, int32_t thread)
{
    struct strbuf words = {.text = NULL};
    if (thread != NOBODY)
        verdict_add_thread(verdict, &words, (uint32_t) thread);
    return strbuf_take(&words);
}

uint32_t *
verdict_live(const struct verdict *verdict, size_t *ret_count)
{
    const struct jobview *view = &verdict->view;
    uint32_t *live = alloc_zeroed(view->n_processes, sizeof *live);
    *ret_count = 0;
    for (uint32_t i = 0; i < view->n_processes; i++) {
        const struct jv_process *process = &view->processes[i];
        bool works = process->moved;
        if (jobview_is_halted(process))
            continue;
        for (uint32_t k = 0; k < process->n_threads; k++)
            works |= verdict->waits.situations[process->first_thread + k].doing == DOING_WORK;
        if (works)
            live[(*ret_count)++] = i;
    }
    return live;
}

uint32_t *
verdict_locked(const struct verdict *verdict, size_t *ret_count)
{
    const struct jobview *view = &verdict->view;
    uint32_t *locked = alloc_zeroed(view->n_processes, sizeof *locked);
    *ret_count = 0;
    for (uint32_t i = 0; i < view->n_threads; i++) {
        uint32_t process = view->threads[i].process;
        if (verdict->waits.graph.nodes[process].state == NODE_DOUBTS &&
            verdict->waits.situations[i].doing == DOING_LOCK &&
            (*ret_count == 0 || locked[*ret_count - 1] != process))
            locked[(*ret_count)++] = process;
    }
    return locked;
}

bool
verdict_nobody_works(const struct verdict *verdict)
{
    size_t n_live;
    free(verdict_live(verdict, &n_live));
    return n_live == 0;
}

static bool
has_unseen_wait(const struct verdict *verdict)
{
    for (uint32_t i = 0; i < verdict->view.n_threads; i++)
        if (verdict->waits.situations[i].doing == DOING_MESSAGES &&
            waits_thread(&verdict->waits, i)->state == NODE_DOUBTS)
            return true;
    return false;
}

bool
verdict_has_doubts(const struct verdict *verdict)
{
    return verdict->kind == VERDICT_UNKNOWN && !verdict->is_partial &&
           (verdict->n_not_by_doubt > 0 || verdict->view.n_unseen > 0);
}

bool
verdict_wants_looks(const struct verdict *verdict)
{
    return (verdict->kind == VERDICT_NONE_SEEN && verdict_nobody_works(verdict)) ||
           verdict->kind == VERDICT_HANG || verdict->may_last || has_unseen_wait(verdict);
}

uint32_t *
verdict_waiting(const struct verdict *verdict, size_t *ret_count)
{
    const struct jobview *view = &verdict->view;
    const struct graph *graph = &verdict->waits.graph;
    uint32_t *waiting = alloc_zeroed(view->n_processes, sizeof *waiting);
    uint8_t *acts = alloc_zeroed(view->n_processes, 1);
    // What a process needs, when no other does anything.
    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        const struct node *node = &graph->nodes[i];
        if (node->what == WHAT_THREAD && node->state != NODE_WAITS)
            acts[view->threads[node->number].process] = 1;
    }
    *ret_count = 0;
    for (uint32_t i = 0; i < view->n_processes; i++)
        if (!acts[i] && graph->nodes[i].state == NODE_WAITS && graph->nodes[i].count > 0)
            waiting[(*ret_count)++] = i;
    free(acts);
    return waiting;
}

uint32_t *
verdict_blocked(const struct verdict *verdict, size_t *ret_count)
{
    const struct jobview *view = &verdict->view;
    uint32_t *blocked = alloc_zeroed(view->n_processes, sizeof *blocked);
    *ret_count = 0;
    for (uint32_t i = 0; i < view->n_processes; i++)
        if (verdict->waits.graph.nodes[i].blocked && !jobview_is_halted(&view->processes[i]))
            blocked[(*ret_count)++] = i;
    return blocked;
}

bool
verdict_is_awaited(const struct verdict *verdict, uint32_t op)
{
    return verdict->awaited[op];
}

static void
index_awaited(struct verdict *verdict)
{
    verdict->awaited = alloc_zeroed(verdict->view.n_ops, sizeof *verdict->awaited);
    for (size_t i = 0; i < verdict->waits.n_awaited; i++)
        verdict->awaited[verdict->waits.awaited[i].op] = true;
}

static void
index_entries(struct verdict *verdict)
{
    const struct collectives *collectives = &verdict->waits.collectives;
    verdict->entries = alloc_zeroed(verdict->view.n_threads, sizeof(struct entry *));
    for (size_t i = 0; i < collectives->n_entries; i++) {
        const struct entry *entry = &collectives->entries[i];
        if (entry->certain && entry->thread != NOBODY)
            verdict->entries[entry->thread] = entry;
    }
}

const struct entry *
verdict_entry(const struct verdict *verdict, int32_t thread)
{
    return thread != NOBODY ? verdict->entries[thread] : NULL;
}

static size_t
count_blocked(const struct verdict *verdict)
{
    size_t count = 0;
    for (size_t i = 0; i < verdict->view.n_processes; i++)
        count += verdict->waits.graph.nodes[i].blocked;
    return count;
}

void
verdict_init(struct verdict *verdict, const struct document *document)
{
    struct channels channels;
    *verdict = (struct verdict){.text = NULL};
    jobview_init(&verdict->view, document);
    channels_init(&channels, &verdict->view);
    match_all(&verdict->view, &channels);
    channels_deinit(&channels);
    waits_init(&verdict->waits, &verdict->view);
    index_entries(verdict);
    index_awaited(verdict);
    free(verdict_waiting(verdict, &verdict->n_waiting));
    verdict_group(verdict);
    graph_reduce(&verdict->waits.graph, false);
    verdict->n_not_by_doubt = count_blocked(verdict);
    graph_reduce(&verdict->waits.graph, true);
    verdict->n_not_by_doubt -= count_blocked(verdict);
    knots_init(&verdict->knots, &verdict->waits);
    verdict_tell_unseen(verdict);
    verdict_judge(verdict);
}

void
verdict_deinit(struct verdict *verdict)
{
    free(verdict->entries);
    free(verdict->awaited);
    knots_deinit(&verdict->knots);
    waits_deinit(&verdict->waits);
    jobview_deinit(&verdict->view);
    intern_deinit(&verdict->situations);
    free(verdict->groups);
    free(verdict->in_groups);
    for (size_t i = 0; i < verdict->n_facts; i++)
        free(verdict->facts[i]);
    free(verdict->facts);
    free(verdict->cause.processes);
    free(verdict->text);
}
