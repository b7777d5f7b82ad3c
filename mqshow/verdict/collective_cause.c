// SPDX-License-Identifier: BSD-3-Clause
// Knots of a collective in which some are, while others do not come: the line, and who is to blame.
#include "mqshow/verdict/cause.h"

#include "mqshow/base/alloc.h"
#include "mqshow/verdict/ending.h"

#include <stdlib.h>
#include <string.h>

enum { CALLS_SHOWN = 2, CULPRITS_BYTES = 60 };

const struct collective *
knot_cause_main_collective(const struct knot_cause *cause)
{
    const struct waits *waits = &cause->verdict->waits;
    const struct collective *found = NULL, *best;
    for (size_t i = 0; i < cause->knot->n_cycle && !found; i++) {
        const struct node *node = &waits->graph.nodes[cause->knot->cycle[i]];
        if (node->what == WHAT_COLLECTIVE)
            found = &waits->collectives.items[node->number];
    }
    if (!found)
        return NULL;
    best = found;
    const struct collective *end = waits->collectives.items + waits->collectives.count;
    for (const struct collective *item = collectives_of_comm(&waits->collectives, found);
         item < end && item->comm == found->comm; item++)
        if (item->count > best->count && item->certain && item->has_calls &&
            waits->blocked[item->node])
            best = item;
    return best;
}

/** The call that all culprits are in; "": they differ, or are in none. */
static const char *
common_call(const struct knot_cause *cause)
{
    const char *call = knot_cause_call(cause, cause->culprits[0]);
    for (size_t i = 1; i < cause->n_culprits; i++)
        if (strcmp(knot_cause_call(cause, cause->culprits[i]), call) != 0)
            return "";
    return call;
}

/** How all of some processes exit, by the threads that the knot is about, to free(); empty: not
 * alike; NULL: not all do. */
static char *
common_ending(const struct knot_cause *cause, const uint32_t *processes, size_t count)
{
    char *common = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct frame_record *from;
        int32_t thread = knot_cause_thread(cause, processes[i]);
        const struct job_thread *of =
            thread != NOBODY ? &cause->verdict->job.threads[thread] : NULL;
        const struct report *report = cause->verdict->job.processes[processes[i]].report;
        char *ending = of ? ending_text(report, of->record, &from) : NULL;
        if (ending && common && strcmp(ending, common) != 0)
            *ending = '\0';
        free(common);
        common = ending;
        if (!common)
            return NULL;
    }
    return common;
}

/** The same in short: "exiting", "exiting after ValueError from solve at job.py:12". */
static char *
short_ending(const struct knot_cause *cause, const uint32_t *processes, size_t count)
{
    char *ending = common_ending(cause, processes, count);
    if (!ending)
        return NULL;
    const struct job_index *job = &cause->verdict->job;
    char *exception =
        *ending ? ending_exception(job->processes[processes[0]].report,
                                   job->threads[knot_cause_thread(cause, processes[0])].record)
                : NULL;
    free(ending);
    char *ret = alloc_format("exiting%s%s", exception ? " after " : "", exception ? exception : "");
    free(exception);
    return ret;
}

/** Appends "rank 1 is in ", "ranks 1,3 are exiting, in ". */
static void
add_in(const struct knot_cause *cause, struct strbuf *words, const uint32_t *processes,
       size_t count)
{
    char *ending = short_ending(cause, processes, count);
    cause_add_ranks(cause->verdict, words, processes, count, "is ", "are ");
    strbuf_add(words, "%s%sin ", ending ? ending : "", ending ? ", " : "");
    free(ending);
}

/** Appends what culprits do that are not in the same call, to a collective that they are not in:
 * "rank 1 is in MPI_Alltoall, rank 3 is in MPI_Barrier"; "ranks 1-7 are not there" if that is long.
 */
