// SPDX-License-Identifier: BSD-3-Clause
// The knots in words.
#include "tools/alloc.h"
#include "tools/verdict/verdict.h"

#include <stdlib.h>
#include <string.h>

enum { CYCLE_TOLD = 16, KNOTS_TOLD = 3, CALLS_TOLD = 4 };

/** The processes of a cycle in its order, to free(). */
static uint32_t *
processes_of(const struct graph *graph, const struct knot *knot, size_t *ret_count)
{
    uint32_t *processes = alloc_zeroed(knot->n_cycle, sizeof *processes);
    *ret_count = 0;
    for (size_t i = 0; i < knot->n_cycle; i++)
        if (graph->nodes[knot->cycle[i]].what == WHAT_PROCESS)
            processes[(*ret_count)++] = graph->nodes[knot->cycle[i]].number;
    return processes;
}

/** The thread through which the cycle goes in its process; NOBODY: not known. */
static int32_t
thread_in(const struct verdict *verdict, const struct knot *knot, uint32_t process)
{
    for (size_t i = 0; i < knot->n_cycle; i++) {
        const struct node *node = &verdict->waits.graph.nodes[knot->cycle[i]];
        if (node->what == WHAT_THREAD && verdict->view.threads[node->number].process == process)
            return (int32_t) node->number;
    }
    return NOBODY;
}

/** "each in MPI_Send in ring at ring.c:17", or each of them when they differ. */
static void
add_calls(const struct verdict *verdict, struct words *words, const struct knot *knot,
          const uint32_t *processes, size_t count)
{
    char *texts[CALLS_TOLD] = {NULL};
    size_t told = count < CALLS_TOLD ? count : CALLS_TOLD;
    bool equal = true;
    for (size_t i = 0; i < told; i++) {
        texts[i] = verdict_thread_words(verdict, thread_in(verdict, knot, processes[i]));
        equal &= strcmp(texts[i], texts[0]) == 0;
    }
    for (size_t i = told; i < count && equal; i++) {
        char *text = verdict_thread_words(verdict, thread_in(verdict, knot, processes[i]));
        equal = strcmp(text, texts[0]) == 0;
        free(text);
    }
    if (equal && told > 0 && *texts[0] != '\0')
        words_add(words, count > 1 ? ", each %s%s" : ", %s%s",
                  strncmp(texts[0], "MPI_", 4) == 0 ? "in " : "", texts[0]);
    for (size_t i = 0; i < told; i++) {
        if (!equal && *texts[i] != '\0')
            words_add(words, "%s %d %s%s", i == 0 ? ":" : ",",
                      verdict->view.processes[processes[i]].label,
                      strncmp(texts[i], "MPI_", 4) == 0 ? "in " : "", texts[i]);
        free(texts[i]);
    }
    if (!equal && told < count)
        words_add(words, ", ...");
}

/** What other threads of these processes wait for inside of them. */
static void
add_inside(const struct verdict *verdict, struct words *words, const uint32_t *processes,
           size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct jv_process *process = &verdict->view.processes[processes[i]];
        for (uint32_t k = process->first_thread; k < process->first_thread + process->n_threads;
             k++) {
            enum doing doing = verdict->waits.situations[k].doing;
            if (doing != DOING_LOCK && doing != DOING_BARRIER)
                continue;
            char *text = verdict_thread_words(verdict, (int32_t) k);
            words_add(words, ", while a thread of %s %d %s%s", verdict_noun(verdict),
                      process->label, doing == DOING_BARRIER ? "is " : "", text);
            free(text);
            return; // the others are much the same, and stand in the table
        }
    }
}

static void
add_knot(const struct verdict *verdict, struct words *words, const struct knot *knot)
{
    size_t count;
    const struct jv_process *all = verdict->view.processes;
    uint32_t *processes = processes_of(&verdict->waits.graph, knot, &count);
    if (count == 1) {
        words_add(words, "%s %d waits for itself", verdict_noun(verdict), all[processes[0]].label);
    } else {
        words_add(words, "%s%s ", verdict_noun(verdict), verdict->view.by_index ? "es" : "s");
        for (size_t i = 0; i < count && i < CYCLE_TOLD; i++)
            words_add(words, "%d -> ", all[processes[i]].label);
        if (count > CYCLE_TOLD)
            words_add(words, "... (%zu in all) -> ", count);
        words_add(words, "%d", all[processes[0]].label);
    }
    add_calls(verdict, words, knot, processes, count);
    if (knot->n_processes > count)
        words_add(words, ", and %zu more that wait for them", knot->n_processes - count);
    add_inside(verdict, words, processes, count);
    free(processes);
}

size_t
verdict_tell_knots(const struct verdict *verdict, struct words *words, bool certain)
{
    size_t count = 0;
    for (size_t i = 0; i < verdict->knots.count; i++) {
        const struct knot *knot = &verdict->knots.items[i];
        if (knot->certain != certain || count++ >= KNOTS_TOLD)
            continue;
        words_add(words, "%s%s", words->length > 0 ? "; " : "",
                  count > 1 ? ""
                  : certain ? "DEADLOCK: "
                            : "possible deadlock: ");
        add_knot(verdict, words, knot);
    }
    if (count > KNOTS_TOLD)
        words_add(words, "; and %zu more like these", count - KNOTS_TOLD);
    return count;
}
