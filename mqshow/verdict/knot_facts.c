// SPDX-License-Identifier: BSD-3-Clause
// What the verdict says of knots: the line about the first one, and the facts below it.
#include "mqshow/base/alloc.h"
#include "mqshow/verdict/cause.h"
#include "mqshow/verdict/knot_cause.h"

#include <stdlib.h>
#include <string.h>

enum { CULPRITS_SHOWN = 3, KNOTS_SHOWN = 3 };

/** What a thread of a process waits for inside of it, to free(); NULL: nothing. */
static char *
inside_text(const struct verdict *verdict, uint32_t process)
{
    const struct process_entry *of = &verdict->job.processes[process];
    for (uint32_t i = of->first_thread; i < of->first_thread + of->n_threads; i++)
        if (verdict_waits_inside(verdict, i))
            return verdict_thread_text(verdict, (int32_t) i);
    return NULL;
}

/** A thread that waits inside of its process is a part of what holds it up. Tells the first of the
 * cycle, and of which other processes of it that is true. */
static void
explain_inside(const struct knot_cause *cause, struct verdict *verdict)
{
    struct strbuf words = {.text = NULL};
    uint32_t *alike = alloc_zeroed(cause->n_cycle, sizeof *alike);
    size_t count = 0;
    char *first = NULL;
    for (size_t i = 0; i < cause->n_cycle; i++) {
        char *text = inside_text(verdict, cause->cycle[i]);
        if (text && (!first || strcmp(text, first) == 0))
            alike[count++] = cause->cycle[i];
        if (!first)
            first = text;
        else
            free(text);
    }
    if (count > 0) {
        strbuf_add(&words, count > 1 ? "a thread of each of " : "a thread of ");
        cause_add_ranks(verdict, &words, alike, count, "", "");
        strbuf_add(&words, "%s", first);
        cause_add_fact(verdict, &words);
    }
    free(first);
    free(alike);
}

/** All members of a communicator are in one collective, and yet it does not end. */
static void
explain_arguments(const struct knot_cause *cause, struct verdict *verdict)
{
    const struct collectives *collectives = &verdict->waits.collectives;
    const struct entry *entry =
        cause->n_cycle > 0 ? verdict_entry(verdict, knot_cause_thread(cause, cause->cycle[0]))
                           : NULL;
    for (size_t i = 0; i < collectives->count && entry; i++) {
        const struct collective *item = &collectives->items[i];
        if (item->comm != entry->comm || item->kind != entry->kind ||
            !collectives_has_all(collectives, item))
            continue;
        cause_add_entered(verdict, item);
    }
}

static void
explain_cycle_fact(const struct knot_cause *cause, struct verdict *verdict)
{
    struct strbuf words = {.text = NULL};
    if (cause->n_cycle < 2 || strcmp(cause->what, "cycle") == 0)
        return;
    strbuf_add(&words, "cycle: ");
    knot_cause_add_cycle(cause, &words);
    cause_add_fact(verdict, &words);
}

/** Where the culprits are that the table of the cycle does not show. */
static void
explain_culprits(const struct knot_cause *cause, struct verdict *verdict)
{
    struct strbuf words = {.text = NULL};
    for (size_t i = 0; i < cause->n_culprits && i < CULPRITS_SHOWN; i++) {
        int32_t thread = knot_cause_thread(cause, cause->culprits[i]);
        char *where = verdict_thread_text(verdict, thread);
        if (*where != '\0' && cause->thread_of[cause->culprits[i]] == NOBODY) {
            verdict_add_process(verdict, &words, cause->culprits[i]);
            strbuf_add(&words, ": %s ", where);
            verdict_add_awaited(verdict, &words, (uint32_t) thread);
            cause_add_fact(verdict, &words);
        }
        free(where);
    }
}

static void
explain_others(const struct knot_cause *cause, struct verdict *verdict)
{
    struct strbuf words = {.text = NULL};
    size_t count, others = 0;
    uint32_t *blocked = verdict_select(verdict, verdict_is_blocked, &count);
    for (size_t i = 0; i < count; i++)
        if (!knot_has(cause->knot, blocked[i]))
            blocked[others++] = blocked[i];
    if (others > 0 && verdict->knots.count == 1) {
        cause_add_ranks(verdict, &words, blocked, others, "waits", "wait");
        strbuf_add(&words, " for them");
        cause_add_fact(verdict, &words);
    }
    free(blocked);
}

void
cause_of_knot(struct verdict *verdict, const struct knot *knot, const char *kind)
{
    struct knot_cause cause;
    struct strbuf full = {.text = NULL}, brief = {.text = NULL};
    knot_cause_init(&cause, verdict, knot);
    strbuf_add(&full, "%s: %s", kind, cause.full.text);
    strbuf_add(&brief, "%s: %s", kind, cause.brief.text);
    cause_set(verdict, cause.what, cause.culprits, cause.n_culprits);
    cause_set_line(verdict, &full, &brief);
    explain_cycle_fact(&cause, verdict);
    explain_arguments(&cause, verdict);
    explain_culprits(&cause, verdict);
    explain_inside(&cause, verdict);
    explain_others(&cause, verdict);
    knot_cause_deinit(&cause);
}

void
cause_add_other_knots(struct verdict *verdict, const struct knot *but)
{
    size_t shown = 0, left = 0;
    struct strbuf words = {.text = NULL};
    for (size_t i = 0; i < verdict->knots.count; i++) {
        const struct knot *knot = &verdict->knots.items[i];
        struct knot_cause cause;
        if (knot == but || knot->certain != but->certain)
            continue;
        if (++shown > KNOTS_SHOWN) {
            left++;
            continue;
        }
        knot_cause_init(&cause, verdict, knot);
        strbuf_add(&words, "%s: %s",
                   but->certain ? "another deadlock" : "another possible deadlock",
                   cause.full.text);
        cause_add_fact(verdict, &words);
        knot_cause_deinit(&cause);
    }
    if (left > 0)
        strbuf_add(&words, "%zu more like these", left);
    cause_add_fact(verdict, &words);
}
