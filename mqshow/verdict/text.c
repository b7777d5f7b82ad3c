// SPDX-License-Identifier: BSD-3-Clause
// The verdict for people.
#include "mqshow/verdict/text.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/search.h"
#include "mqshow/base/table.h"
#include "mqshow/verdict/near.h"
#include "mqshow/verdict/thread_cause.h"
#include "mqshow/verdict/thread_text.h"

#include <stdlib.h>
#include <string.h>

/** Prints a line: texts of the program around one that comes from elsewhere. */
static void
print_line(FILE *out, const char *before, const char *text, const char *after)
{
    char *escaped = escape_text(text, SIZE_MAX);
    fprintf(out, "%s%s%s\n", before, escaped, after);
    free(escaped);
}

/** Adds a line of a table, harmless on a terminal. Empties the cells. */
static void
add_line(struct table *table, struct strbuf *cells, unsigned count)
{
    table_line(table);
    for (unsigned i = 0; i < count; i++) {
        char *text = strbuf_take(&cells[i]);
        table_cell(table, i, escape_text(text, SIZE_MAX), NULL);
        free(text);
    }
}

enum { KNOT_COLUMNS = 4, GROUP_COLUMNS = 3, COLLECTIVE_COLUMNS = 3, OPERATION_COLUMNS = 6 };

void
verdict_add_peer(const struct verdict *verdict, struct strbuf *words, const struct job_op *op)
{
    strbuf_add(words, op->queue == JOB_SENDS ? "to " : "from ");
    if (op->peer == ANY)
        strbuf_add(words, "any");
    else if (op->partner != NOBODY)
        verdict_add_process(verdict, words, (uint32_t) op->partner);
    else if (op->peer >= 0)
        strbuf_add(words, "%d", op->peer);
    else
        strbuf_add(words, "?");
}

void
verdict_add_tag(struct strbuf *words, const struct job_op *op)
{
    if (op->tag >= 0)
        strbuf_add(words, "tag %lld", (long long) op->tag);
    else
        strbuf_add(words, op->tag == ANY ? "tag any" : "tag ?");
}

/** Appends "from rank 1 tag 7 on solver", "nonblocking collective on solver, for rank 1". */
static void
add_awaited(const struct verdict *verdict, struct strbuf *words, const struct awaited *awaited)
{
    const struct job_index *job = &verdict->job;
    const struct job_op *op = waits_op(&verdict->waits, awaited);
    if (awaited->is_part) {
        strbuf_add(words, "collective on %s, for ",
                   job_index_comm_name(&job->comms[awaited->comm]));
        verdict_add_process(verdict, words, awaited->peer);
        return;
    }
    if (op) {
        verdict_add_peer(verdict, words, op);
        strbuf_add(words, " ");
        verdict_add_tag(words, op);
        strbuf_add(words, " on %s", job_index_comm_name(&job->comms[op->comm]));
        return;
    }
    uint32_t targets[NONBLOCKING_TARGETS];
    size_t count = nonblocking_targets(&verdict->waits, awaited->collective, targets);
    strbuf_add(words, "%s collective on %s",
               awaited->collective->record->persistent ? "persistent" : "nonblocking",
               job_index_comm_name(&job->comms[awaited->collective->comm]));
    if (count > 0) {
        strbuf_add(words, ", for ");
        verdict_add_ranks(verdict, words, targets, count);
    }
}

/** Appends "lock of rank 1's window, for rank 0", "for one of ranks 0,2": who can end a call that
 * no queue shows. */
static void
add_partners(const struct verdict *verdict, struct strbuf *words, const struct job_thread *thread)
{
    const struct window_lock *lock = &thread->record->lock;
    size_t count, others;
    if (HAS(thread->record, THREAD_LOCK) && HAS(lock, WINDOW_LOCK_TARGET))
        strbuf_add(words, "lock of rank %d's window, ", (int) lock->target);
    uint32_t *partners = thread_holders(&verdict->job, thread, &count, &others);
    strbuf_add(words, count == 1 ? "for " : "for one of ");
    verdict_add_ranks(verdict, words, partners, count);
    free(partners);
}

