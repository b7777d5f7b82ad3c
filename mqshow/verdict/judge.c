// SPDX-License-Identifier: BSD-3-Clause
// Which kind of verdict it is, its line, and what it says of knots.
#include "mqshow/base/alloc.h"
#include "mqshow/verdict/cause.h"
#include "mqshow/verdict/thread_cause.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CULPRITS_SHOWN = 3, KNOTS_SHOWN = 3, RESTING_SHOWN = 3 };

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
    uint32_t *alike = alloc_zeroed(cause->knot->n_ring, sizeof *alike);
    size_t count = 0;
    char *first = NULL;
    for (size_t i = 0; i < cause->knot->n_ring; i++) {
        char *text = inside_text(verdict, cause->knot->ring[i]);
        if (text && (!first || strcmp(text, first) == 0))
            alike[count++] = cause->knot->ring[i];
        if (!first)
            first = text;
        else
            free(text);
    }
    if (count > 0) {
        strbuf_add(&words, count > 1 ? "a thread of each of " : "a thread of ");
        cause_add_ranks(verdict, &words, alike, count, NULL, NULL);
        strbuf_add(&words, " %s", first);
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
        cause->knot->n_ring > 0 ? knot_cause_entry(cause, cause->knot->ring[0]) : NULL;
    for (size_t i = 0; i < collectives->count && entry; i++) {
        const struct collective *item = &collectives->items[i];
        if (item->comm == entry->comm && item->kind == entry->kind && item->has_all)
            cause_add_entered(verdict, item);
    }
}

