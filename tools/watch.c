// SPDX-License-Identifier: BSD-3-Clause
// Samples again and again, and what changes between them.
#include "tools/watch.h"

#include "tools/clock.h"
#include "tools/draft.h"
#include "tools/json.h"
#include "tools/json_write.h"
#include "tools/say.h"

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

/** "from 1" of a receive; "" when it is not known. */
static void
print_peer(FILE *out, const struct look_change *change, const json_t *operation)
{
    const json_t *peer = json_object_get(operation, "peer");
    const char *direction = change->op_class == mqs_pending_sends ? "to" : "from";
    if (json_is_integer(peer))
        fprintf(out, " %s %" JSON_INTEGER_FORMAT, direction, json_integer_value(peer));
    else if (json_is_string(peer))
        fprintf(out, " %s %s", direction, json_string_value(peer));
}

static void
print_number(FILE *out, const json_t *object, const char *key, const char *before,
             const char *behind)
{
    const json_t *value = json_object_get(object, key);
    if (json_is_integer(value))
        fprintf(out, "%s%" JSON_INTEGER_FORMAT "%s", before, json_integer_value(value), behind);
    else if (json_is_string(value))
        fprintf(out, "%s%s%s", before, json_string_value(value), behind);
}

/** "rank 3   ring   + receive from 1 tag 7 400 B" */
static void
print_change(FILE *out, const struct look_change *change)
{
    static const char *const words[] = {[mqs_pending_receives] = "receive",
                                        [mqs_unexpected_messages] = "unexpected",
                                        [mqs_pending_sends] = "send"};
    json_t *operation = looks_operation(change);
    const char *comm = json_string_value(json_object_get(change->communicator, "label"));
    const char *sort = json_object_get(change->process, "rank") != NULL ? "rank" : "pid";
    print_number(out, change->process, sort, *sort == 'r' ? "  rank " : "  pid ", "");
    fprintf(out, "   %s   %s %s", comm != NULL ? comm : "(no name)",
            change->is_new ? "new" : "gone", words[change->op_class]);
    print_peer(out, change, operation);
    print_number(out, operation, "tag", " tag ", "");
    print_number(out, operation, "bytes", " ", " B");
    fputc('\n', out);
    json_decref(operation);
}

static void
print_changes(FILE *out, const struct look_changes *changes, bool all)
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
watch_changes(const struct series *series, bool all)
{
    struct draft draft;
    FILE *out = draft_open(&draft);
    fprintf(out, "%zu samples in %.1f s: ", series->count,
            (double) (series->last_us - series->first_us) / 1e6);
    print_changes(out, &series->changes, all);
    return draft_close(&draft);
}

static json_t *
change_json(const struct look_change *change)
{
    json_t *object = json_object();
    json_object_set(object, "pid", json_object_get(change->process, "pid"));
    json_object_set(object, "rank", json_object_get(change->process, "rank"));
    json_object_set(object, "communicator", json_object_get(change->communicator, "label"));
    json_object_set(object, "communicator_id", json_object_get(change->communicator, "id"));
    json_set_text(object, "queue", queue_key(change->op_class));
    json_object_set_new(object, "operation", looks_operation(change));
    return object;
}

/** Whether the verdict is another one. */
static bool
is_judged_anew(const struct series *series)
{
    const json_t *old = json_object_get(json_object_get(series->before, "verdict"), "text");
    const json_t *new = json_object_get(json_object_get(series->document, "verdict"), "text");
    return !json_equal(old, new);
}

static json_t *
changes_json(const struct series *series)
{
    const struct look_changes *changes = &series->changes;
    json_t *object = json_object(), *new = json_array(), *gone = json_array();
    for (size_t i = 0; i < changes->count; i++)
        json_array_append_new(changes->items[i].is_new ? new : gone,
                              change_json(&changes->items[i]));
    json_object_set_new(object, "new", new);
    json_object_set_new(object, "gone", gone);
    json_set_integer(object, "moved", true, (int64_t) changes->moved);
    json_set_integer(object, "unmoved", true, (int64_t) changes->unmoved);
    json_set_integer(object, "threads_moved", true, (int64_t) changes->threads_moved);
    json_set_integer(object, "threads_unmoved", true, (int64_t) changes->threads_unmoved);
    json_set_bool(object, "verdict", true, is_judged_anew(series));
    return object;
}

static void
set_time(json_t *document)
{
    char text[64], whole[96];
    struct timespec now;
    struct tm parts;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &parts);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(whole, sizeof whole, "%s.%03ldZ", text, now.tv_nsec / 1000000);
    json_object_set_new(document, "time", json_string(whole));
}

static void
print_line(const struct series *series, FILE *out)
{
    set_time(series->document);
    if (series->follows)
        json_object_set_new(series->document, "changes", changes_json(series));
    json_t *document = series_asked_for(series);
    json_write(out, document, JSON_COMPACT | JSON_REAL_PRECISION(6));
    json_decref(document);
    fputc('\n', out);
}

/** "10:03:20   sample 3", and what changed since the one before. */
static char *
news_text(const struct series *series, size_t number)
{
    struct draft draft;
    FILE *out = draft_open(&draft);
    char text[64];
    time_t now = time(NULL);
    struct tm parts;
    localtime_r(&now, &parts);
    strftime(text, sizeof text, "%H:%M:%S", &parts);
    fprintf(out, "%s   sample %zu\n", text, number);
    if (series->follows)
        print_changes(out, &series->changes, series->show->options->all);
    return draft_close(&draft);
}

static void
print_verdict(const struct series *series, FILE *out)
{
    const json_t *verdict = json_object_get(series->document, "verdict");
    const char *text = json_string_value(json_object_get(verdict, "text"));
    if (text != NULL && is_judged_anew(series))
        fprintf(out, "%s\n", text);
}

static void
print_sample_number(const struct series *series, FILE *out, size_t number, watch_print_ft print)
{
    bool is_terminal = isatty(fileno(out));
    if (series->show->options->json) {
        print_line(series, out);
        return;
    }
    char *news = news_text(series, number);
    if (is_terminal || !series->follows) {
        fputs(is_terminal ? clear_screen : "", out);
        print(series, out, news);
    } else {
        fputs(news, out);
        print_verdict(series, out);
    }
    free(news);
}

void
watch_run(struct series *series, FILE *out, watch_print_ft print)
{
    const struct options *options = series->show->options;
    for (size_t printed = 0; !is_over;) {
        print_sample_number(series, out, ++printed, print);
        if (fflush(out) != 0 || (options->count > 0 && printed >= options->count) ||
            !series_sleep(options->watch) || is_over)
            return;
        series_follow(series);
        series_judge(series);
        // Interrupted, the sample may lack what was not read any more.
    }
}
