// SPDX-License-Identifier: BSD-3-Clause
// Several looks at the processes of a run, one after the other.
#include "tools/series.h"

#include "tools/alloc.h"
#include "tools/clock.h"
#include "tools/json.h"
#include "tools/print.h"
#include "tools/progress.h"
#include "tools/say.h"
#include "tools/verdict/labels.h"
#include "tools/verdict/verdict.h"

#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

// What is enough to tell a deadlock from a job that comes by the same place again and again.
enum {
    SURE_LOOKS = 8,
    CONFIRMING_LOOKS = 2,
    COUNTED_LOOKS = 3, // where the MPI library counts its messages, and all have run
    SURE_PAUSE_MS = 50,
    SURE_LIMIT_MS = 3000,
    LOOKS_MIN = 4,        // whatever the limit
    LAST_LIMIT_MS = 15000 // but not behind this one: each waits for a machine that hangs
};

/** Notes which communicators were not asked for. All are read: a thread may wait for any. */
static void
leave_out(const struct options *options, struct report *report, const json_t *process)
{
    const json_t *comms = json_object_get(process, "communicators");
    for (size_t i = 0; i < report->n_comms; i++)
        report->comms[i].left_out = !options_want_comm(options, json_array_get(comms, i));
}

/** The reports as a document, and both with labels. */
static json_t *
document_of(const struct show *show)
{
    host_count_time();
    json_t *document =
        json_document(show->reports, show->n_reports, show->options->stats ? &host_stats : NULL);
    const json_t *processes = json_object_get(document, "processes");
    labels_set(document);
    for (size_t i = 0; i < show->n_reports; i++) {
        const json_t *process = json_array_get(processes, i);
        report_set_labels(&show->reports[i], process);
        leave_out(show->options, &show->reports[i], process);
    }
    return document;
}

void
series_init(struct series *series, struct show *show)
{
    *series = (struct series){.show = show, .count = 1};
    show_run(show);
    series->first_us = series->last_us = clock_us();
    series->document = document_of(show);
    series->moved = alloc_zeroed(show->count, sizeof *series->moved);
    series->unchanged = alloc_zeroed(show->count, sizeof *series->unchanged);
}

/** Forgets the changes of communicators that were not asked for. */
static void
narrow_changes(const struct options *options, struct look_changes *changes)
{
    size_t kept = 0;
    for (size_t i = 0; i < changes->count; i++)
        if (options_want_comm(options, changes->items[i].communicator))
            changes->items[kept++] = changes->items[i];
    changes->count = kept;
}

json_t *
series_asked_for(const struct series *series)
{
    const struct options *options = series->show->options;
    if (options->comm == NULL)
        return json_incref(series->document);
    json_t *document = json_deep_copy(series->document), *process;
    size_t i;
    json_array_foreach (json_object_get(document, "processes"), i, process) {
        json_t *comms = json_object_get(process, "communicators");
        for (size_t k = json_array_size(comms); k > 0; k--)
            if (!options_want_comm(options, json_array_get(comms, k - 1)))
                json_array_remove(comms, k - 1);
    }
    return document;
}

/** Looks once more and compares. The processes get the member "settled". */
static void
look_again(struct series *series, json_t *before)
{
    series->last_us = clock_us();
    show_again(series->show);
    series->document = document_of(series->show);
    series->before = before;
    series->count++;
    look_changes_deinit(&series->changes);
    looks_compare_all(before, series->document, true, &series->changes);
    narrow_changes(series->show->options, &series->changes);
}

static bool
is_settled(const json_t *process)
{
    return json_is_true(json_object_get(process, "settled"));
}

void
series_follow(struct series *series)
{
    json_t *old = series->before, *process;
    size_t i;
    look_again(series, series->document);
    series->follows = true;
    json_decref(old);
    json_array_foreach (json_object_get(series->document, "processes"), i, process) {
        series->unchanged[i] = is_settled(process) ? series->unchanged[i] + 1 : 0;
        // A few looks do not tell that it stays so.
        if (series->unchanged[i] > 0 && series->unchanged[i] < SURE_LOOKS)
            json_object_del(process, "settled");
    }
}

bool
series_sleep(double seconds)
{
    time_t whole = (time_t) seconds;
    struct timespec time = {.tv_sec = whole, .tv_nsec = (long) ((seconds - (double) whole) * 1e9)};
    int64_t start = clock_us();
    bool slept = nanosleep(&time, NULL) == 0;
    host_stats.pauses_us += (uint64_t) (clock_us() - start);
    return slept;
}

/** From 0.5 to 1.5. */
static double
random_factor(void)
{
    uint16_t bits = 0;
    (void) !getrandom(&bits, sizeof bits, 0);
    return 0.5 + bits / (double) UINT16_MAX;
}

static void
set_looks(struct series *series, const struct progress *progress)
{
    const json_t *processes = json_object_get(series->document, "processes");
    bool moved = false;
    for (size_t i = 0; i < json_array_size(processes); i++) {
        json_t *process = json_array_get(processes, i);
        moved |= series->moved[i];
        if (series->moved[i])
            json_object_set_new(process, "settled", json_false());
        else if (!progress_made(progress, process))
            json_object_del(process, "settled");
    }
    json_object_set_new(series->document, "looks",
                        json_pack("{s:I, s:f, s:b}", "count", (json_int_t) series->count, "seconds",
                                  (double) (series->last_us - series->first_us) / 1e6, "moved",
                                  moved));
}

/** Takes over which processes the last look found to have moved.
 * @param ret_any whether there are others
 * @return whether all could be compared
 */