static void
explain_cycle_fact(const struct knot_cause *cause, struct verdict *verdict)
{
    struct strbuf words = {.text = NULL};
    if (cause->knot->n_ring < 2 || strcmp(cause->what, "cycle") == 0)
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

/** Line, cause and facts of a knot. @param kind "DEADLOCK", "possible deadlock"
 * @param brief_kind likewise, where the line is too long */
static void
explain_knot(struct verdict *verdict, const struct knot *knot, const char *kind,
             const char *brief_kind)
{
    struct knot_cause cause;
    knot_cause_init(&cause, verdict, knot, kind, brief_kind);
    cause_set(verdict, cause.what, cause.culprits, cause.n_culprits);
    verdict->has_place = cause.has_place;
    cause_set_line(verdict, &cause.full, &cause.brief);
    if (knot_is_inside(verdict, knot)) {
        thread_knot_add_facts(verdict, knot);
    } else {
        knot_cause_add_begun(&cause, verdict);
        explain_cycle_fact(&cause, verdict);
        explain_arguments(&cause, verdict);
        explain_culprits(&cause, verdict);
        explain_inside(&cause, verdict);
    }
    explain_others(&cause, verdict);
    knot_cause_deinit(&cause);
}

/** Finds the threads of a knot's processes that rest. */
static void
find_resting(struct verdict *verdict, const struct knot *knot)
{
    const struct job_index *job = &verdict->job;
    verdict->resting = alloc_zeroed(job->n_threads, sizeof *verdict->resting);
    for (int calls = 1; calls >= 0 && verdict->n_resting == 0; calls--) // those that may call MPI
        for (uint32_t i = 0; i < job->n_threads; i++) {
            const struct process_entry *process = &job->processes[job->threads[i].process];
            if (waits_thread(&verdict->waits, i)->state == NODE_RESTS &&
                knot_has(knot, job->threads[i].process) &&
                report_may_call(process->report, job->threads[i].record, process->finalizes) >=
                    calls)
                verdict->resting[verdict->n_resting++] = i;
        }
}

/** "log_memory at x.c:5", to free(); empty: not known. */
static char *
place_text(const struct verdict *verdict, uint32_t thread)
{
    char *where = verdict_thread_text(verdict, (int32_t) thread);
    bool has_in = strncmp(where, "in ", 3) == 0;
    char *place = alloc_text(has_in ? where + 3 : where);
    free(where);
    return place;
}

/** Appends "rank 0's thread 31728". */
static void
add_thread_of(const struct verdict *verdict, struct strbuf *words, uint32_t thread)
{
    verdict_add_process(verdict, words, verdict->job.threads[thread].process);
    strbuf_add(words, "'s thread %" PRId64, verdict->job.threads[thread].tid);
}

/** "DEADLOCK unless rank 0's thread 31728 (log_memory at x.c:5) sends", to free(). */
static char *
unless_text(const struct verdict *verdict, bool with_place)
{
    struct strbuf words = {.text = NULL};
    strbuf_add(&words, "DEADLOCK unless ");
    if (verdict->n_resting == 1) {
        char *where = place_text(verdict, verdict->resting[0]);
        add_thread_of(verdict, &words, verdict->resting[0]);
        strbuf_add(&words, with_place && *where != '\0' ? " (%s) sends" : " sends", where);
        free(where);
    } else {
        strbuf_add(&words, "one of %zu threads that rest sends", verdict->n_resting);
    }
    return strbuf_take(&words);
}

/** What these threads do, each one a fact. */
static void
add_resting(struct verdict *verdict)
{
    for (size_t i = 0; i < verdict->n_resting && i < RESTING_SHOWN; i++) {
        struct strbuf words = {.text = NULL};
        uint32_t thread = verdict->resting[i];
        struct system_call call = thread_system_call(&verdict->job.threads[thread]);
        char *where = place_text(verdict, thread);
        add_thread_of(verdict, &words, thread);
        strbuf_add(&words, call.name ? " %s in %s()" : " rests", call.one, call.name);
        strbuf_add(&words, *where != '\0' ? " in %s" : "%s", where);
        strbuf_add(&words, ", and may then send");
        cause_add_fact(verdict, &words);
        free(where);
    }
}

/** A knot that is none if a thread that rests sends. */
static void
explain_unless(struct verdict *verdict, const struct knot *knot)
{
    find_resting(verdict, knot);
    char *kind = unless_text(verdict, true), *brief_kind = unless_text(verdict, false);
    explain_knot(verdict, knot, kind, brief_kind);
    add_resting(verdict);
    free(kind);
    free(brief_kind);
}

/** Adds the other knots, the most important ones, as facts. */
static void
add_other_knots(struct verdict *verdict, const struct knot *but)
{
    const char *kind =
        but->certain && !verdict->is_conditional ? "another deadlock" : "another possible deadlock";
    struct strbuf words = {.text = NULL};
    size_t count = 0;
    for (size_t i = 0; i < verdict->knots.count; i++) {
        const struct knot *knot = &verdict->knots.items[i];
        struct knot_cause cause;
        if (knot == but || knot->certain != but->certain || count++ >= KNOTS_SHOWN)
            continue;
        knot_cause_init(&cause, verdict, knot, kind, kind);
        cause_add_fact(verdict, &cause.full);
        knot_cause_deinit(&cause);
    }
    if (count > KNOTS_SHOWN)
        strbuf_add(&words, "%zu more like these", count - KNOTS_SHOWN);
    cause_add_fact(verdict, &words);
}

// Which kind of verdict it is, and its line.

enum { UNSEEN_SHOWN = 2, COLLECTIVES_SHOWN = 3 };

/** Whether several samples saw it go on, as it can. */
static bool
has_moved(const struct verdict *verdict, uint32_t process)
{
    return verdict->job.processes[process].moved && verdict_is_live(verdict, process);
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
        if (!item->certain || verdict->waits.graph.nodes[item->node].state != NODE_RUNNABLE)
            continue;
        cause_add_entered(verdict, item);
        shown++;
    }
}

