// SPDX-License-Identifier: BSD-3-Clause
// The threads that hold each other up, for people.
#include "mqshow/base/table.h"
#include "mqshow/verdict/text.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 4 };

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
    table_cell(table, 0, verdict_cell(&words), NULL);
    if (of->tid > 0)
        strbuf_add(&words, "tid %lld", (long long) of->tid);
    table_cell(table, 1, verdict_cell(&words), NULL);
    verdict_add_thread(verdict, &words, thread);
    table_cell(table, 2, verdict_cell(&words), NULL);
    verdict_add_awaited(verdict, &words, thread);
    table_cell(table, 3, verdict_cell(&words), NULL);
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

void
verdict_print_knots(const struct verdict *verdict, FILE *out, struct verdict_style style,
                    size_t max)
{
    struct rows rows = {.verdict = verdict, .max = max, .all = style.all};
    rows.table = table_create(COLUMNS, style.color);
    for (size_t i = 0; i < verdict->knots.count; i++)
        add_cycle(&rows, &verdict->knots.items[i]);
    table_print(rows.table, out, 2);
    if (rows.count > max)
        fprintf(out, "  ... and %zu more threads\n", rows.count - max);
}
