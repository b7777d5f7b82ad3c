// SPDX-License-Identifier: BSD-3-Clause
// Every process of a document with its pending operations, for people.
#include "mqshow/base/alloc.h"
#include "mqshow/base/table.h"
#include "mqshow/base/member.h"
#include "mqshow/verdict/text.h"

#include <stdlib.h>

static void
print_heading(const struct verdict *verdict, FILE *out, uint32_t number)
{
    const struct jv_process *process = &verdict->view.processes[number];
    const char *host = process->report->host, *image = process->report->image;
    struct strbuf words = {.text = NULL};
    verdict_add_process(verdict, &words, number);
    strbuf_add(&words, "   ");
    if (verdict->view.by_index && process->rank != NOBODY)
        strbuf_add(&words, "rank %d   ", process->rank);
    strbuf_add(&words, process->report->pid > 0 ? "pid %d" : "pid ?", process->report->pid);
    strbuf_add(&words, "   %s%s%s", host != NULL ? host : "", host != NULL ? "   " : "",
               image != NULL ? base_name(image) : "");
    char *text = verdict_cell(&words);
    fprintf(out, "\n%s\n", text);
    free(text);
}

static void
add_operation(const struct verdict *verdict, struct table *table, const struct jv_op *op)
{
    static const char *const names[JV_QUEUES] = {
        [JV_RECEIVES] = "receive", [JV_UNEXPECTED] = "unexpected", [JV_SENDS] = "send"};
    const char *status = HAS(op->record, OP_STATUS) ? status_name(op->record->status) : NULL;
    table_line(table);
    struct strbuf words = {.text = NULL};
    strbuf_add(&words, "%s", op->probe ? "probe" : names[op->queue]);
    table_cell(table, 0, verdict_cell(&words), NULL);
    verdict_add_peer(verdict, &words, op);
    table_cell(table, 1, verdict_cell(&words), NULL);
    verdict_add_tag(&words, op);
    table_cell(table, 2, verdict_cell(&words), NULL);
    if (jobview_bytes(op) >= 0)
        strbuf_add(&words, "%lld B", (long long) jobview_bytes(op));
    table_cell(table, 3, verdict_cell(&words), NULL);
    strbuf_add(&words, "on %s", jobview_comm_name(&verdict->view.comms[op->comm]));
    table_cell(table, 4, verdict_cell(&words), NULL);
    strbuf_add(&words, "%s%s", status != NULL ? status : "",
               op->blocked ? ", blocks a thread" : "");
    table_cell(table, 5, verdict_cell(&words), NULL);
}

static void
print_notes(FILE *out, const struct jv_process *process)
{
    for (size_t i = 0; i < process->report->messages.count; i++)
        fprintf(out, "  note: %s\n", process->report->messages.items[i]);
}

void
verdict_print_processes(const struct verdict *verdict, FILE *out)
{
    for (uint32_t i = 0; i < verdict->view.n_processes; i++) {
        const struct jv_process *process = &verdict->view.processes[i];
        struct table *table = table_create(6, false);
        struct strbuf words = {.text = NULL};
        print_heading(verdict, out, i);
        strbuf_add(&words, "%s", intern_get_text(&verdict->situations, process->group));
        char *situation = verdict_cell(&words);
        fprintf(out, "  %s\n", situation);
        free(situation);
        for (uint32_t k = process->first_op; k < process->first_op + process->n_ops; k++)
            add_operation(verdict, table, &verdict->view.ops[k]);
        table_print(table, out, 2);
        print_notes(out, process);
    }
}