static void
add_culprits(const struct knot_cause *cause, struct strbuf *words)
{
    struct strbuf each = {.text = NULL};
    size_t n_calls = 0;
    bool all_known = true;
    uint32_t *alike = alloc_zeroed(cause->n_culprits, sizeof *alike);
    for (size_t i = 0; i < cause->n_culprits && n_calls <= CALLS_SHOWN; i++) {
        const char *call = knot_cause_call(cause, cause->culprits[i]);
        size_t count = 0, first = 0;
        while (strcmp(knot_cause_call(cause, cause->culprits[first]), call) != 0)
            first++;
        for (size_t k = i; k < cause->n_culprits && first == i; k++)
            if (strcmp(knot_cause_call(cause, cause->culprits[k]), call) == 0)
                alike[count++] = cause->culprits[k];
        if (count == 0) // listed with the first one
            continue;
        strbuf_add(&each, n_calls++ > 0 ? ", " : "");
        add_in(cause, &each, alike, count);
        strbuf_add(&each, "%s", call);
        all_known &= *call != '\0';
    }
    if (all_known && n_calls <= CALLS_SHOWN && each.length <= CULPRITS_BYTES)
        strbuf_add(words, "%s", each.text);
    else
        cause_add_ranks(cause->verdict, words, cause->culprits, cause->n_culprits, "is not there",
                        "are not there");
    free(each.text);
    free(alike);
}

/** Appends who waits in vain: ", ranks 0,2,3 are in MPI_Allreduce". */
static void
add_those_in(const struct knot_cause *cause, struct strbuf *words, const struct collective *item)
{
    cause_add_ranks(cause->verdict, words, item->in, item->n_in, "is in ", "are in ");
    collective_add_call(words, item);
}

/** Whom the culprits wait for in one and the same collective such as MPI_Gather, others than
 * themselves. @return their number; 0: not known */
static size_t
find_awaited(const struct knot_cause *cause, uint32_t *ret)
{
    const struct collectives *collectives = &cause->verdict->waits.collectives;
    const struct entry *first = knot_cause_entry(cause, cause->culprits[0]);
    size_t n_found = 0;
    bool *known;
    if (!first ||
        !mpi_call_is_one_sided(intern_get_text(&collectives->kinds, (uint32_t) first->kind)))
        return 0;
    known = alloc_zeroed(cause->verdict->job.n_processes, sizeof *known);
    for (size_t i = 0; i < cause->n_culprits; i++)
        known[cause->culprits[i]] = true;
    for (size_t i = 0; i < cause->n_culprits; i++) {
        const struct entry *entry = knot_cause_entry(cause, cause->culprits[i]);
        uint32_t awaited[AWAITED_MAX];
        bool same = entry && entry->comm == first->comm && entry->kind == first->kind;
        size_t count = same ? collectives_awaited(collectives, entry, awaited) : 0;
        for (size_t k = 0; k < count && n_found < AWAITED_MAX; k++) {
            if (!known[awaited[k]])
                ret[n_found++] = awaited[k];
            known[awaited[k]] = true;
        }
        if (count == 0) {
            n_found = 0;
            break;
        }
    }
    free(known);
    return n_found;
}

/** The communicator of the collective that the only culprit is in, if that is not the one of those
 * who wait; NULL: it is, or is not known, or there are several culprits. */
static const struct job_comm *
other_comm(const struct knot_cause *cause, const struct collective *item)
{
    const struct entry *entry =
        cause->n_culprits == 1 ? knot_cause_entry(cause, cause->culprits[0]) : NULL;
    return entry && entry->comm != item->comm ? &cause->verdict->job.comms[entry->comm] : NULL;
}

/** Appends "rank 1 is in MPI_Barrier, ranks 0,2,3 are in MPI_Allreduce".
 * @param doing what all culprits do, "in MPI_Barrier"; "": they differ; NULL: that is left out
 * @param left how those exit who are in the collective, and come first then; NULL: they do not
 */
static void
add_collective_line(const struct knot_cause *cause, struct strbuf *words,
                    const struct collective *item, const char *doing, const char *left)
{
    if (left) {
        cause_add_ranks(cause->verdict, words, item->in, item->n_in, "is ", "are ");
        strbuf_add(words, *left ? "exiting: %s, in " : "exiting, in ", left);
        collective_add_call(words, item);
        strbuf_add(words, "; ");
    }
    if (doing && !*doing) {
        add_culprits(cause, words);
    } else {
        cause_add_ranks(cause->verdict, words, cause->culprits, cause->n_culprits,
                        doing ? "is " : "is not there", doing ? "are " : "are not there");
        strbuf_add(words, "%s", doing ? doing : "");
    }
    if (left)
        return;
    strbuf_add(words, doing && strstr(doing, ": ") ? "; " : ", ");
    add_those_in(cause, words, item);
}

