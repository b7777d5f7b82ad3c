// SPDX-License-Identifier: BSD-3-Clause
// Every process of a document with its pending operations, for people.
#include "tools/alloc.h"
#include "tools/table.h"
#include "tools/verdict/member.h"
#include "tools/verdict/text.h"

#include <stdlib.h>

static void
print_heading(const struct verdict *verdict, FILE *out, uint32_t number)
{
    const struct jv_process *process = &verdict->view.processes[number];
    const char *host = member_text(process->json, "host"),
               *image = member_text(process->json, "image");
    struct words words = {.text = NULL};
    verdict_add_process(verdict, &words, number);
    words_add(&words, "   ");
    if (verdict->view.by_index && process->rank != NOBODY)
        words_add(&words, "rank %d   ", process->rank);
    int64_t pid = member_number(process->json, "pid", 1, INT32_MAX, 0);
    words_add(&words, pid > 0 ? "pid %lld" : "pid ?", (long long) pid);
    words_add(&words, "   %s%s%s", host != NULL ? host : "", host != NULL ? "   " : "",
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
    bool has_status = (op->record->has & OP_HAS(OP_STATUS)) != 0;
    const char *status = has_status ? status_name(op->record->status) : NULL;
    table_line(table);
    struct words words = {.text = NULL};
    words_add(&words, "%s", op->probe ? "probe" : names[op->queue]);
    table_cell(table, 0, verdict_cell(&words), NULL);
    verdict_add_peer(verdict, &words, op);
    table_cell(table, 1, verdict_cell(&words), NULL);
    verdict_add_tag(&words, op);
    table_cell(table, 2, verdict_cell(&words), NULL);
    if (op->bytes >= 0)
        words_add(&words, "%lld B", (long long) op->bytes);
    table_cell(table, 3, verdict_cell(&words), NULL);
    words_add(&words, "on %s", jobview_comm_name(&verdict->view.comms[op->comm]));
    table_cell(table, 4, verdict_cell(&words), NULL);
    words_add(&words, "%s%s", status != NULL ? status : "", op->blocked ? ", blocks a thread" : "");
    table_cell(table, 5, verdict_cell(&words), NULL);
}

static void
print_notes(FILE *out, const struct jv_process *process)
{
    size_t i;
    json_t *message;
    json_array_foreach (json_object_get(process->json, "messages"), i, message) {
        struct words words = {.text = NULL};
        words_add(&words, "%s", json_is_string(message) ? json_string_value(message) : "?");
        char *text = verdict_cell(&words);
        fprintf(out, "  note: %s\n", text);
        free(text);
    }
}

void
verdict_print_processes(const struct verdict *verdict, FILE *out)
{
    for (uint32_t i = 0; i < verdict->view.n_processes; i++) {
        const struct jv_process *process = &verdict->view.processes[i];
        struct table *table = table_create(6, false);
        struct words words = {.text = NULL};
        print_heading(verdict, out, i);
        words_add(&words, "%s", intern_get_text(&verdict->situations, process->group));
        char *situation = verdict_cell(&words);
        fprintf(out, "  %s\n", situation);
        free(situation);
        for (uint32_t k = process->first_op; k < process->first_op + process->n_ops; k++)
            add_operation(verdict, table, &verdict->view.ops[k]);
        table_print(table, out, 2);
        print_notes(out, process);
    }
}
