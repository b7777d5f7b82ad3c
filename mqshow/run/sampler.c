// SPDX-License-Identifier: BSD-3-Clause
// Several samples of the processes of a run, one after the other.
#include "mqshow/run/sampler.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/clock.h"
#include "mqshow/text/print.h"
#include "mqshow/report/progress.h"
#include "mqshow/base/diag.h"
#include "mqshow/verdict/labels.h"
#include "mqshow/verdict/thread_cause.h"
#include "mqshow/verdict/verdict.h"
#include "mqshow/mqd/stats.h"
#include "mqshow/report/report.h"

#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

// What is enough to distinguish a deadlock from a job that comes by the same place again and again.
enum {
    SURE_SAMPLES = 8,
    SPINNING_SAMPLES = 12, // of threads that wait for each other without sleeping
    CONFIRMING_SAMPLES = 2,
    COUNTED_SAMPLES = 3, // where the MPI library counts its messages, and all have run
    SURE_PAUSE_MS = 50,
    SURE_LIMIT_MS = 3000,
    NETWORK_MS = 1000,          // between machines, for what a network has lost and sends again
    SAMPLES_MIN = SURE_SAMPLES, // whatever the limit, where nothing is counted
    LAST_LIMIT_MS = 15000       // but not behind this one: each waits for a machine that hangs
};

/** Whether a communicator was asked for. */
static bool
is_wanted(const struct options *options, const struct communicator *comm)
{
    return options_want_comm(options, comm->label, comm->name, comm->id);
}

struct document *
sampler_take(struct run *run)
{
    struct document *document = run_sample(run);
    stats_count_time();
    if (run->options->stats && run->options->n_saved == 0)
        document->stats = stats_json(&host_stats);
    labels_set(document);
    // There are none of a saved file.
    for (size_t i = 0; i < run->job.count; i++)
        if (job_is_live(&run->job.items[i]))
            progress_measure(&document->reports[i]);
    // All communicators are read: a thread may wait for any.
    for (size_t i = 0; i < document->count; i++)
        for (size_t k = 0; k < document->reports[i].comms.count; k++) {
            struct communicator *comm = &document->reports[i].comms.items[k];
            comm->left_out = !is_wanted(run->options, comm);
        }
    return document;
}

