// SPDX-License-Identifier: BSD-3-Clause
#include "mqshow/run/wait_report.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/diag.h"
#include "mqshow/report/report.h"
#include "mqshow/run/document_print.h"
#include "mqshow/verdict/verdict.h"

#include <stdlib.h>

enum {
    SURE_SAMPLES = 8,
    SURE_PAUSE_MS = 50, // between these
    REPORTS = 3         // at most, until one is clear
};

int64_t
report_longest_stop(const struct document *document)
{
    int64_t longest = 0;
    for (size_t i = 0; i < document->count; i++)
        if (document->reports[i].stopped_us > longest)
            longest = document->reports[i].stopped_us;
    return longest;
}

/** Whether another report may say more: on a busy machine one has few samples, or a machine
 * missing. */
static bool
is_open(const struct verdict *verdict)
{
    return verdict != NULL && (verdict->kind == VERDICT_UNKNOWN ||
                               (verdict->knots.count > 0 && verdict->kind != VERDICT_DEADLOCK &&
                                verdict->kind != VERDICT_UNLESS));
}

/** Takes the samples of a report. @return as wait_report_take() */
static int64_t
sample_report(struct run *run, struct sampler *report)
{
    sampler_init(report, run);
    sampler_judge(report);
    if (report->count == 1) { // the verdict needs no more
        sampler_forget_verdict(report);
        sampler_settle(report, SURE_SAMPLES, SURE_PAUSE_MS / 1e3, SURE_SAMPLES, false);
        sampler_judge(report);
    }
    return report_longest_stop(report->document) * (int64_t) report->count;
}

int64_t
wait_report_take(struct run *run, struct sampler *ret)
{
    int64_t stopped_us = sample_report(run, ret);
    for (int i = 1; i < REPORTS && is_open(ret->verdict); i++) {
        sampler_deinit(ret);
        stopped_us += sample_report(run, ret);
    }
    return stopped_us;
}

char *
wait_report_stopped(const struct document *document)
{
    const struct report *first = NULL;
    size_t count = 0;
    for (size_t i = document->count; i-- > 0;) {
        struct state state = report_state(&document->reports[i]);
        if (state.kind != STATE_STOPPED && state.kind != STATE_TRACED)
            continue;
        first = &document->reports[i];
        count++;
    }
    if (first == NULL)
        return NULL;
    struct state state = report_state(first);
    char *what = state_describe(&state), *text;
    if (first->rank >= 0)
        text = alloc_format("rank %d is %s", first->rank, what);
    else
        text = alloc_format("process %d is %s", (int) first->pid, what);
    free(what);
    if (count == 1)
        return text;
    char *all = alloc_format("%s, %zu others likewise", text, count - 1);
    free(text);
    return all;
}

bool
wait_report_save(struct sampler *report, const char *why, const char *path, FILE *out)
{
    struct document *document = report->document;
    const char *verdict = report->verdict != NULL ? report->verdict->text : "nothing to judge";
    *ALLOC_ADD(document->messages.items, document->messages.count, document->messages.capacity) =
        intern_keep(&document->texts, why);
    diag_progress_clear();
    bool saved = document_save(document, report->verdict, path);
    fprintf(out, "%s%s%s: %s\n", why, saved ? ", saved in " : ", not saved", saved ? path : "",
            verdict);
    return saved;
}