static bool
take_moved(struct series *series, bool *ret_any)
{
    const json_t *processes = json_object_get(series->document, "processes");
    bool compared = true;
    *ret_any = false;
    for (size_t i = 0; i < json_array_size(processes); i++) {
        const json_t *settled = json_object_get(json_array_get(processes, i), "settled");
        series->moved[i] |= json_is_false(settled);
        compared &= settled != NULL || series->moved[i];
        *ret_any |= !series->moved[i];
    }
    return compared;
}

/** Whether the MPI library of a process counts what it receives: equal numbers mean that it did not
 * even come by the same place again. Without communicators it receives nothing.
 */
static bool
is_counted(const json_t *process)
{
    const json_t *mpi = json_object_get(process, "mpi");
    const json_t *comms = json_object_get(process, "communicators");
    return json_array_size(comms) == 0 || json_object_get(mpi, "progress") != NULL ||
           json_object_get(json_array_get(comms, 0), "traffic") != NULL;
}

/** Whether each process had its chance to go on.
 * @param counted whether each must count what it receives, too
 */
static bool
have_run(const struct series *series, const struct progress *progress, bool counted)
{
    size_t i;
    json_t *process;
    json_array_foreach (json_object_get(series->document, "processes"), i, process) {
        if (json_object_get(process, "state") != NULL) // it is stopped or the like
            continue;
        if ((counted && !is_counted(process)) ||
            (!series->moved[i] && !progress_made(progress, process)))
            return false;
    }
    return true;
}

/** Whether the last look has what the first one could not read, and not the other way round. */
static bool
is_better_than_first(const struct series *series)
{
    const json_t *processes = json_object_get(series->document, "processes");
    bool better = false;
    for (size_t i = 0; i < json_array_size(processes); i++) {
        const json_t *process = json_array_get(processes, i);
        if (series->moved[i] || is_settled(process))
            continue;
        if (json_is_true(json_object_get(process, "incomplete")))
            return false;
        better = true;
    }
    return better;
}

/** Drops a look that is not needed any more: the last one, or the first one, with which all are
 * compared, when something of it could not be read.
 */
static void
drop_look(const struct series *series, json_t **first, struct progress *progress)
{
    if (series->document == *first)
        return;
    if (!is_better_than_first(series)) {
        json_decref(series->document);
        return;
    }
    json_decref(*first);
    *first = series->document;
    progress_deinit(progress);
    progress_init(progress, *first);
}

/** Nobody asks what changed since. */
static void
forget_before(struct series *series)
{
    look_changes_deinit(&series->changes);
    json_decref(series->before);
    series->before = NULL;
}

void
series_settle(struct series *series, size_t looks, double pause, double limit, bool until_sure)
{
    json_t *first = series->document;
    struct progress progress;
    bool any = true;
    size_t n_compared = 0; // looks, each with the first one
    progress_init(&progress, first);
    for (size_t i = 0; any; i++) {
        double elapsed = (double) (clock_us() - series->first_us) / 1e6;
        double most = i >= LOOKS_MIN ? limit : limit + LAST_LIMIT_MS / 1e3;
        // Fewer will do where the libraries count, more are needed where some have not run.
        bool enough = until_sure ? n_compared >= COUNTED_LOOKS &&
                                       have_run(series, &progress, n_compared < looks)
                                 : n_compared >= looks;
        if (enough || elapsed > most || !series_sleep(pause * random_factor()))
            break;
        drop_look(series, &first, &progress);
        say_stage("sampling again (%zu of %zu)", i + 1, i < looks ? looks : i + 1);
        look_again(series, first);
        progress_note(&progress);
        n_compared += take_moved(series, &any);
    }
    say_stage_over();
    if (until_sure)
        forget_before(series);
    set_looks(series, &progress);
    progress_deinit(&progress);
}

/** Whether there is something to judge: what uses MPI, or was started to do so. */
static bool
has_mpi(const struct show *show)
{
    for (size_t i = 0; i < show->count; i++)
        if (show->reports[i].has_mpi || show->reports[i].rank >= 0)
            return true;
    return false;
}

/** How many more looks a verdict wants before it is told. */
static size_t
looks_wanted(const struct verdict *verdict)
{
    // What counted messages make sure of is only confirmed: a process may have been stopped just
    // when it was about to note that its message is there.
    if (verdict->knots.count > 0)
        return verdict->kind == VERDICT_DEADLOCK ? CONFIRMING_LOOKS : SURE_LOOKS;
    if (verdict_has_doubts(verdict))
        return SURE_LOOKS;
    return verdict_wants_looks(verdict) ? CONFIRMING_LOOKS : 0;
}

void
series_judge(struct series *series)
{
    struct verdict verdict;
    if (!has_mpi(series->show))
        return;
    verdict_init(&verdict, series->document);
    bool is_live = series->show->options->n_cores == 0; // a core has but one look
    size_t looks = series->count == 1 && is_live ? looks_wanted(&verdict) : 0;
    if (looks > 0) {
        verdict_deinit(&verdict);
        series_settle(series, looks, SURE_PAUSE_MS / 1e3, SURE_LIMIT_MS / 1e3, true);
        verdict_init(&verdict, series->document);
    }
    json_object_set_new(series->document, "verdict", verdict_json(&verdict));
    verdict_deinit(&verdict);
}

void
series_deinit(struct series *series)
{
    look_changes_deinit(&series->changes);
    json_decref(series->document);
    json_decref(series->before);
    free(series->moved);
    free(series->unchanged);
}