static enum verdict_kind
judge_unknown(struct verdict *verdict)
{
    struct strbuf full = {.text = NULL}, brief = {.text = NULL};
    if (verdict->job.is_plain)
        return judge_unknown_threads(verdict);
    if (cause_of_device_collectives(verdict) || cause_of_locked(verdict))
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
    enum verdict_kind kind = VERDICT_NONE_SEEN;
    if (cause_of_unneeded(verdict, &kind))
        return kind;
    size_t n_moved;
    uint32_t *moved = verdict_select(verdict, has_moved, &n_moved);
    struct strbuf full = {.text = NULL}, brief = {.text = NULL};
    if (verdict->job.is_plain) {
        kind = judge_live_threads(verdict);
    } else if (n_moved > 0) {
        strbuf_add(&full, "no deadlock seen: ");
        cause_add_ranks(verdict, &full, moved, n_moved, "moved", "moved");
        strbuf_add(&full, " between two samples");
        cause_set_line(verdict, &full, &brief);
    } else if (!verdict_somebody_waits(verdict) && !cause_is_system_call(verdict)) {
        strbuf_add(&full, "no deadlock seen: no %s waits for another", verdict_noun(verdict));
        cause_set_line(verdict, &full, &brief);
    } else if (verdict_nobody_works(verdict)) {
        set_line(verdict, "no deadlock seen: what is waited for is there or on its way");
    } else {
        kind = cause_of_live(verdict) ? VERDICT_HANG : VERDICT_NONE_SEEN;
    }
    free(moved);
    return kind;
}

static enum verdict_kind
judge_possible(struct verdict *verdict, const struct knot *knot)
{
    struct strbuf words = {.text = NULL};
    explain_knot(verdict, knot, "possible deadlock", "possible deadlock");
    const char *what = verdict->job.is_plain ? "" : "messages or ";
    if (verdict->job.document->samples > 1)
        strbuf_add(&words,
                   "%zu samples cannot rule out %sthreads that are on their way: not known of all "
                   "that they had the processor meanwhile and stayed",
                   verdict->job.document->samples, what);
    else
        strbuf_add(&words, "one sample cannot rule out %sthreads that are on their way", what);
    for (size_t i = 0; i < knot->n_processes; i++)
        if (!verdict->job.processes[knot->processes[i]].settled) {
            cause_add_fact(verdict, &words);
            break;
        }
    free(words.text);
    add_other_knots(verdict, knot);
    return VERDICT_UNKNOWN;
}

/** The nonblocking collective that all wait for who wait for one, which all of its members have
 * begun; NULL: there are none, or several. @param ret_processes who waits, to free() */
static const struct nonblocking *
common_nonblocking(const struct verdict *verdict, uint32_t **ret_processes, size_t *ret_count)
{
    const struct waits *waits = &verdict->waits;
    const struct nonblocking *common = NULL;
    *ret_processes = alloc_zeroed(waits->n_awaited, sizeof **ret_processes);
    *ret_count = 0;
    for (size_t i = 0; i < waits->n_awaited; i++) {
        const struct nonblocking *item = waits->awaited[i].collective;
        if (!item)
            continue;
        if (common && (item->comm != common->comm || item->sequence != common->sequence))
            return NULL;
        common = item;
        if (*ret_count == 0 || (*ret_processes)[*ret_count - 1] != item->process)
            (*ret_processes)[(*ret_count)++] = item->process;
    }
    return common && common->sequence != UNKNOWN ? common : NULL;
}

static enum verdict_kind
judge_still(struct verdict *verdict)
{
    struct strbuf full = {.text = NULL}, brief = {.text = NULL}, question = {.text = NULL};
    uint32_t *processes;
    size_t count;
    const struct nonblocking *item = common_nonblocking(verdict, &processes, &count);
    strbuf_add(&full, "cannot tell whether this is a deadlock: ");
    if (item) {
        cause_add_ranks(verdict, &full, processes, count, "waits", "wait");
        strbuf_add(&full, " for a nonblocking collective");
        strbuf_add(&brief, "%s", full.text);
        strbuf_add(&full, " on %s", job_index_comm_name(&verdict->job.comms[item->comm]));
        strbuf_add(&question, "nothing moves, and all have begun it: do they call the same one, "
                              "with the same root and sizes?");
        cause_add_fact(verdict, &question);
    } else {
        strbuf_add(&full, "nothing moves, nothing seems missing");
    }
    cause_set_line(verdict, &full, &brief);
    free(processes);
    add_entered(verdict);
    return VERDICT_UNKNOWN;
}

