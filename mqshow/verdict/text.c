// SPDX-License-Identifier: BSD-3-Clause
// The verdict for people.
#include "mqshow/verdict/text.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/search.h"
#include "mqshow/base/table.h"
#include "mqshow/verdict/near.h"

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

/** A copy of what was written that is harmless on a terminal, to free(). Empties the words. */
static char *
cell_text(struct strbuf *words)
{
    char *text = strbuf_take(words), *escaped = escape_text(text, SIZE_MAX);
    free(text);
    return escaped;
}

enum { KNOT_COLUMNS = 4 };

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

void
verdict_add_awaited(const struct verdict *verdict, struct strbuf *words, uint32_t thread)
{
    const struct job_index *job = &verdict->job;
    const struct entry *entry = verdict_entry(verdict, (int32_t) thread);
    if (entry)
        strbuf_add(words, "on %s", job_index_comm_name(&job->comms[entry->comm]));
    if (verdict->waits.activities[thread].doing == DOING_COLLECTIVE)
        return;
    uint32_t process = job->threads[thread].process;
    size_t more = 0;
    for (size_t i = waits_of_process(&verdict->waits, process);
         i < verdict->waits.n_awaited && verdict->waits.awaited[i].process == process; i++) {
        const struct awaited *awaited = &verdict->waits.awaited[i];
        const struct job_op *op = &job->ops[awaited->op];
        if (awaited->thread != (int32_t) thread || op->fate == JOB_RUNNABLE || more++ > 0)
            continue;
        verdict_add_peer(verdict, words, op);
        strbuf_add(words, " ");
        verdict_add_tag(words, op);
        strbuf_add(words, " on %s", job_index_comm_name(&job->comms[op->comm]));
    }
    if (more > 1)
        strbuf_add(words, ", and %zu more", more - 1);
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
    struct table *table = rows->table;
    table_line(table);
    struct strbuf words = {.text = NULL};
    verdict_add_process(verdict, &words, of->process);
    table_cell(table, 0, cell_text(&words), NULL);
    if (of->tid > 0)
        strbuf_add(&words, "tid %lld", (long long) of->tid);
    table_cell(table, 1, cell_text(&words), NULL);
    verdict_add_thread(verdict, &words, thread);
    table_cell(table, 2, cell_text(&words), NULL);
    verdict_add_awaited(verdict, &words, thread);
    table_cell(table, 3, cell_text(&words), NULL);
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

static void
add_cycle(struct rows *rows, const struct knot *knot)
{
    const struct waits *waits = &rows->verdict->waits;
    for (size_t i = 0; i < knot->n_cycle; i++) {
        const struct node *node = &waits->graph.nodes[knot->cycle[i]];
        if (node->what != WHAT_THREAD)
            continue;
        enum doing doing = waits->activities[node->number].doing;
        if (doing != DOING_LOCK && doing != DOING_BARRIER)
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

struct notes {
    struct intern texts;
    struct said *items;
    size_t count, capacity;
};

static void
gather_notes(struct notes *notes, const struct job_index *job)
{
    for (uint32_t i = 0; i < job->n_processes; i++) {
        const struct report *report = job->processes[i].report;
        for (size_t k = 0; k < report->messages.count; k++) {
            *ALLOC_ADD(notes->items, notes->count, notes->capacity) =
                (struct said){intern_text(&notes->texts, report->messages.items[k]), i};
        }
    }
}

static int
compare_texts(const void *left, const void *right)
{
    const struct said *a = left, *b = right;
    return COMPARE({a->text, b->text});
}

static int
compare_said(const void *left, const void *right)
{
    const struct said *a = left, *b = right;
    return COMPARE({a->text, b->text}, {a->process, b->process});
}

/** Prints what some processes say. */
static void
print_note(const struct verdict *verdict, FILE *out, const struct notes *notes, size_t first,
           size_t end)
{
    struct strbuf words = {.text = NULL};
    uint32_t *processes = alloc_zeroed(end - first, sizeof *processes);
    for (size_t i = first; i < end; i++)
        processes[i - first] = notes->items[i].process;
    verdict_add_ranks(verdict, &words, processes, end - first);
    strbuf_add(&words, ": %s", intern_get_text(&notes->texts, notes->items[first].text));
    print_line(out, "  note: ", words.text, "");
    free(words.text);
    free(processes);
}

void
verdict_print_notes(const struct verdict *verdict, FILE *out, size_t max)
{
    struct notes notes = {.items = NULL};
    gather_notes(&notes, &verdict->job);
    if (notes.count > 0)
        qsort(notes.items, notes.count, sizeof *notes.items, compare_said);
    for (size_t first = 0, end; first < notes.count; first = end) {
        end = search_end(notes.items, notes.count, sizeof *notes.items, first, compare_texts);
        if (notes.items[first].text < max)
            print_note(verdict, out, &notes, first, end);
    }
    if (notes.texts.count > max)
        fprintf(out, "  note: %zu more; see --all\n", notes.texts.count - max);
    free(notes.items);
    intern_deinit(&notes.texts);
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
    int order = ((*a)->count < (*b)->count) - ((*a)->count > (*b)->count);
    return order != 0 ? order
                      : ((*a)->situation > (*b)->situation) - ((*a)->situation < (*b)->situation);
}

static void
add_group(const struct verdict *verdict, struct table *table, const struct rank_group *group)
{
    table_line(table);
    struct strbuf words = {.text = NULL};
    size_t n_labels;
    int32_t *labels = verdict_labels(verdict, group->processes, group->count, &n_labels);
    if (n_labels > 0)
        strbuf_add_ranges(&words, labels, n_labels, RUNS_SHOWN);
    verdict_add_cores(verdict, &words, group->processes, group->count, n_labels > 0 ? ", " : "");
    table_cell(table, 0, cell_text(&words), NULL);
    strbuf_add(&words, "%zu", group->count);
    table_cell(table, 1, cell_text(&words), NULL);
    strbuf_add(&words, "%s", intern_get_text(&verdict->situations, group->situation));
    table_cell(table, 2, cell_text(&words), NULL);
    free(labels);
}

void
verdict_print_groups(const struct verdict *verdict, FILE *out, struct verdict_style style,
                     size_t max)
{
    struct table *table = table_create(3, style.color);
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
add_collective(const struct verdict *verdict, struct table *table, const struct collective *item,
               const uint32_t *missing, size_t n_missing)
{
    const struct collectives *collectives = &verdict->waits.collectives;
    const struct job_comm *comm = &verdict->job.comms[item->comm];
    int64_t not_seen = collectives_not_seen(collectives, item);
    table_line(table);
    struct strbuf words = {.text = NULL};
    strbuf_add(&words, "%s on %s", collectives_name(collectives, item), job_index_comm_name(comm));
    table_cell(table, 0, cell_text(&words), NULL);
    size_t n_members = collectives_members(collectives, item), n_in;
    free(collectives_processes(collectives, item, &n_in));
    // Of some collectives others are not in it either, but may have been.
    bool is_one_sided = collectives_is_one_sided(collectives, item);
    n_in = is_one_sided ? n_in : n_members - n_missing;
    strbuf_add(&words, "%zu of %lld in it", n_in, (long long) n_members + (long long) not_seen);
    table_cell(table, 1, cell_text(&words), NULL);
    if (n_missing > 0) {
        bool knows = collectives_knows_awaited(collectives, item);
        strbuf_add(&words, knows ? "waits for " : is_one_sided ? "elsewhere: " : "missing: ");
        verdict_add_ranks(verdict, &words, missing, n_missing);
    }
    if (not_seen > 0)
        strbuf_add(&words, "%s%lld not read", n_missing > 0 ? ", " : "", (long long) not_seen);
    table_cell(table, 2, cell_text(&words), NULL);
}

static void
print_collectives(const struct verdict *verdict, FILE *out, struct verdict_style style, size_t max)
{
    const struct collectives *collectives = &verdict->waits.collectives;
    struct table *table = table_create(3, style.color);
    size_t count = 0;
    for (size_t i = 0; i < collectives->count; i++) {
        const struct collective *item = &collectives->items[i];
        size_t n_missing;
        uint32_t *missing = collectives_missing(collectives, item, &n_missing);
        if (collectives_is_certain(collectives, item) &&
            (n_missing > 0 || collectives_not_seen(collectives, item) > 0) && count++ < max)
            add_collective(verdict, table, item, missing, n_missing);
        free(missing);
    }
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
    table_line(table);
    struct strbuf words = {.text = NULL};
    verdict_add_process(verdict, &words, op->process);
    table_cell(table, 0, cell_text(&words), NULL);
    strbuf_add(&words, "%s", op->probe ? "probe" : names[op->queue]);
    table_cell(table, 1, cell_text(&words), NULL);
    verdict_add_peer(verdict, &words, op);
    table_cell(table, 2, cell_text(&words), NULL);
    verdict_add_tag(&words, op);
    table_cell(table, 3, cell_text(&words), NULL);
    strbuf_add(&words, "on %s", job_index_comm_name(&job->comms[op->comm]));
    table_cell(table, 4, cell_text(&words), NULL);
    if (near) {
        const struct job_op *other = &job->ops[near->op];
        strbuf_add(&words, "%s: %s %s %d, ", near->why, names[other->queue],
                   other->queue == JOB_SENDS ? "by" : "in", job->processes[other->process].label);
        verdict_add_tag(&words, other);
        strbuf_add(&words, " on %s", job_index_comm_name(&job->comms[other->comm]));
    }
    table_cell(table, 5, cell_text(&words), NULL);
}

/** The most probable mistake of several. */
static const struct near *
best_of(const struct near *near, size_t count)
{
    const struct near *best = near;
    for (size_t i = 1; i < count; i++)
        if (near_rate(&near[i]) < near_rate(best))
            best = &near[i];
    return best;
}

/** Whether nothing need be wrong with the messages: the job goes on, or its ranks wait for one that
 * is stopped or the like. */
static bool
is_explained(const struct verdict *verdict)
{
    return verdict->kind == VERDICT_NONE_SEEN || verdict->kind == VERDICT_HANG;
}

/** Adds unmatched operations with their near misses, those of one rate. Where the messages need not
 * be wrong, and of operations that nobody waits for, a near miss is no mistake. */
static size_t
add_mistakes(const struct verdict *verdict, struct table *table, int rate, bool all, size_t max)
{
    size_t count = 0;
    for (uint32_t i = 0; i < verdict->job.n_ops; i++) {
        struct near near[NEAR_MAX];
        if (!near_is_unmatched(&verdict->job.ops[i]) ||
            (!all && (is_explained(verdict) || !verdict_is_awaited(verdict, i))))
            continue;
        size_t n_near = near_find(&verdict->near, i, near);
        const struct near *best = best_of(near, n_near);
        if (n_near > 0 && near_rate(best) == rate && count++ < max)
            add_operation(verdict, table, &verdict->job.ops[i], best);
    }
    return count;
}

/** Adds the unmatched operations that have no near miss. */
static size_t
add_lonely(const struct verdict *verdict, struct table *table, size_t max)
{
    size_t count = 0;
    for (uint32_t i = 0; i < verdict->job.n_ops; i++) {
        struct near near[NEAR_MAX];
        if (near_is_unmatched(&verdict->job.ops[i]) && near_find(&verdict->near, i, near) == 0 &&
            count++ < max)
            add_operation(verdict, table, &verdict->job.ops[i], NULL);
    }
    return count;
}

static void
print_unmatched(const struct verdict *verdict, FILE *out, struct verdict_style style, size_t max)
{
    struct table *table = table_create(6, style.color);
    size_t count = 0;
    for (int rate = 0; rate < NEAR_RATES; rate++)
        count += add_mistakes(verdict, table, rate, style.all, count < max ? max - count : 0);
    // What has no partner at all is listed with its process already.
    if (style.alone)
        count += add_lonely(verdict, table, count < max ? max - count : 0);
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
    return verdict->job.n_processes > 1 || verdict->knots.count > 0 || verdict->waits.n_awaited > 0;
}

static void
print_kind(const struct verdict *verdict, FILE *out, bool color)
{
    static const char *const colors[] = {[VERDICT_DEADLOCK] = "\033[1;31m",
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
    if (verdict->job.n_processes > 1 || verdict->kind == VERDICT_UNKNOWN)
        verdict_print_groups(verdict, out, style, GROUP_ROWS | none);
    print_collectives(verdict, out, style, COLLECTIVE_ROWS | none);
    print_unmatched(verdict, out, style, UNMATCHED_ROWS | none);
    print_unseen(verdict, out, UNSEEN_ROWS | none);
    if (verdict->job.by_index)
        fputs("  processes are numbered by their place, since ranks repeat or are not known\n",
              out);
    if (style.alone && !style.all)
        verdict_print_notes(verdict, out, NOTE_ROWS);
}
