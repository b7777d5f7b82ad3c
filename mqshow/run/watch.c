// SPDX-License-Identifier: BSD-3-Clause
// Samples again and again, and what changes between them.
#include "mqshow/run/watch.h"

#include "mqshow/base/clock.h"
#include "mqshow/base/draft.h"
#include "mqshow/base/alloc.h"
#include "mqshow/base/diag.h"
#include "mqshow/base/escape.h"
#include "mqshow/run/document_print.h"
#include "mqshow/verdict/export.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CHANGES_SHOWN = 5 };

static const char clear_screen[] = "\033[H\033[2J";

static volatile sig_atomic_t is_over;

static void
end_watch(int signal)
{
    (void) signal;
    is_over = true;
}

void
watch_begin(void)
{
    struct sigaction action = {.sa_handler = end_watch};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/** Prints a member of an operation, if it is known. */
static void
print_member(FILE *out, const struct change *change, enum op_field number, const char *before,
             const char *behind)
{
    struct value value =
        record_value(&operation_type.fields[number], change_operation(change), NULL);
    if (value.type == VALUE_INTEGER)
        fprintf(out, "%s%" PRId64 "%s", before, value.integer, behind);
    else if (value.type == VALUE_TEXT)
        fprintf(out, "%s%s%s", before, value.text, behind);
}

/** "rank 3   ring   new receive from 1 tag 7 400 B" */
static void
print_change(FILE *out, const struct change *change)
{
    static const char *const names[] = {[mqs_pending_receives] = "receive",
                                        [mqs_unexpected_messages] = "unexpected",
                                        [mqs_pending_sends] = "send"};
    if (change->report->rank >= 0)
        fprintf(out, "  rank %d", change->report->rank);
    else
        fprintf(out, "  pid %d", change->report->pid);
    fprintf(out, "   %s   %s %s", communicator_label(change->comm), change->is_new ? "new" : "gone",
            names[change->op_class]);
    print_member(out, change, OP_PEER, change->op_class == mqs_pending_sends ? " to " : " from ",
                 "");
    print_member(out, change, OP_TAG, " tag ", "");
    print_member(out, change, OP_BYTES, " ", " B");
    fputc('\n', out);
}

static void
print_changes(FILE *out, const struct changes *changes, bool all)
{
    size_t news = 0;
    for (size_t i = 0; i < changes->count; i++)
        news += changes->items[i].is_new;
    fprintf(out,
            "operations: %zu did not move, %zu did, %zu new, %zu gone; "
            "threads: %zu did not move, %zu did\n",
            changes->unmoved, changes->moved, news, changes->count - news, changes->threads_unmoved,
            changes->threads_moved);
    size_t shown = all || changes->count <= CHANGES_SHOWN ? changes->count : CHANGES_SHOWN;
    for (size_t i = 0; i < shown; i++)
        print_change(out, &changes->items[i]);
    if (shown < changes->count)
        fprintf(out, "  ... %zu more changes\n", changes->count - shown);
}

char *
watch_changes(const struct sampler *sampler, bool all)
{
    struct draft draft;
    FILE *out = draft_open(&draft);
    fprintf(out, "%zu samples in %.1f s: ", sampler->count,
            (double) (sampler->last_us - sampler->first_us) / 1e6);
    print_changes(out, &sampler->changes, all);
    return draft_close(&draft);
}

static void
write_change(struct json_out *json, const struct change *change)
{
    const struct operations *queue = communicator_operations(change->comm, change->op_class);
    const struct record_place place = {.operations = (struct operations *) queue};
    json_out_open(json, '{');
    if (change->report->pid > 0)
        json_out_set_integer(json, "pid", change->report->pid);
    if (change->report->rank >= 0)
        json_out_set_integer(json, "rank", change->report->rank);
    json_out_set_text(json, "communicator", change->comm->label);
    json_out_set_integer(json, "communicator_id", change->comm->id);
    json_out_set_text(json, "queue", queue_key(change->op_class));
    json_out_key(json, "operation");
    record_write(json, &operation_type, change_operation(change), &place);
    json_out_close(json, '}');
}

/** Whether the verdict is another one. */
static bool
is_judged_anew(const struct sampler *sampler)
{
    return !text_equals(sampler->text_before,
                        sampler->verdict != NULL ? sampler->verdict->text : NULL);
}

static void
write_changes(struct json_out *json, const struct sampler *sampler)
{
    const struct changes *changes = &sampler->changes;
    json_out_open(json, '{');
    for (int gone = 0; gone < 2; gone++) {
        json_out_array(json, gone ? "gone" : "new");
        for (size_t i = 0; i < changes->count; i++)
            if (changes->items[i].is_new != gone)
                write_change(json, &changes->items[i]);
        json_out_close(json, ']');
    }
    json_out_set_integer(json, "moved", (int64_t) changes->moved);
    json_out_set_integer(json, "unmoved", (int64_t) changes->unmoved);
    json_out_set_integer(json, "threads_moved", (int64_t) changes->threads_moved);
    json_out_set_integer(json, "threads_unmoved", (int64_t) changes->threads_unmoved);
    json_out_key(json, "verdict");
    json_out_bool(json, is_judged_anew(sampler));
    json_out_close(json, '}');
}

static void
write_more(struct json_out *json, const void *context)
{
    const struct sampler *sampler = context;
    if (!sampler->follows)
        return;
    json_out_key(json, "changes");
    write_changes(json, sampler);
}

static void
print_line(const struct sampler *sampler, FILE *out)
{
    const struct document_form form = {.flags = JSON_COMPACT | JSON_REAL_PRECISION(6),
                                       .narrow = true,
                                       .tree = sampler->run->options->tree,
                                       .more = write_more,
                                       .context = sampler};
    document_set_origin(sampler->document);
    document_print(out, sampler->document, sampler->verdict, &form);
}

/** "10:03:20   sample 3", and what changed since the one before. */
static char *
news_text(const struct sampler *sampler, size_t number)
{
    struct draft draft;
    FILE *out = draft_open(&draft);
    char text[64];
    time_t now = time(NULL);
    struct tm parts;
    localtime_r(&now, &parts);
    strftime(text, sizeof text, "%H:%M:%S", &parts);
    fprintf(out, "%s   sample %zu\n", text, number);
    if (sampler->follows)
        print_changes(out, &sampler->changes, sampler->run->options->all);
    return draft_close(&draft);
}

static void
print_verdict(const struct sampler *sampler, FILE *out)
{
    if (sampler->verdict != NULL && is_judged_anew(sampler))
        fprintf(out, "%s\n", sampler->verdict->text);
}

static void
print_sample_number(struct sampler *sampler, FILE *out, size_t number, watch_print_ft print)
{
    bool is_terminal = isatty(fileno(out));
    if (sampler->run->options->json) {
        print_line(sampler, out);
        return;
    }
    char *news = news_text(sampler, number);
    if (is_terminal || !sampler->follows) {
        fputs(is_terminal ? clear_screen : "", out);
        print(sampler, out, news);
    } else {
        fputs(news, out);
        print_verdict(sampler, out);
    }
    free(news);
}

void
watch_run(struct sampler *sampler, FILE *out, watch_print_ft print)
{
    const struct options *options = sampler->run->options;
    for (size_t printed = 0; !is_over;) {
        print_sample_number(sampler, out, ++printed, print);
        if (fflush(out) != 0 || (options->count > 0 && printed >= options->count) ||
            !sampler_sleep(options->watch) || is_over)
            return;
        sampler_follow(sampler);
        sampler_judge(sampler);
        // Interrupted, the sample may lack what was not read any more.
    }
}
