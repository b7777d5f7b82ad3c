// SPDX-License-Identifier: BSD-3-Clause
// The verdict in words.
#include "tools/alloc.h"
#include "tools/verdict/verdict.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { CYCLE_TOLD = 16, KNOTS_TOLD = 3, CALLS_TOLD = 4, COLLECTIVES_TOLD = 3, MISSING_TOLD = 3 };

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

static char *
thread_words(const struct verdict *verdict, int32_t thread)
{
    struct words words = {.text = NULL};
    if (thread != NOBODY)
        verdict_add_thread(verdict, &words, (uint32_t) thread);
    return words_take(&words);
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
        texts[i] = thread_words(verdict, thread_in(verdict, knot, processes[i]));
        equal &= strcmp(texts[i], texts[0]) == 0;
    }
    for (size_t i = told; i < count && equal; i++) {
        char *text = thread_words(verdict, thread_in(verdict, knot, processes[i]));
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
            char *text = thread_words(verdict, (int32_t) k);
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

/** Tells the knots that are certain, or those that are not. @return their number */
static size_t
add_knots(const struct verdict *verdict, struct words *words, bool certain)
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

static bool
has_unsettled(const struct verdict *verdict)
{
    for (size_t i = 0; i < verdict->knots.count; i++)
        for (size_t k = 0; k < verdict->knots.items[i].n_processes; k++)
            if (!verdict->view.processes[verdict->knots.items[i].processes[k]].settled)
                return true;
    return false;
}

static bool
are_equal(char *const *texts, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (strcmp(texts[i], texts[0]) != 0)
            return false;
    return true;
}

/** " (it is in compute at solve.c:88)", " (each in MPI_Recv ...)", or one by one. */
static void
add_places(const struct verdict *verdict, struct words *words, const uint32_t *processes,
           size_t count)
{
    char *texts[MISSING_TOLD] = {NULL};
    size_t told = count < MISSING_TOLD ? count : MISSING_TOLD;
    for (size_t i = 0; i < told; i++) {
        char *text = thread_words(verdict, verdict_main_thread(verdict, processes[i]));
        texts[i] = strncmp(text, "MPI_", 4) == 0 ? alloc_format("in %s", text) : alloc_text(text);
        free(text);
    }
    bool equal = count <= MISSING_TOLD && are_equal(texts, told);
    if (equal && *texts[0] != '\0')
        words_add(words, " (%s %s)", count == 1 ? "it is" : "each", texts[0]);
    for (size_t i = 0; i < told; i++) {
        if (!equal)
            words_add(words, "%s%d %s%s", i == 0 ? " (" : ", ",
                      verdict->view.processes[processes[i]].label,
                      *texts[i] != '\0' ? texts[i] : "?",
                      i + 1 < told   ? ""
                      : told < count ? ", ...)"
                                     : ")");
        free(texts[i]);
    }
}

/** Whether several looks saw somebody go on: who has not entered what is then of the past. */
static bool
has_moved(const struct verdict *verdict)
{
    for (size_t i = 0; i < verdict->view.n_processes; i++)
        if (verdict->view.processes[i].moved)
            return true;
    return false;
}

/** "rank 3 has not entered MPI_Barrier on solver (it is in compute at solve.c:88)" */
static void
add_missing(const struct verdict *verdict, struct words *words, const struct collective *item)
{
    const struct collectives *collectives = &verdict->waits.collectives;
    const char *name = collectives_name(collectives, item);
    uint32_t *missing = alloc_zeroed(collectives_members(collectives, item), sizeof *missing);
    size_t count = collectives_missing(collectives, item, missing);
    if (count > 0) {
        words_add(words, "%s", words->length > 0 ? "; " : "");
        verdict_add_ranks(verdict, words, missing, count);
        words_add(words, " %s not entered MPI_%c%s on %s", count == 1 ? "has" : "have",
                  toupper((unsigned char) *name), *name != '\0' ? name + 1 : "",
                  jobview_comm_name(&verdict->view.comms[item->comm]));
        add_places(verdict, words, missing, count);
    }
    free(missing);
}

static bool
has_caller(const struct collectives *collectives, const struct collective *item)
{
    for (uint32_t i = item->first; i < item->first + item->count; i++)
        if (collectives->entries[i].certain)
            return true;
    return false;
}

static void
add_collectives(const struct verdict *verdict, struct words *words)
{
    const struct collectives *collectives = &verdict->waits.collectives;
    size_t max = verdict->kind == VERDICT_DEADLOCK ? COLLECTIVES_TOLD : 1;
    if (verdict->kind == VERDICT_NONE_SEEN && has_moved(verdict))
        return;
    for (size_t i = 0, told = 0; i < collectives->count && told < max; i++) {
        size_t before = words->length;
        if (has_caller(collectives, &collectives->items[i]))
            add_missing(verdict, words, &collectives->items[i]);
        told += words->length > before;
    }
}

/** Who keeps the others from waiting for ever. */
static void
add_live(const struct verdict *verdict, struct words *words)
{
    size_t count;
    uint32_t *live = verdict_live(verdict, &count);
    if (has_moved(verdict)) {
        verdict_add_ranks(verdict, words, live, count);
        words_add(words, " moved from one look to the next");
    } else if (verdict->n_waiting == 0) {
        words_add(words, "no %s waits for another", verdict_noun(verdict));
    } else if (count == 0) {
        words_add(words, "what others wait for is there or on its way");
    } else {
        verdict_add_ranks(verdict, words, live, count);
        words_add(words, count == 1 ? " computes" : " compute");
        char *where = thread_words(verdict, verdict_main_thread(verdict, live[0]));
        if (count == 1 && *where != '\0')
            words_add(words, " (%s%s)", strncmp(where, "MPI_", 4) == 0 ? "in " : "", where);
        free(where);
    }
    free(live);
}

static void
add_doubts(const struct verdict *verdict, struct words *words)
{
    words_add(words, "cannot tell whether this is a deadlock");
    for (size_t i = 0; i < verdict->view.n_unseen && i < 2; i++)
        words_add(words, "%s%s", i == 0 ? ": not seen: " : "; ", verdict->view.unseen[i]);
}

void
verdict_judge(struct verdict *verdict)
{
    struct words words = {.text = NULL};
    size_t certain = add_knots(verdict, &words, true);
    size_t possible = certain == 0 ? add_knots(verdict, &words, false) : 0;
    if (possible > 0 && has_unsettled(verdict))
        words_add(&words, "; one look cannot tell it from messages or threads that are on their "
                          "way");
    verdict->kind = VERDICT_UNKNOWN;
    if (certain > 0) {
        verdict->kind = VERDICT_DEADLOCK;
    } else if (verdict->view.n_processes == 0) {
        words_add(&words, "no process was looked at");
    } else if (possible == 0 && (verdict->n_not_by_doubt > 0 || verdict->view.n_unseen > 0)) {
        add_doubts(verdict, &words);
    } else if (possible == 0) {
        verdict->kind = VERDICT_NONE_SEEN;
        words_add(&words, "no deadlock seen: ");
        add_live(verdict, &words);
    }
    add_collectives(verdict, &words);
    verdict->text = words_take(&words);
}