/** Whether a process was not seen to stay as it is, nor to move, in several samples. */
static bool
is_not_proved(const struct verdict *verdict, uint32_t process)
{
    const struct process_entry *of = &verdict->job.processes[process];
    return !of->settled && !of->moved && !job_index_is_halted(of) &&
           verdict->job.document->samples > 1;
}

/** "load 24 on 2 processors: " of the machine of one of them that has the most for each; nothing
 * where it is not known. */
static void
add_load(const struct verdict *verdict, struct strbuf *words, const uint32_t *processes,
         size_t count)
{
    const struct report *worst = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct report *one = verdict->job.processes[processes[i]].report;
        if (HAS(one, PROCESS_LOAD) && HAS(one, PROCESS_PROCESSORS) && one->processors > 0 &&
            (!worst || (double) one->load / (double) one->processors >
                           (double) worst->load / (double) worst->processors))
            worst = one;
    }
    if (worst)
        strbuf_add(words, "load %" PRId64 " on %" PRId64 " processor%s: ", worst->load,
                   worst->processors, worst->processors == 1 ? "" : "s");
}

/** Nothing was seen to move, nor to have had its chance. @return whether that is so */
static bool
judge_yet(struct verdict *verdict, enum verdict_kind *ret)
{
    struct strbuf full = {.text = NULL}, brief = {.text = NULL}, advice = {.text = NULL};
    size_t count;
    uint32_t *processes = verdict_select(verdict, is_not_proved, &count);
    bool is_so = count > 0 && verdict_somebody_waits(verdict) && verdict_nobody_works(verdict);
    if (is_so) {
        strbuf_add(&full, "cannot tell yet: ");
        cause_add_ranks(verdict, &full, processes, count, "had no processor between samples",
                        "had no processor between samples");
        cause_set_line(verdict, &full, &brief);
        add_load(verdict, &advice, processes, count);
        strbuf_add(&advice, "standing still proves nothing then: look again when this machine is "
                            "less busy, or for longer with --stuck=60");
        cause_add_fact(verdict, &advice);
        *ret = VERDICT_UNKNOWN;
    }
    free(processes);
    return is_so;
}

void
verdict_judge(struct verdict *verdict)
{
    const struct knot *certain = first_knot(verdict, true), *possible = first_knot(verdict, false);
    if (verdict->job.n_processes == 0) {
        set_line(verdict, "no process was read");
        verdict->kind = VERDICT_UNKNOWN;
    } else if (certain && !verdict->is_conditional) {
        verdict->kind = VERDICT_DEADLOCK;
        explain_knot(verdict, certain, "DEADLOCK", "DEADLOCK");
        add_other_knots(verdict, certain);
        (void) cause_of_halted(verdict, false);
    } else if (cause_of_halted(verdict, true)) {
        verdict->kind = VERDICT_HANG;
    } else if (certain) {
        verdict->kind = VERDICT_UNLESS;
        explain_unless(verdict, certain);
        add_other_knots(verdict, certain);
    } else if (possible) {
        verdict->kind = judge_possible(verdict, possible);
    } else if (verdict->n_waiting_if_unknown > 0 || verdict->job.n_unseen > 0) {
        verdict->kind = judge_unknown(verdict);
    } else if (verdict_somebody_waits(verdict) && nothing_moves(verdict) &&
               !verdict->job.is_plain) { // a lock that all ask for may have been given to one
        verdict->kind = judge_still(verdict);
    } else if (!judge_yet(verdict, &verdict->kind)) {
        verdict->kind = judge_live(verdict);
    }
}