/** What the culprits do, more precisely than their call, to free(): "in MPI_Gather waiting for rank
 * 1", or on which other communicator the only one is in the same call; empty: they differ. */
static char *
doing_text(const struct knot_cause *cause, const char *call, const struct job_comm *other,
           const uint32_t *awaited, size_t n_awaited)
{
    struct strbuf words = {.text = NULL};
    if (*call != '\0')
        strbuf_add(&words, "in %s", call);
    if (other)
        strbuf_add(&words, " on %s", job_index_comm_name(other));
    if (n_awaited > 0 && *call != '\0') {
        strbuf_add(&words, " waiting for ");
        cause_add_ranks(cause->verdict, &words, awaited, n_awaited, NULL, NULL);
    }
    return strbuf_take(&words);
}

/** Adds the full line, and the longest one that is short enough: without the communicator, without
 * what culprits do. Those that exit do that, wherever they are meanwhile.
 * @return whether those exit who are in the collective */
static bool
add_lines(struct knot_cause *cause, const struct collective *item, const uint32_t *awaited,
          size_t n_awaited)
{
    const char *call = common_call(cause), *in = *call != '\0' ? "in " : "";
    const struct job_comm *other = other_comm(cause, item);
    char *ending = common_ending(cause, cause->culprits, cause->n_culprits);
    char *brief = short_ending(cause, cause->culprits, cause->n_culprits);
    char *alone = alloc_format("%s%s%s%s%s", brief ? brief : "", brief && *in ? ", " : "", in, call,
                               other && !ending ? " on another communicator" : "");
    char *doing = !ending   ? doing_text(cause, call, other, awaited, n_awaited)
                  : *ending ? alloc_format("exiting: %s%s%s%s", ending, *in ? ", " : "", in, call)
                            : alloc_text(alone);
    char *left = common_ending(cause, item->in, item->n_in);
    const char *const tries[][2] = {
        {doing, left}, {alone, left ? "" : NULL}, {NULL, left ? "" : NULL}};
    cause->has_place = ending || left;
    size_t start = cause->brief.length,
           most = cause->has_place ? PLAIN_LINE_BYTES : cause_line_bytes(cause->verdict);
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        cause->brief.length = start;
        add_collective_line(cause, &cause->brief, item, tries[i][0], tries[i][1]);
        if (cause->brief.length <= most)
            break;
    }
    add_collective_line(cause, &cause->full, item, doing, left);
    if (!left)
        strbuf_add(&cause->full, " on %s",
                   job_index_comm_name(&cause->verdict->job.comms[item->comm]));
    free(ending);
    free(brief);
    free(doing);
    free(alone);
    bool ret = left != NULL;
    free(left);
    return ret;
}

bool
knot_cause_collective(struct knot_cause *cause)
{
    const struct verdict *verdict = cause->verdict;
    const struct collective *item = knot_cause_main_collective(cause);
    if (!item || !item->certain)
        return false;
    cause->culprits = alloc_zeroed(item->n_missing, sizeof *cause->culprits);
    for (size_t i = 0; i < item->n_missing; i++)
        if (knot_has(cause->knot, item->missing[i]))
            cause->culprits[cause->n_culprits++] = item->missing[i];
    if (cause->n_culprits == 0) {
        free(cause->culprits);
        cause->culprits = NULL;
        return false;
    }
    uint32_t awaited[AWAITED_MAX];
    size_t n_awaited = find_awaited(cause, awaited);
    int32_t thread = knot_cause_thread(cause, cause->culprits[0]);
    bool in_other = thread != NOBODY && verdict->waits.activities[thread].doing == DOING_COLLECTIVE;
    cause->what = in_other ? "collectives" : "not entered";
    if (add_lines(cause, item, awaited, n_awaited))
        knot_cause_blame(cause, "exiting", item->in, item->n_in);
    else if (cause->has_place)
        cause->what = "exiting";
    else if (n_awaited > 0) // those who did not come are the ones to look at
        knot_cause_blame(cause, "not entered", awaited, n_awaited);
    return true;
}
