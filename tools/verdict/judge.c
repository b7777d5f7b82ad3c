// SPDX-License-Identifier: BSD-3-Clause
// The verdict in words.
#include "tools/alloc.h"
#include "tools/verdict/verdict.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { COLLECTIVES_TOLD = 3, MISSING_TOLD = 3 };

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
        char *text = verdict_thread_words(verdict, verdict_main_thread(verdict, processes[i]));
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

/** "MPI_Barrier on solver" */
static void
add_collective(const struct verdict *verdict, struct words *words, const struct collective *item)
{
    const char *name = collectives_name(&verdict->waits.collectives, item);
    words_add(words, "MPI_%c%s on %s", toupper((unsigned char) *name),
              *name != '\0' ? name + 1 : "", jobview_comm_name(&verdict->view.comms[item->comm]));
}

/** "rank 3 has not entered MPI_Barrier on solver (it is in compute at solve.c:88)" */
static void
add_missing(const struct verdict *verdict, struct words *words, const struct collective *item)
{
    const struct collectives *collectives = &verdict->waits.collectives;
    uint32_t *missing = alloc_zeroed(collectives_members(collectives, item), sizeof *missing);
    size_t count = collectives_missing(collectives, item, missing);
    if (count > 0) {
        words_add(words, "%s", words->length > 0 ? "; " : "");
        verdict_add_ranks(verdict, words, missing, count);
        words_add(words, " %s not entered ", count == 1 ? "has" : "have");
        add_collective(verdict, words, item);
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

/** Whether several looks saw that no process did anything. */
static bool
stands_still(const struct verdict *verdict)
{
    for (size_t i = 0; i < verdict->view.n_processes; i++)
        if (!verdict->view.processes[i].settled)
            return false;
    return verdict_nobody_works(verdict);
}

/** Collectives that all members are in and that do not end all the same. */
static void
add_entered(const struct verdict *verdict, struct words *words)
{
    const struct collectives *collectives = &verdict->waits.collectives;
    for (size_t i = 0, told = 0; i < collectives->count && told < COLLECTIVES_TOLD; i++) {
        const struct collective *item = &collectives->items[i];
        if (!has_caller(collectives, item) ||
            verdict->waits.graph.nodes[item->node].state != NODE_GOES_ON)
            continue;
        words_add(words, "; all ranks are in ");
        add_collective(verdict, words, item);
        words_add(words, ": do they agree on its arguments?");
        told++;
    }
}

/** The call to the system that all of some processes are in; NULL: there is none. */
static const char *
common_system_call(const struct verdict *verdict, const uint32_t *processes, size_t count)
{
    const char *common = NULL;
    for (size_t i = 0; i < count; i++) {
        int32_t thread = verdict_main_thread(verdict, processes[i]);
        const char *call =
            thread != NOBODY ? situation_system_call(&verdict->view.threads[thread]) : NULL;
        if (call == NULL || (common != NULL && strcmp(call, common) != 0))
            return NULL;
        common = call;
    }
    return common;
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
        words_add(words, "what is waited for is there or on its way");
    } else {
        verdict_add_ranks(verdict, words, live, count);
        const char *call = common_system_call(verdict, live, count);
        if (call != NULL)
            words_add(words, " %s in %s", count == 1 ? "is" : "are", call);
        else
            words_add(words, count == 1 ? " computes" : " compute");
        char *where = verdict_thread_words(verdict, verdict_main_thread(verdict, live[0]));
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
    size_t certain = verdict_tell_knots(verdict, &words, true);
    size_t possible = certain == 0 ? verdict_tell_knots(verdict, &words, false) : 0;
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
    } else if (possible == 0 && stands_still(verdict)) {
        words_add(&words, "cannot tell whether this is a deadlock: nothing moves, although all "
                          "that is waited for seems to be there");
        add_entered(verdict, &words);
    } else if (possible == 0) {
        verdict->kind = VERDICT_NONE_SEEN;
        words_add(&words, "no deadlock seen: ");
        add_live(verdict, &words);
    }
    add_collectives(verdict, &words);
    verdict->text = words_take(&words);
}
