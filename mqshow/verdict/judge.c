// SPDX-License-Identifier: BSD-3-Clause
// Which kind of verdict it is, and its line.
#include "mqshow/base/alloc.h"
#include "mqshow/verdict/cause.h"

#include <stdlib.h>

enum { UNSEEN_SHOWN = 2, COLLECTIVES_SHOWN = 3 };

/** Puts those first that several samples saw go on, of those that can. @return how many */
static size_t
moved_first(const struct verdict *verdict, uint32_t *live, size_t count)
{
    size_t n_moved = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t process = live[i];
        if (!verdict->job.processes[process].moved)
            continue;
        live[i] = live[n_moved];
        live[n_moved++] = process;
    }
    return n_moved;
}

/** Whether several samples saw that no process did anything. */
static bool
nothing_moves(const struct verdict *verdict)
{
    for (size_t i = 0; i < verdict->job.n_processes; i++)
        if (!verdict->job.processes[i].settled)
            return false;
    return verdict_nobody_works(verdict);
}

static void
set_line(struct verdict *verdict, const char *line)
{
    struct strbuf full = {.text = NULL}, brief = {.text = NULL};
    strbuf_add(&full, "%s", line);
    cause_set_line(verdict, &full, &brief);
}

/** The first knot of that kind that is certain, or not; NULL: there is none. */
static const struct knot *
first_knot(const struct verdict *verdict, bool certain)
{
    for (size_t i = 0; i < verdict->knots.count; i++)
        if (verdict->knots.items[i].certain == certain)
            return &verdict->knots.items[i];
    return NULL;
}

/** Collectives that all members are in and that do not end all the same. */
static void
add_entered(struct verdict *verdict)
{
    const struct collectives *collectives = &verdict->waits.collectives;
    for (size_t i = 0, shown = 0; i < collectives->count && shown < COLLECTIVES_SHOWN; i++) {
        const struct collective *item = &collectives->items[i];
        if (!collectives_is_certain(collectives, item) ||
            verdict->waits.graph.nodes[item->node].state != NODE_RUNNABLE)
            continue;
        cause_add_entered(verdict, item);
        shown++;
    }
}

static enum verdict_kind
judge_unknown(struct verdict *verdict)
{
    struct strbuf full = {.text = NULL}, brief = {.text = NULL};
    if (cause_of_locked(verdict))
        return VERDICT_UNKNOWN;
    strbuf_add(&full, "cannot tell whether this is a deadlock%s",
               verdict->job.n_unseen == 0 ? ": not known: who waits for whom" : "");
    for (size_t i = 0; i < verdict->job.n_unseen && i < UNSEEN_SHOWN; i++)
        strbuf_add(&full, "%s%s", i == 0 ? ": not known: " : "; ", verdict->job.unseen[i]);
    strbuf_add(&brief, "cannot tell whether this is a deadlock: not known: %s",
               verdict->job.n_unseen > 0 ? verdict->job.unseen[0] : "who waits for whom");
    cause_set_line(verdict, &full, &brief);
    return VERDICT_UNKNOWN;
}

/** Nothing is seen that would last for ever. */
static enum verdict_kind
judge_live(struct verdict *verdict)
{
    size_t n_live;
    uint32_t *live = verdict_select(verdict, verdict_is_live, &n_live);
    size_t n_moved = moved_first(verdict, live, n_live);
    struct strbuf full = {.text = NULL}, brief = {.text = NULL};
    enum verdict_kind kind = VERDICT_NONE_SEEN;
    if (cause_of_unneeded(verdict)) {
        kind = VERDICT_NONE_SEEN;
    } else if (n_moved > 0) {
        strbuf_add(&full, "no deadlock seen: ");
        cause_add_ranks(verdict, &full, live, n_moved, "moved", "moved");
        strbuf_add(&full, " between two samples");
        cause_set_line(verdict, &full, &brief);
    } else if (verdict->n_waiting == 0 && !cause_is_system_call(verdict)) {
        strbuf_add(&full, "no deadlock seen: no %s waits for another", verdict_noun(verdict));
        cause_set_line(verdict, &full, &brief);
    } else if (n_live == 0) {
        set_line(verdict, "no deadlock seen: what is waited for is there or on its way");
    } else {
        kind = cause_of_live(verdict) ? VERDICT_HANG : VERDICT_NONE_SEEN;
    }
    free(live);
    return kind;
}

static enum verdict_kind
judge_possible(struct verdict *verdict, const struct knot *knot)
{
    struct strbuf words = {.text = NULL};
    cause_of_knot(verdict, knot, "possible deadlock");
    strbuf_add(&words, "one sample cannot tell it from messages or threads that are on their way");
    for (size_t i = 0; i < knot->n_processes; i++)
        if (!verdict->job.processes[knot->processes[i]].settled) {
            cause_add_fact(verdict, &words);
            break;
        }
    free(words.text);
    cause_add_other_knots(verdict, knot);
    return VERDICT_UNKNOWN;
}

static enum verdict_kind
judge_still(struct verdict *verdict)
{
    set_line(verdict,
             "cannot tell whether this is a deadlock: nothing moves, nothing seems missing");
    add_entered(verdict);
    return VERDICT_UNKNOWN;
}

void
verdict_judge(struct verdict *verdict)
{
    const struct knot *certain = first_knot(verdict, true), *possible = first_knot(verdict, false);
    if (verdict->job.n_processes == 0) {
        set_line(verdict, "no process was read");
        verdict->kind = VERDICT_UNKNOWN;
    } else if (certain) {
        verdict->kind = VERDICT_DEADLOCK;
        cause_of_knot(verdict, certain, "DEADLOCK");
        cause_add_other_knots(verdict, certain);
        (void) cause_of_halted(verdict, false);
    } else if (cause_of_halted(verdict, true)) {
        verdict->kind = VERDICT_HANG;
    } else if (possible) {
        verdict->kind = judge_possible(verdict, possible);
    } else if (verdict->n_waiting_if_unknown > 0 || verdict->job.n_unseen > 0) {
        verdict->kind = judge_unknown(verdict);
    } else if (verdict->n_waiting > 0 && nothing_moves(verdict)) {
        verdict->kind = judge_still(verdict);
    } else {
        verdict->kind = judge_live(verdict);
    }
}