void
verdict_add_awaited(const struct verdict *verdict, struct strbuf *words, uint32_t thread)
{
    const struct job_index *job = &verdict->job;
    const struct entry *entry = verdict->waits.activities[thread].entry;
    if (entry)
        strbuf_add(words, "on %s", job_index_comm_name(&job->comms[entry->comm]));
    if (verdict->waits.activities[thread].doing == DOING_OUTSIDE &&
        job->threads[thread].record->partners.count > 0)
        add_partners(verdict, words, &job->threads[thread]);
    if (verdict->waits.activities[thread].doing == DOING_COLLECTIVE)
        return;
    uint32_t process = job->threads[thread].process;
    size_t more = 0;
    for (size_t i = waits_of_process(&verdict->waits, process);
         i < verdict->waits.n_awaited && verdict->waits.awaited[i].process == process; i++) {
        const struct awaited *awaited = &verdict->waits.awaited[i];
        const struct job_op *op = waits_op(&verdict->waits, awaited);
        bool goes_on = op && op->fate == JOB_RUNNABLE;
        if (awaited->thread == (int32_t) thread && !goes_on && more++ == 0)
            add_awaited(verdict, words, awaited);
    }
    if (more > 1)
        strbuf_add(words, ", and %zu more", more - 1);
    verdict_add_needed(verdict, words, thread);
    verdict_add_held(verdict, words, thread);
    if (job->threads[thread].call && thread_system_call(&job->threads[thread]).for_ever)
        strbuf_add(words, "file lock");
    verdict_add_system_wait(verdict, words, thread);
}

/** The rows of the knots. */
struct rows {
    const struct verdict *verdict;
    struct table *table;
    size_t count, max;
    bool all;
    char *inside; // what a thread of the knot waits for inside of its process; NULL: none yet
};

static void
add_row(struct rows *rows, uint32_t thread)
{
    if (rows->count++ >= rows->max)
        return;
    const struct verdict *verdict = rows->verdict;
    const struct job_thread *of = &verdict->job.threads[thread];
    struct strbuf cells[KNOT_COLUMNS] = {{.text = NULL}};
    if (verdict->job.n_processes > 1 || !verdict->job.is_plain)
        verdict_add_process(verdict, &cells[0], of->process);
    else
        verdict_add_thread_name(verdict, &cells[0], thread);
    if (of->tid > 0)
        strbuf_add(&cells[1], "tid %lld", (long long) of->tid);
    verdict_add_thread(verdict, &cells[2], thread);
    verdict_add_awaited(verdict, &cells[3], thread);
    add_line(rows->table, cells, KNOT_COLUMNS);
}

/** The threads of a process that wait inside of it are a part of the knot. Of those that wait
 * likewise, a fact names the processes. */
static void
add_inside(struct rows *rows, uint32_t process)
{
    const struct process_entry *of = &rows->verdict->job.processes[process];
    for (uint32_t i = of->first_thread; i < of->first_thread + of->n_threads; i++) {
        if (!verdict_waits_inside(rows->verdict, i))
            continue;
        char *text = verdict_thread_text(rows->verdict, (int32_t) i);
        if (rows->all || !rows->inside || strcmp(text, rows->inside) != 0)
            add_row(rows, i);
        if (!rows->inside)
            rows->inside = text;
        else
            free(text);
    }
}

/** All threads of a process that wait for others of it and will not go on. */
static void
add_blocked(struct rows *rows, uint32_t process)
{
    const struct waits *waits = &rows->verdict->waits;
    const struct process_entry *of = &rows->verdict->job.processes[process];
    for (uint32_t i = of->first_thread; i < of->first_thread + of->n_threads; i++)
        if (waits->blocked[waits->first_thread + i] && thread_waits_inside(&waits->activities[i]))
            add_row(rows, i);
}