void
sampler_init(struct sampler *sampler, struct run *run)
{
    *sampler = (struct sampler){.run = run, .count = 1};
    sampler->document = sampler_take(run);
    sampler->first_us = sampler->last_us = clock_us();
    sampler->moved = alloc_zeroed(run->count, sizeof *sampler->moved);
    sampler->unchanged = alloc_zeroed(run->count, sizeof *sampler->unchanged);
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
sampler_forget_verdict(struct sampler *sampler)
{
    free(sampler->text_before);
    sampler->text_before = NULL;
    if (sampler->verdict == NULL)
        return;
    sampler->text_before = alloc_text(sampler->verdict->text);
    verdict_deinit(sampler->verdict);
    free(sampler->verdict);
    sampler->verdict = NULL;
}

/** Takes one more sample and compares. */
static void
sample_again(struct sampler *sampler, struct document *before)
{
    sampler->last_us = clock_us();
    sampler->document = sampler_take(sampler->run);
    sampler->before = before;
    sampler->count++;
    changes_deinit(&sampler->changes);
    changes_find(before, sampler->document, &sampler->changes);
    narrow_changes(sampler->run->options, &sampler->changes);
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
sampler_follow(struct sampler *sampler)
{
    struct document *old = sampler->before;
    sampler_forget_verdict(sampler);
    sample_again(sampler, sampler->document);
    sampler->follows = true;
    document_destroy(old);
    for (size_t i = 0; i < sampler->document->count; i++) {
        struct report *report = &sampler->document->reports[i];
        sampler->unchanged[i] = is_settled(report) ? sampler->unchanged[i] + 1 : 0;
        // A few samples do not prove that it stays so.
        if (sampler->unchanged[i] > 0 && sampler->unchanged[i] < SURE_SAMPLES)
            forget_settled(report);
    }
}

bool
sampler_sleep(double seconds)
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

/** Whether equal samples mean that a process did not even come by the same place again: its MPI
 * library counts what it receives, and threads that wait for others of OpenMP sleep. Without
 * communicators it receives nothing.
 */
static bool
is_counted(const struct report *report, const struct progress *progress)
{
    if (!progress_slept(progress, report))
        return false;
    return report->comms.count == 0 || HAS(&report->mpi, MPI_PROGRESS) ||
           HAS(&report->comms.items[0], COMM_TRAFFIC);
}

/** Whether there were too few samples to tell a process that waits from one that comes by the same
 * place again: each took long. */
static bool
is_chance(const struct sampler *sampler, const struct progress *progress,
          const struct report *report, size_t samples)
{
    size_t least = samples < SAMPLES_MIN ? samples : SAMPLES_MIN;
    return sampler->count <= least && !is_counted(report, progress);
}

/** Why a process may have had no processor. @param load of the machine, for all of its processes;
 * negative: it was not asked for yet */
static void
set_load(struct report *report, double *load)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if ((*load < 0 && getloadavg(load, 1) != 1) || processors < 1)
        return;
    SET(report, PROCESS_LOAD, load, (int64_t) (*load + 0.5));
    SET(report, PROCESS_PROCESSORS, processors, processors);
}

static void
set_samples(struct sampler *sampler, const struct progress *progress, size_t samples,
            size_t n_compared)
{
    struct document *document = sampler->document;
    double load = -1;
    document->moved = false;
    for (size_t i = 0; i < document->count; i++) {
        struct report *report = &document->reports[i];
        bool has_run = sampler->moved[i] || progress_made(progress, report);
        document->moved |= sampler->moved[i];
        progress_settle(progress, report, (unsigned) samples, COUNTED_SAMPLES);
        if (sampler->moved[i])
            SET(report, PROCESS_SETTLED, settled, false);
        else if (!has_run || is_chance(sampler, progress, report, samples) ||
                 (samples == SPINNING_SAMPLES && n_compared < samples &&
                  !progress_slept(progress, report)))
            forget_settled(report);
        if (!has_run && !HAS(report, PROCESS_STATE))
            set_load(report, &load);
    }
    document->samples = sampler->count;
    document->seconds = (double) (sampler->last_us - sampler->first_us) / 1e6;
}

/** Takes over which processes the last sample found to have moved.
 * @param ret_any whether there are others, or threads that wait for others and have not moved
 * @return whether all could be compared
 */
static bool
take_moved(struct sampler *sampler, struct progress *progress, bool *ret_any)
{
    bool compared = progress_note_moved(progress, sampler->document);
    *ret_any = false;
    for (size_t i = 0; i < sampler->document->count; i++) {
        const struct report *report = &sampler->document->reports[i];
        bool known = HAS(report, PROCESS_SETTLED);
        sampler->moved[i] |= known && !report->settled;
        compared &= known || sampler->moved[i];
        *ret_any |= !sampler->moved[i] || progress_has_unmoved(progress, report);
    }
    return compared;
}

/** Whether each process had its chance to go on.
 * @param counted whether each must count what it receives, too
 */
static bool
have_run(const struct sampler *sampler, const struct progress *progress, bool counted)
{
    for (size_t i = 0; i < sampler->document->count; i++) {
        const struct report *report = &sampler->document->reports[i];
        if (HAS(report, PROCESS_STATE)) // it is stopped or the like
            continue;
        if ((counted && !is_counted(report, progress)) ||
            (!sampler->moved[i] && !progress_made(progress, report)))
            return false;
    }
    return true;
}

/** Whether the last sample has what the first one could not read, and not the other way round. */
static bool
is_better_than_first(const struct sampler *sampler)
{
    bool better = false;
    for (size_t i = 0; i < sampler->document->count; i++) {
        const struct report *report = &sampler->document->reports[i];
        if (sampler->moved[i] || is_settled(report))
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
drop_sample(const struct sampler *sampler, struct document **first, struct progress *progress)
{
    if (sampler->document == *first)
        return;
    if (!is_better_than_first(sampler)) {
        document_destroy(sampler->document);
        return;
    }
    document_destroy(*first);
    *first = sampler->document;
    progress_deinit(progress);
    progress_init(progress, *first);
}

/** Whether threads that waited for each other in the first sample may do so still: they have not
 * moved since. */
static bool
has_knot(struct document *first, const struct progress *progress)
{
    struct verdict verdict;
    for (size_t i = 0; i < first->count; i++)
        progress_settle(progress, &first->reports[i], SPINNING_SAMPLES, COUNTED_SAMPLES);
    verdict_init(&verdict, first);
    bool has_knot = verdict.knots.count > 0;
    verdict_deinit(&verdict);
    return has_knot;
}

/** Nobody asks what changed since. */
static void
forget_before(struct sampler *sampler)
{
    changes_deinit(&sampler->changes);
    document_destroy(sampler->before);
    sampler->before = NULL;
}

void
sampler_settle(struct sampler *sampler, size_t samples, double pause, double limit, bool until_sure)
{
    struct document *first = sampler->document;
    struct progress progress;
    bool any = true;
    size_t n_compared = 0; // samples, each with the first one
    bool crosses = sampler->run->n_here < sampler->run->count && samples > CONFIRMING_SAMPLES;
    progress_init(&progress, first);
    for (size_t i = 0; any; i++) {
        double elapsed = (double) (clock_us() - sampler->first_us) / 1e6;
        double most = i >= SAMPLES_MIN ? limit : limit + LAST_LIMIT_MS / 1e3;
        // Fewer will do where the libraries count, more are needed where some have not run.
        bool enough = until_sure ? n_compared >= COUNTED_SAMPLES &&
                                       (!crosses || elapsed >= NETWORK_MS / 1e3) &&
                                       have_run(sampler, &progress, n_compared < samples)
                                 : n_compared >= samples;
        if (enough || elapsed > most || !sampler_sleep(pause * random_factor()))
            break;
        drop_sample(sampler, &first, &progress);
        diag_stage("sampling again (%zu of %zu)", i + 1, i < samples ? samples : i + 1);
        sample_again(sampler, first);
        progress_note(&progress, sampler->document);
        n_compared += take_moved(sampler, &progress, &any);
        any &= samples < SPINNING_SAMPLES || !until_sure || has_knot(first, &progress);
    }
    diag_stage_end();
    set_samples(sampler, &progress, samples, n_compared);
    progress_deinit(&progress);
    if (until_sure)
        forget_before(sampler);
}

/** Whether there is something to judge: what uses MPI or OpenMP, or was started to use MPI. */
static bool
is_worth_judging(const struct document *document)
{
    for (size_t i = 0; i < document->count; i++)
        if (document->reports[i].has_mpi || document->reports[i].rank >= 0 ||
            HAS(&document->reports[i], PROCESS_OPENMP))
            return true;
    return false;
}

/** How many more samples a verdict needs before it is shown. */
static size_t
samples_needed(const struct verdict *verdict)
{
    // What counted messages make sure of is only confirmed: a process may have been stopped just
    // when it was about to note that its message is there.
    for (size_t i = 0; i < verdict->knots.count; i++)
        if (!verdict->knots.items[i].certain && knot_is_inside(verdict, &verdict->knots.items[i]))
            return SPINNING_SAMPLES;
    if (verdict->knots.count > 0)
        return verdict->kind == VERDICT_DEADLOCK || verdict->kind == VERDICT_UNLESS
                   ? CONFIRMING_SAMPLES
                   : SURE_SAMPLES;
    if (verdict_has_unknowns(verdict))
        return SURE_SAMPLES;
    return verdict_wants_samples(verdict) ? CONFIRMING_SAMPLES : 0;
}

static void
judge(struct sampler *sampler)
{
    sampler->verdict = alloc_zeroed(1, sizeof *sampler->verdict);
    verdict_init(sampler->verdict, sampler->document);
}

void
sampler_judge(struct sampler *sampler)
{
    if (!is_worth_judging(sampler->document))
        return;
    judge(sampler);
    const struct options *options = sampler->run->options;
    // Else there is but one sample.
    bool is_live = options->n_cores == 0 && options->n_stubs == 0 && options->n_saved == 0;
    size_t samples = sampler->count == 1 && is_live ? samples_needed(sampler->verdict) : 0;
    if (samples == 0)
        return;
    verdict_deinit(sampler->verdict);
    free(sampler->verdict);
    sampler_settle(sampler, samples, SURE_PAUSE_MS / 1e3, SURE_LIMIT_MS / 1e3, true);
    judge(sampler);
}

void
sampler_deinit(struct sampler *sampler)
{
    sampler_forget_verdict(sampler);
    free(sampler->text_before);
    changes_deinit(&sampler->changes);
    document_destroy(sampler->document);
    document_destroy(sampler->before);
    free(sampler->moved);
    free(sampler->unchanged);
}
