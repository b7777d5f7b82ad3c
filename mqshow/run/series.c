// SPDX-License-Identifier: BSD-3-Clause
// Several looks at the processes of a run, one after the other.
#include "mqshow/run/series.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/clock.h"
#include "mqshow/text/print.h"
#include "mqshow/report/progress.h"
#include "mqshow/base/say.h"
#include "mqshow/verdict/labels.h"
#include "mqshow/verdict/verdict.h"
#include "mqshow/mqd/stats.h"
#include "mqshow/report/report.h"

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

/** Whether a communicator was asked for. */
static bool
is_wanted(const struct options *options, const struct communicator *comm)
{
    return options_want_comm(options, comm->label, comm->name, comm->id);
}

/** Takes a sample, with labels. */
static struct document *
take_sample(struct show *show)
{
    struct document *document = show_run(show);
    stats_count_time();
    if (show->options->stats)
        document->stats = stats_json(&host_stats);
    labels_set(document);
    // All communicators are read: a thread may wait for any.
    for (size_t i = 0; i < document->count; i++)
        for (size_t k = 0; k < document->reports[i].comms.count; k++) {
            struct communicator *comm = &document->reports[i].comms.items[k];
            comm->left_out = !is_wanted(show->options, comm);
        }
    return document;
}

void
series_init(struct series *series, struct show *show)
{
    *series = (struct series){.show = show, .count = 1};
    series->document = take_sample(show);
    series->first_us = series->last_us = clock_us();
    series->moved = alloc_zeroed(show->count, sizeof *series->moved);
    series->unchanged = alloc_zeroed(show->count, sizeof *series->unchanged);
}

/** Forgets the changes of communicators that were not asked for. */
static void
narrow_changes(const struct options *options, struct changes *changes)
{
    size_t kept = 0;
    for (size_t i = 0; i < changes->count; i++)
        if (is_wanted(options, changes->items[i].comm))
            changes->items[kept++] = changes->items[i];
    changes->count = kept;
}

void
series_forget_verdict(struct series *series)
{
    free(series->text_before);
    series->text_before = NULL;
    if (series->verdict == NULL)
        return;
    series->text_before = alloc_text(series->verdict->text);
    verdict_deinit(series->verdict);
    free(series->verdict);
    series->verdict = NULL;
}

/** Takes one more sample and compares. */
static void
sample_again(struct series *series, struct document *before)
{
    series->last_us = clock_us();
    series->document = take_sample(series->show);
    series->before = before;
    series->count++;
    changes_deinit(&series->changes);
    changes_find(before, series->document, &series->changes);
    narrow_changes(series->show->options, &series->changes);
}

static bool
is_settled(const struct report *report)
{
    return HAS(report, PROCESS_SETTLED) && report->settled;
}

static void
forget_settled(struct report *report)
{
    report->has &= ~(1u << PROCESS_SETTLED);
}