static void
add_cycle(struct rows *rows, const struct knot *knot)
{
    const struct waits *waits = &rows->verdict->waits;
    bool is_inside = knot_is_inside(rows->verdict, knot);
    if (is_inside)
        add_blocked(rows, knot->processes[0]);
    for (size_t i = 0; i < knot->n_cycle && !is_inside; i++) {
        const struct node *node = &waits->graph.nodes[knot->cycle[i]];
        if (node->what != WHAT_THREAD)
            continue;
        if (!thread_waits_inside(&waits->activities[node->number]))
            add_row(rows, node->number);
        add_inside(rows, rows->verdict->job.threads[node->number].process);
    }
    free(rows->inside);
    rows->inside = NULL;
}

/** Prints the threads that hold each other up, at most `max`. */
static void
print_knots(const struct verdict *verdict, FILE *out, struct verdict_style style, size_t max)
{
    struct rows rows = {.verdict = verdict, .max = max, .all = style.all};
    rows.table = table_create(KNOT_COLUMNS, style.color);
    for (size_t i = 0; i < verdict->knots.count; i++)
        add_cycle(&rows, &verdict->knots.items[i]);
    table_print(rows.table, out, 2);
    if (rows.count > max)
        fprintf(out, "  ... and %zu more threads\n", rows.count - max);
}

// The verdict for people.

/** A message of a process. */
struct said {
    uint32_t text; // in an intern
    uint32_t process;
};

void
verdict_print_notes(const struct verdict *verdict, FILE *out, size_t max)
{
    struct intern texts = {.items = NULL};
    struct said *said = NULL;
    size_t count = 0, capacity = 0;
    struct by_key by_text;
    for (uint32_t i = 0; i < verdict->job.n_processes; i++) {
        const struct report *report = verdict->job.processes[i].report;
        for (size_t k = 0; k < report->messages.count; k++)
            *ALLOC_ADD(said, count, capacity) =
                (struct said){intern_text(&texts, report->messages.items[k]), i};
    }
    by_key_init(&by_text, said, sizeof *said, offsetof(struct said, text), count, texts.count);
    for (size_t i = 0; i < count; i++)
        by_text.items[i] = said[by_text.items[i]].process;
    for (uint32_t i = 0; i < texts.count && i < max; i++) {
        const uint32_t *first = &by_text.first[i];
        struct strbuf words = {.text = NULL};
        verdict_add_ranks(verdict, &words, by_text.items + first[0], first[1] - first[0]);
        strbuf_add(&words, ": %s", intern_get_text(&texts, i));
        print_line(out, "  note: ", words.text, "");
        free(words.text);
    }
    if (texts.count > max)
        fprintf(out, "  note: %zu more; see --all\n", texts.count - max);
    by_key_deinit(&by_text);
    free(said);
    intern_deinit(&texts);
}

// Groups, collectives and what never matched, for people.

enum { RUNS_SHOWN = 8 };

/** Says how much was left out, if anything. */
static void
print_rest(FILE *out, size_t count, size_t shown, const char *what)
{
    if (count > shown)
        fprintf(out, "    ... and %zu more %s\n", count - shown, what);
}

/** The largest group comes first. */
static int
compare_sizes(const void *left, const void *right)
{
    const struct rank_group *const *a = left, *const *b = right;
    return COMPARE({(int64_t) (*b)->count, (int64_t) (*a)->count},
                   {(*a)->situation, (*b)->situation});
}

static void
add_group(const struct verdict *verdict, struct table *table, const struct rank_group *group)
{
    struct strbuf cells[GROUP_COLUMNS] = {{.text = NULL}};
    size_t n_labels;
    int32_t *labels = verdict_labels(verdict, group->processes, group->count, &n_labels);
    if (n_labels > 0)
        strbuf_add_ranges(&cells[0], labels, n_labels, RUNS_SHOWN);
    verdict_add_cores(verdict, &cells[0], group->processes, group->count, n_labels > 0 ? ", " : "");
    strbuf_add(&cells[1], "%zu", group->count);
    strbuf_add(&cells[2], "%s", intern_get_text(&verdict->situations, group->situation));
    add_line(table, cells, GROUP_COLUMNS);
    free(labels);
}

