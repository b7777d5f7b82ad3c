// SPDX-License-Identifier: BSD-3-Clause
// The threads that hold each other up, for people.
#include "tools/table.h"
#include "tools/verdict/member.h"
#include "tools/verdict/text.h"

#include <stdlib.h>

enum { COLUMNS = 4 };

void
verdict_add_peer(const struct verdict *verdict, struct words *words, const struct jv_op *op)
{
    words_add(words, op->queue == JV_SENDS ? "to " : "from ");
    if (op->peer == ANY)
        words_add(words, "any");
    else if (op->partner != NOBODY)
        verdict_add_process(verdict, words, (uint32_t) op->partner);
    else if (op->peer >= 0)
        words_add(words, "%d", op->peer);
    else
        words_add(words, "?");
}

void
verdict_add_tag(struct words *words, const struct jv_op *op)
{
    if (op->tag >= 0)
        words_add(words, "tag %lld", (long long) op->tag);
    else
        words_add(words, op->tag == ANY ? "tag any" : "tag ?");
}

void
verdict_add_awaited(const struct verdict *verdict, struct words *words, uint32_t thread)
{
    const struct jobview *view = &verdict->view;
    const struct entry *entry = verdict_entry(verdict, (int32_t) thread);
    if (entry != NULL)
        words_add(words, "on %s", jobview_comm_name(&view->comms[entry->comm]));
    if (verdict->waits.situations[thread].doing == DOING_COLLECTIVE)
        return;
    uint32_t process = view->threads[thread].process;
    size_t more = 0;
    for (size_t i = waits_of_process(&verdict->waits, process);
         i < verdict->waits.n_awaited && verdict->waits.awaited[i].process == process; i++) {
        const struct awaited *awaited = &verdict->waits.awaited[i];
        const struct jv_op *op = &view->ops[awaited->op];
        if (awaited->thread != (int32_t) thread || op->fate == JV_GOES_ON || more++ > 0)
            continue;
        verdict_add_peer(verdict, words, op);
        words_add(words, " ");
        verdict_add_tag(words, op);
        words_add(words, " on %s", jobview_comm_name(&view->comms[op->comm]));
    }
    if (more > 1)
        words_add(words, ", and %zu more", more - 1);
}

/** @param table NULL: rows are only counted */
static void
add_row(const struct verdict *verdict, struct libscols_table *table, uint32_t thread)
{
    if (table == NULL)
        return;
    const struct jv_thread *of = &verdict->view.threads[thread];
    struct libscols_line *line = table_line(table);
    struct words words = {.text = NULL};
    verdict_add_process(verdict, &words, of->process);
    table_cell(line, 0, verdict_cell(&words), NULL);
    if (of->tid > 0)
        words_add(&words, "tid %lld", (long long) of->tid);
    table_cell(line, 1, verdict_cell(&words), NULL);
    verdict_add_thread(verdict, &words, thread);
    table_cell(line, 2, verdict_cell(&words), NULL);
    verdict_add_awaited(verdict, &words, thread);
    table_cell(line, 3, verdict_cell(&words), NULL);
}

/** The threads of a process that wait inside of it are a part of the knot. */
static size_t
add_inside(const struct verdict *verdict, struct libscols_table *table, uint32_t process,
           size_t max)
{
    const struct jv_process *of = &verdict->view.processes[process];
    size_t count = 0;
    for (uint32_t i = of->first_thread; i < of->first_thread + of->n_threads && count < max; i++) {
        if (!verdict_waits_inside(verdict, i))
            continue;
        add_row(verdict, table, i);
        count++;
    }
    return count;
}

static size_t
add_cycle(const struct verdict *verdict, struct libscols_table *table, const struct knot *knot,
          size_t max)
{
    size_t count = 0;
    for (size_t i = 0; i < knot->n_cycle && count < max; i++) {
        const struct node *node = &verdict->waits.graph.nodes[knot->cycle[i]];
        if (node->what != WHAT_THREAD)
            continue;
        enum doing doing = verdict->waits.situations[node->number].doing;
        if (doing != DOING_LOCK && doing != DOING_BARRIER) {
            add_row(verdict, table, node->number);
            count++;
        }
        count +=
            add_inside(verdict, table, verdict->view.threads[node->number].process, max - count);
    }
    return count;
}

static size_t
add_knots(const struct verdict *verdict, struct libscols_table *table, size_t max)
{
    size_t count = 0;
    for (size_t i = 0; i < verdict->knots.count && count < max; i++)
        count += add_cycle(verdict, table, &verdict->knots.items[i], max - count);
    return count;
}

void
verdict_print_knots(const struct verdict *verdict, FILE *out, struct verdict_style style,
                    size_t max)
{
    struct libscols_table *table = table_create(COLUMNS, style.color);
    size_t told = add_knots(verdict, table, max), count = add_knots(verdict, NULL, SIZE_MAX);
    table_print(table, out, 2);
    if (count > told)
        fprintf(out, "  ... and %zu more threads\n", count - told);
}