void
series_follow(struct series *series)
{
    struct document *old = series->before;
    series_forget_verdict(series);
    sample_again(series, series->document);
    series->follows = true;
    document_destroy(old);
    for (size_t i = 0; i < series->document->count; i++) {
        struct report *report = &series->document->reports[i];
        series->unchanged[i] = is_settled(report) ? series->unchanged[i] + 1 : 0;
        // A few samples do not tell that it stays so.
        if (series->unchanged[i] > 0 && series->unchanged[i] < SURE_LOOKS)
            forget_settled(report);
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
set_samples(struct series *series, const struct progress *progress)
{
    struct document *document = series->document;
    document->moved = false;
    for (size_t i = 0; i < document->count; i++) {
        struct report *report = &document->reports[i];
        document->moved |= series->moved[i];
        if (series->moved[i])
            SET(report, PROCESS_SETTLED, settled, false);
        else if (!progress_made(progress, report))
            forget_settled(report);
    }
    document->samples = series->count;
    document->seconds = (double) (series->last_us - series->first_us) / 1e6;
}

/** Takes over which processes the last sample found to have moved.
 * @param ret_any whether there are others
 * @return whether all could be compared
 */
static bool
take_moved(struct series *series, bool *ret_any)
{
    bool compared = true;
    *ret_any = false;
    for (size_t i = 0; i < series->document->count; i++) {
        const struct report *report = &series->document->reports[i];
        bool known = HAS(report, PROCESS_SETTLED);
        series->moved[i] |= known && !report->settled;
        compared &= known || series->moved[i];
        *ret_any |= !series->moved[i];
    }
    return compared;
}

/** Whether the MPI library of a process counts what it receives: equal numbers mean that it did not
 * even come by the same place again. Without communicators it receives nothing.
 */
static bool
is_counted(const struct report *report)
{
    return report->comms.count == 0 || HAS(&report->mpi, MPI_PROGRESS) ||
           HAS(&report->comms.items[0], COMM_TRAFFIC);
}

/** Whether each process had its chance to go on.
 * @param counted whether each must count what it receives, too
 */
static bool
have_run(const struct series *series, const struct progress *progress, bool counted)
{
    for (size_t i = 0; i < series->document->count; i++) {
        const struct report *report = &series->document->reports[i];
        if (HAS(report, PROCESS_STATE)) // it is stopped or the like
            continue;
        if ((counted && !is_counted(report)) ||
            (!series->moved[i] && !progress_made(progress, report)))
            return false;
    }
    return true;
}

/** Whether the last sample has what the first one could not read, and not the other way round. */
static bool
is_better_than_first(const struct series *series)
{
    bool better = false;
    for (size_t i = 0; i < series->document->count; i++) {
        const struct report *report = &series->document->reports[i];
        if (series->moved[i] || is_settled(report))
            continue;
        if (report->incomplete)
            return false;
        better = true;
    }
    return better;
}

/** Drops a sample that is not needed any more: the last one, or the first one, with which all are
 * compared, when something of it could not be read.
 */
static void
drop_sample(const struct series *series, struct document **first, struct progress *progress)
{
    if (series->document == *first)
        return;
    if (!is_better_than_first(series)) {
        document_destroy(series->document);
        return;
    }
    document_destroy(*first);
    *first = series->document;
    progress_deinit(progress);
    progress_init(progress, *first);
}

/** Nobody asks what changed since. */
static void
forget_before(struct series *series)
{
    changes_deinit(&series->changes);
    document_destroy(series->before);
    series->before = NULL;
}

void
series_settle(struct series *series, size_t looks, double pause, double limit, bool until_sure)
{
    struct document *first = series->document;
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
        drop_sample(series, &first, &progress);
        say_stage("sampling again (%zu of %zu)", i + 1, i < looks ? looks : i + 1);
        sample_again(series, first);
        progress_note(&progress);
        n_compared += take_moved(series, &any);
    }
    say_stage_over();
    if (until_sure)
        forget_before(series);
    set_samples(series, &progress);
    progress_deinit(&progress);
}

/** Whether there is something to judge: what uses MPI, or was started to do so. */
static bool
has_mpi(const struct document *document)
{
    for (size_t i = 0; i < document->count; i++)
        if (document->reports[i].has_mpi || document->reports[i].rank >= 0)
            return true;
    return false;
}

/** How many more samples a verdict needs before it is shown. */
static size_t
samples_needed(const struct verdict *verdict)
{
    // What counted messages make sure of is only confirmed: a process may have been stopped just
    // when it was about to note that its message is there.
    if (verdict->knots.count > 0)
        return verdict->kind == VERDICT_DEADLOCK ? CONFIRMING_LOOKS : SURE_LOOKS;
    if (verdict_has_unknowns(verdict))
        return SURE_LOOKS;
    return verdict_wants_samples(verdict) ? CONFIRMING_LOOKS : 0;
}

static void
judge(struct series *series)
{
    series->verdict = alloc_zeroed(1, sizeof *series->verdict);
    verdict_init(series->verdict, series->document);
}

void
series_judge(struct series *series)
{
    if (!has_mpi(series->document))
        return;
    judge(series);
    const struct options *options = series->show->options;
    bool is_live = options->n_cores == 0 && options->n_stubs == 0; // else there is but one sample
    size_t samples = series->count == 1 && is_live ? samples_needed(series->verdict) : 0;
    if (samples == 0)
        return;
    verdict_deinit(series->verdict);
    free(series->verdict);
    series_settle(series, samples, SURE_PAUSE_MS / 1e3, SURE_LIMIT_MS / 1e3, true);
    judge(series);
}

void
series_deinit(struct series *series)
{
    series_forget_verdict(series);
    free(series->text_before);
    changes_deinit(&series->changes);
    document_destroy(series->document);
    document_destroy(series->before);
    free(series->moved);
    free(series->unchanged);
}