void
verdict_print_groups(const struct verdict *verdict, FILE *out, struct verdict_style style,
                     size_t max)
{
    struct table *table = table_create(GROUP_COLUMNS, style.color);
    const struct rank_group **order = alloc_zeroed(verdict->n_groups, sizeof(struct rank_group *));
    for (size_t i = 0; i < verdict->n_groups; i++)
        order[i] = &verdict->groups[i];
    if (verdict->n_groups > max)
        qsort(order, verdict->n_groups, sizeof *order, compare_sizes);
    for (size_t i = 0; i < verdict->n_groups && i < max; i++)
        add_group(verdict, table, order[i]);
    fprintf(out, "  %ss by what they do:\n", verdict->job.by_index ? "processe" : "rank");
    table_print(table, out, 4);
    print_rest(out, verdict->n_groups, max, "groups");
    free(order);
}

static void
add_collective(const struct verdict *verdict, struct table *table, const struct collective *item)
{
    struct strbuf cells[COLLECTIVE_COLUMNS] = {{.text = NULL}};
    strbuf_add(&cells[0], "%s on %s", item->name,
               job_index_comm_name(&verdict->job.comms[item->comm]));
    // Of some collectives others are not in it either, but may have been.
    strbuf_add(&cells[1], "%zu of %lld in it",
               item->one_sided ? item->n_in : item->n_members - item->n_missing,
               (long long) item->n_members + (long long) item->not_seen);
    if (item->n_missing > 0) {
        strbuf_add(&cells[2], !item->one_sided ? "missing: "
                              : item->sure     ? "waits for "
                                               : "elsewhere: ");
        verdict_add_ranks(verdict, &cells[2], item->missing, item->n_missing);
    }
    if (item->not_seen > 0)
        strbuf_add(&cells[2], "%s%lld not read", item->n_missing > 0 ? ", " : "",
                   (long long) item->not_seen);
    add_line(table, cells, COLLECTIVE_COLUMNS);
}

static void
print_collectives(const struct verdict *verdict, FILE *out, struct verdict_style style, size_t max)
{
    const struct collectives *collectives = &verdict->waits.collectives;
    struct table *table = table_create(COLLECTIVE_COLUMNS, style.color);
    size_t count = 0;
    for (size_t i = 0; i < collectives->count; i++)
        if (collective_lacks_members(&collectives->items[i]) && count++ < max)
            add_collective(verdict, table, &collectives->items[i]);
    if (count > 0)
        fputs("  collectives that some members are not in:\n", out);
    table_print(table, out, 4);
    print_rest(out, count, max, "collectives");
}

static void
add_operation(const struct verdict *verdict, struct table *table, const struct job_op *op,
              const struct near *near)
{
    static const char *const names[JOB_QUEUES] = {
        [JOB_RECEIVES] = "receive", [JOB_UNEXPECTED] = "unexpected", [JOB_SENDS] = "send"};
    const struct job_index *job = &verdict->job;
    struct strbuf cells[OPERATION_COLUMNS] = {{.text = NULL}};
    verdict_add_process(verdict, &cells[0], op->process);
    strbuf_add(&cells[1], "%s", op->probe ? "probe" : names[op->queue]);
    verdict_add_peer(verdict, &cells[2], op);
    verdict_add_tag(&cells[3], op);
    strbuf_add(&cells[4], "on %s", job_index_comm_name(&job->comms[op->comm]));
    if (near) {
        const struct job_op *other = &job->ops[near->op];
        strbuf_add(&cells[5], "%s: %s %s %d, ", near->why, names[other->queue],
                   other->queue == JOB_SENDS ? "by" : "in", job->processes[other->process].label);
        verdict_add_tag(&cells[5], other);
        strbuf_add(&cells[5], " on %s", job_index_comm_name(&job->comms[other->comm]));
    }
    add_line(table, cells, OPERATION_COLUMNS);
}

/** Whether nothing need be wrong with the messages: the job goes on, or its ranks wait for one that
 * is stopped or the like. */
static bool
is_explained(const struct verdict *verdict)
{
    return verdict->kind == VERDICT_NONE_SEEN || verdict->kind == VERDICT_HANG;
}

/** Adds unmatched operations whose most probable mistake has this rate; those of NEAR_RATES have no
 * near miss. Where the messages need not be wrong, and of operations that nobody waits for, a near
 * miss is no mistake. @return how many there are */
