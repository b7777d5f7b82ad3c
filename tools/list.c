// SPDX-License-Identifier: BSD-3-Clause
// The processes of a run, without a look at them.
#include "tools/list.h"

#include "tools/alloc.h"
#include "tools/core.h"
#include "tools/escape.h"
#include "tools/json.h"
#include "tools/look.h"
#include "tools/print.h"
#include "tools/procfs.h"

#include <stdlib.h>

/** What is known of a process without a look at it. */
static struct report
outline(const struct show *show, size_t i)
{
    const struct job_process *process = &show->job.items[i];
    bool here = process->node < 0, lives = here && process->core == NULL;
    char *program = process->core != NULL           ? alloc_text(process->core->program)
                    : lives && !process->is_foreign ? procfs_program(process->pid)
                                                    : NULL;
    struct report report = {
        .pid = process->pid,
        .rank = process->rank,
        .image = escape_text(program != NULL ? program : "", SIZE_MAX),
        .core = process->core != NULL ? escape_text(process->core->path, SIZE_MAX) : NULL,
        .state = lives ? state_read(process->pid) : (struct state){.kind = STATE_UNKNOWN},
        .host = here ? look_host(show) : alloc_text(show->job.nodes.items[process->node].name),
    };
    free(program);
    return report;
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
    char *state = state_describe(&report->state);
    fprintf(out, "%s%s\n", state != NULL ? "   " : "", state != NULL ? state : "");
    free(state);
}

void
list_print(FILE *out, const struct show *show)
{
    struct report *reports = alloc_zeroed(show->count, sizeof *reports);
    for (size_t i = 0; i < show->count; i++)
        reports[i] = outline(show, i);
    if (show->options->json) {
        json_t *document = json_document(reports, show->count, NULL);
        print_json(out, document);
        json_decref(document);
    } else {
        for (size_t i = 0; i < show->count; i++)
            print_line(out, &reports[i]);
    }
    for (size_t i = 0; i < show->count; i++)
        report_deinit(&reports[i]);
    free(reports);
}
