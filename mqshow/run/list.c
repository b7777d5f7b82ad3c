// SPDX-License-Identifier: BSD-3-Clause
// The processes of a run, without reading them.
#include "mqshow/run/list.h"

#include "mqshow/base/alloc.h"
#include "mqshow/process/core.h"
#include "mqshow/base/escape.h"
#include "mqshow/run/sample.h"
#include "mqshow/text/print.h"
#include "mqshow/process/procfs.h"
#include "mqshow/run/document_print.h"
#include "mqshow/report/report.h"

#include <stdlib.h>

/** Adds what is known of a process without reading it. */
static void
add_outline(const struct run *run, size_t i, struct report *report)
{
    const struct job_process *process = &run->job.items[i];
    bool here = process->node < 0, lives = job_is_live(process);
    char *program = here && !process->is_foreign ? job_program(process) : NULL;
    struct state state = lives ? state_read(process->pid) : (struct state){.kind = STATE_UNKNOWN};
    if (process->pid > 0)
        SET(report, PROCESS_PID, pid, process->pid);
    report->rank = process->rank;
    report->image = report_keep(report, escape_text(program != NULL ? program : "", SIZE_MAX));
    if (process->core != NULL)
        report->core = report_keep(report, escape_text(process->core->path, SIZE_MAX));
    report->host = report_keep(report, here ? run_host(run)
                                            : alloc_text(run->job.nodes.items[process->node].name));
    report_set_state(report, &state);
    if (lives && process->world != JOB_NO_WORLD)
        report->world = report_keep(report, escape_text(run->job.worlds[process->world], SIZE_MAX));
    state_deinit(&state);
    free(program);
}

static void
print_line(FILE *out, const struct report *report)
{
    if (report->rank >= 0)
        fprintf(out, "rank %d   ", report->rank);
    fprintf(out, report->pid > 0 ? "pid %d" : "pid ?", (int) report->pid);
    if (report->host != NULL)
        fprintf(out, " on %s", report->host);
    fprintf(out, *report->image != '\0' ? "   %s" : "", report->image);
    fprintf(out, report->core != NULL ? "   %s" : "", report->core);
    const struct state known = report_state(report);
    char *state = state_describe(&known);
    fprintf(out, "%s%s\n", state != NULL ? "   " : "", state != NULL ? state : "");
    free(state);
}

void
list_print(FILE *out, const struct run *run)
{
    struct document *document = document_create(run->count);
    for (size_t i = 0; i < run->count; i++)
        add_outline(run, i, &document->reports[i]);
    for (size_t i = 0; i < run->count && !run->options->json; i++)
        print_line(out, &document->reports[i]);
    if (run->options->json)
        document_print(
            out, document, NULL,
            &(struct document_form){JSON_INDENT(1) | JSON_REAL_PRECISION(6), .narrow = false});
    document_destroy(document);
}