static size_t
add_unmatched(const struct verdict *verdict, struct table *table, int rate, bool all, size_t max)
{
    size_t count = 0;
    for (uint32_t i = 0; i < verdict->job.n_ops; i++) {
        const struct job_op *op = &verdict->job.ops[i];
        struct near near[NEAR_MAX];
        const struct near *best = NULL;
        if (!near_is_unmatched(op) ||
            (!all && rate < NEAR_RATES && (is_explained(verdict) || !op->awaited)))
            continue;
        for (size_t k = 0, n_near = near_find(&verdict->near, i, near); k < n_near; k++)
            if (!best || near_rate(&near[k]) < near_rate(best))
                best = &near[k];
        if ((best ? near_rate(best) : NEAR_RATES) == rate && count++ < max)
            add_operation(verdict, table, op, best);
    }
    return count;
}

static void
print_unmatched(const struct verdict *verdict, FILE *out, struct verdict_style style, size_t max)
{
    struct table *table = table_create(OPERATION_COLUMNS, style.color);
    size_t count = 0;
    // What has no partner at all is listed with its process already.
    for (int rate = 0; rate < NEAR_RATES + style.alone; rate++)
        count += add_unmatched(verdict, table, rate, style.all, count < max ? max - count : 0);
    if (count > 0)
        fprintf(out, "  %s:\n",
                style.alone ? "operations without a partner"
                            : "sends and receives that differ in one thing");
    table_print(table, out, 4);
    print_rest(out, count, max, "operations");
}

enum {
    KNOT_ROWS = 10,
    GROUP_ROWS = 10,
    COLLECTIVE_ROWS = 5,
    UNMATCHED_ROWS = 8,
    UNSEEN_ROWS = 5,
    NOTE_ROWS = 5
};

bool
verdict_is_worth_showing(const struct verdict *verdict)
{
    return verdict->job.n_processes > 1 || verdict->knots.count > 0 ||
           verdict->waits.n_awaited > 0 || verdict->job.is_plain;
}

static void
print_kind(const struct verdict *verdict, FILE *out, bool color)
{
    static const char *const colors[] = {[VERDICT_DEADLOCK] = "\033[1;31m",
                                         [VERDICT_UNLESS] = "\033[1;31m",
                                         [VERDICT_HANG] = "\033[1;31m",
                                         [VERDICT_NONE_SEEN] = "\033[32m",
                                         [VERDICT_UNKNOWN] = "\033[33m"};
    fputs(color ? colors[verdict->kind] : "", out);
    print_line(out, "", verdict->text, color ? "\033[0m" : "");
}

static void
print_unseen(const struct verdict *verdict, FILE *out, size_t max)
{
    for (size_t i = 0; i < verdict->job.n_unseen && i < max; i++)
        print_line(out, "  not known: ", verdict->job.unseen[i], "");
    if (verdict->job.n_unseen > max)
        fprintf(out, "  not known: %zu more things; see --json\n", verdict->job.n_unseen - max);
}

void
verdict_print(const struct verdict *verdict, FILE *out, struct verdict_style style)
{
    size_t none = style.all ? SIZE_MAX : 0;
    print_kind(verdict, out, style.color);
    for (size_t i = 0; i < verdict->n_facts; i++)
        print_line(out, "  ", verdict->facts[i], "");
    print_knots(verdict, out, style, KNOT_ROWS | none);
    if (verdict->job.n_processes > 1 ||
        (verdict->kind == VERDICT_UNKNOWN && !verdict->job.is_plain))
        verdict_print_groups(verdict, out, style, GROUP_ROWS | none);
    print_collectives(verdict, out, style, COLLECTIVE_ROWS | none);
    print_unmatched(verdict, out, style, UNMATCHED_ROWS | none);
    print_unseen(verdict, out, UNSEEN_ROWS | none);
    if (verdict->job.by_index && verdict->job.n_processes > 1)
        fprintf(out, "  processes are numbered by their place%s\n",
                verdict->job.is_plain ? "" : ", since ranks repeat or are not known");
    if (style.alone && !style.all)
        verdict_print_notes(verdict, out, NOTE_ROWS);
}
