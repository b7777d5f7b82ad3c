// SPDX-License-Identifier: BSD-3-Clause
// "mqshow wait": watches a job until it ends, or nothing in it has moved for so long.
//
// A process must be stopped to be compared. Samples are so rare that this takes at most a part of
// the time, 0.1 % if not asked for otherwise; what the processes do between them, /proc shows.
#include "mqshow/run/wait.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/clock.h"
#include "mqshow/base/diag.h"
#include "mqshow/job/slurm.h"
#include "mqshow/job/slurm_wait.h"
#include "mqshow/process/procfs.h"
#include "mqshow/report/activity.h"
#include "mqshow/run/document_print.h"
#include "mqshow/run/sample.h"
#include "mqshow/run/sampler.h"
#include "mqshow/run/wait_report.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum {
    SAMPLES_MIN = 3,
    UNSURE_MAX = 3,            // samples that cannot be compared with the first one
    FIRST_US = 60000,          // that the first sample may stop a process
    SAMPLES = 10,              // within the time that is waited for, where the budget allows it
    STEP_US = 500000,          // how often it is asked whether the job has ended
    STEP_MAX_US = 5 * STEP_US, // more has passed when this program itself was stopped
    COMPLAIN_US = 30000000     // a job that has not begun by then may be the wrong process
};

/** A process that is not of the job, but ends with it, or one of the job: pid and start distinguish
 * it from those that have its number later. */
struct watched {
    pid_t pid;
    long long start;
};

struct wait {
    const struct options *options;
    struct options own; // the same, with Slurm's job named as such
    FILE *out;
    struct slurm_wait slurm; // its id is NULL: none is waited for
    struct watched *ends;    // the job has ended when all of these have
    size_t n_ends;
    struct run run;
    bool has_run;
    bool failed;           // it cannot be, and why was printed
    struct document *base; // the sample with which others are compared; NULL: there is none
    struct activity activity;
    size_t same;         // samples, the first one too
    size_t unsure;       // in a row, that could not be compared with it
    int64_t quiet_us;    // nothing has moved for
    int64_t begun_us;    // when this began
    int64_t stopped_us;  // in all, the process that was stopped longest by each sample
    double most_before;  // of the time, in percent, that had been taken when a sample began
    int64_t longest_us;  // in any: what the next one may take
    int64_t report_us;   // likewise for the report, which comes once
    size_t n_samples;    // without those of the report
    int64_t complain_us; // when to say why there are no processes
};

static volatile sig_atomic_t came; // the signal that ends the wait; 0: none

static void
note_signal(int number)
{
    came = number;
}

/** Calls go on that are interrupted, but for sleep. */
static void
take_signals(void)
{
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
}

/** "90 s", "10 min", "1.5 h" */
static char *
time_text(double seconds)
{
    if (seconds < 120)
        return alloc_format("%.3g s", seconds);
    return seconds < 7200 ? alloc_format("%.3g min", seconds / 60)
                          : alloc_format("%.3g h", seconds / 3600);
}

static void
add_watched(struct wait *wait, pid_t pid)
{
    struct procfs_stat stat;
    if (procfs_stat(pid, 0, &stat))
        wait->ends[wait->n_ends++] = (struct watched){pid, stat.start};
}

/** Notes by which processes it is known that the job has ended. */
static void
note_ends(struct wait *wait)
{
    const struct options *options = wait->options;
    wait->ends = alloc_zeroed(options->n_pids + 1, sizeof *wait->ends);
    if (options->job != 0)
        add_watched(wait, options->job);
    for (size_t i = 0; i < options->n_pids; i++)
        add_watched(wait, options->pids[i]);
}

static bool
has_ended(struct wait *wait)
{
    if (wait->slurm.id != NULL)
        return slurm_wait_has_ended(&wait->slurm);
    for (size_t i = 0; i < wait->n_ends; i++) {
        struct procfs_stat stat;
        if (procfs_stat(wait->ends[i].pid, 0, &stat) && stat.start == wait->ends[i].start &&
            strchr("ZX", stat.letter) == NULL)
            return false;
    }
    return true;
}

/** Sleeps, and counts that as time in which nothing moves. What passes while this program is
 * stopped with its job does not count.
 * @return false: the job has ended, or a signal came */
static bool
pass_time(struct wait *wait, int64_t until_us)
{
    for (int64_t now = clock_us(); now < until_us && came == 0 && !has_ended(wait);) {
        int64_t before = now, left = until_us - now;
        sampler_sleep((double) (left < STEP_US ? left : STEP_US) / 1e6);
        now = clock_us();
        int64_t passed = now - before;
        wait->quiet_us += passed < STEP_MAX_US ? passed : STEP_MAX_US;
        if (passed > STEP_MAX_US)
            until_us += passed;
    }
    return came == 0 && !has_ended(wait);
}

/** What is seen from now on is compared with nothing before. */
static void
forget(struct wait *wait)
{
    document_destroy(wait->base);
    wait->base = NULL;
    wait->same = wait->unsure = 0;
    wait->quiet_us = 0;
}

static void
end_run(struct wait *wait)
{
    forget(wait);
    if (wait->has_run)
        run_deinit(&wait->run);
    wait->has_run = false;
}

static bool
are_same_processes(const struct job *one, const struct job *other)
{
    bool same = one->count == other->count;
    for (size_t i = 0; i < one->count && same; i++)
        same =
            one->items[i].pid == other->items[i].pid && one->items[i].node == other->items[i].node;
    return same;
}

static bool
is_time_to_complain(const struct wait *wait)
{
    return clock_us() >= wait->complain_us;
}

/** Finds the processes of the job again: some may have begun, or replaced what started them.
 * @return whether there are any */
static bool
find_run(struct wait *wait)
{
    struct run found;
    // Other machines would be asked each time.
    if (wait->has_run && (wait->run.job.nodes.control != NULL ||
                          (wait->slurm.id != NULL && !wait->slurm.has_changed)))
        return true;
    if (wait->slurm.id != NULL && !wait->slurm.runs && !is_time_to_complain(wait))
        return false;
    wait->slurm.has_changed = false;
    bool is_quiet = !is_time_to_complain(wait);
    bool any = run_find(&found, wait->options, is_quiet);
    if (!is_quiet)
        wait->complain_us = INT64_MAX;
    bool same = any && wait->has_run && are_same_processes(&found.job, &wait->run.job);
    run_deinit(&found);
    if (same)
        return true;
    end_run(wait);
    if (any) {
        wait->has_run = run_init(&wait->run, wait->options);
        if (!wait->has_run)
            run_deinit(&wait->run);
        wait->failed = !wait->has_run;
    }
    return wait->has_run;
}

/** When the next sample may be taken. */
static int64_t
next_sample(const struct wait *wait)
{
    const struct options *options = wait->options;
    double pause = options->every > 0 ? options->every : options->wait_for / SAMPLES;
    double most = (double) (wait->stopped_us + wait->longest_us) * 100 / options->cost;
    int64_t wanted = clock_us() + (int64_t) (pause * 1e6),
            allowed = wait->begun_us + (int64_t) most;
    return wanted > allowed ? wanted : allowed;
}

enum { SAME, MOVED, UNSURE };

/** Whether a sample is as the first one. */
static int
compare(const struct document *base, struct document *document)
{
    struct changes changes = {.items = NULL};
    int result = document->count == base->count ? SAME : MOVED;
    changes_find(base, document, &changes);
    result = changes.threads_moved > 0 ? MOVED : result;
    changes_deinit(&changes);
    for (size_t i = 0; i < document->count && result != MOVED; i++) {
        const struct report *report = &document->reports[i];
        if (!HAS(report, PROCESS_SETTLED))
            result = UNSURE;
        else if (!report->settled)
            result = MOVED;
    }
    return result;
}

static bool
has_gone(const struct document *document)
{
    for (size_t i = 0; i < document->count; i++)
        if (report_state(&document->reports[i]).kind >= STATE_ZOMBIE)
            return true;
    return false;
}

static bool
is_incomplete(const struct document *document)
{
    for (size_t i = 0; i < document->count; i++)
        if (document->reports[i].incomplete)
            return true;
    return false;
}

/** Whether later samples can rather be compared with this one than with the first one. */
static bool
is_better_base(const struct wait *wait, const struct document *document)
{
    return wait->unsure >= UNSURE_MAX || (is_incomplete(wait->base) && !is_incomplete(document));
}

/** Takes a sample and compares it with the first one, in whose place it comes if it differs. */
static void
watch_once(struct wait *wait)
{
    int64_t before = clock_us();
    double share = 100 * (double) wait->stopped_us / (double) (before - wait->begun_us + 1);
    bool has_worked = wait->base != NULL && activity_find(&wait->activity) != 0;
    struct document *document = sampler_take(&wait->run);
    diag_progress_clear();
    int64_t stopped = report_longest_stop(document);
    wait->stopped_us += stopped;
    if (stopped > wait->longest_us || wait->n_samples == 0)
        wait->longest_us = stopped;
    if (share > wait->most_before)
        wait->most_before = share;
    wait->n_samples++;
    if (has_gone(document))
        slurm_wait_check(&wait->slurm);
    int result = wait->base == NULL || has_worked ? MOVED : compare(wait->base, document);
    wait->unsure = result == UNSURE ? wait->unsure + 1 : 0;
    if (result == MOVED || (result == UNSURE && is_better_base(wait, document))) {
        forget(wait);
        wait->base = document;
        wait->same = 1;
    } else {
        document_destroy(document);
        wait->same += result == SAME;
        wait->quiet_us += clock_us() - before;
    }
    char *here = run_host(&wait->run);
    activity_note(&wait->activity, wait->base, here);
    free(here);
}

/** Saves a report. @param why taken over @return the exit code */
static int
save(const struct wait *wait, struct sampler *report, char *why, int code)
{
    bool saved = wait_report_save(report, why, wait->options->save, wait->out);
    free(why);
    return saved ? code : EXIT_SOMETHING_MISSING;
}

/** Reports what has not moved, if it still has not.
 * @param ret_code set to the exit code @return false: it has */
static bool
report_unmoved(struct wait *wait, int *ret_code)
{
    struct sampler report;
    wait->report_us = wait_report_take(&wait->run, &report);
    // When the first samples were taken others may have been on the way.
    int result = activity_find(&wait->activity) != 0 || report.document->moved
                     ? MOVED
                     : compare(wait->base, report.document);
    if (result == SAME) {
        char *stopped = wait_report_stopped(report.document);
        char *quiet = time_text((double) wait->quiet_us / 1e6);
        report.document->samples += wait->same;
        report.document->seconds = (double) wait->quiet_us / 1e6;
        char *why = alloc_format("nothing has moved for %s%s%s", quiet,
                                 stopped != NULL ? ", and " : "", stopped != NULL ? stopped : "");
        *ret_code = save(wait, &report, why, stopped != NULL ? EXIT_STOPPED : EXIT_UNMOVED);
        free(quiet);
        free(stopped);
    } else {
        if (result == MOVED)
            forget(wait);
        else
            wait->same = SAMPLES_MIN - 1; // not before a further sample
        wait->stopped_us += wait->report_us;
        wait->report_us = 0;
    }
    sampler_deinit(&report);
    return result == SAME;
}

/** Reports what there is when a signal comes. */
static int
report_signal(struct wait *wait)
{
    char *passed = time_text((double) (clock_us() - wait->begun_us) / 1e6);
    char *why = alloc_format("%s after %s", came == SIGTERM ? "SIGTERM" : "SIGUSR1", passed);
    struct sampler report;
    free(passed);
    if (!find_run(wait)) {
        fprintf(wait->out, "%s: no process of the job was found\n", why);
        free(why);
        return EXIT_SOMETHING_MISSING;
    }
    wait->report_us = wait_report_take(&wait->run, &report);
    int code = save(wait, &report, why, EXIT_SIGNAL);
    sampler_deinit(&report);
    return code;
}

static int64_t
still_to_wait(const struct wait *wait)
{
    return (int64_t) (wait->options->wait_for * 1e6) - wait->quiet_us;
}

/** Whether nothing has moved for so long. */
static bool
is_due(const struct wait *wait)
{
    return wait->same >= SAMPLES_MIN && still_to_wait(wait) <= 0;
}

/** When to go on: for the next sample, or for the report, if that is to come before. */
static int64_t
next_step(const struct wait *wait)
{
    int64_t sample = next_sample(wait), report = clock_us() + still_to_wait(wait);
    bool waits = wait->same >= SAMPLES_MIN && still_to_wait(wait) > 0;
    return waits && report < sample ? report : sample;
}

/** Watches until there is something to say. @return the exit code */
static int
watch(struct wait *wait)
{
    int code;
    for (bool goes_on = pass_time(wait, next_sample(wait)); goes_on;) {
        bool found = find_run(wait);
        if (found && !is_due(wait))
            watch_once(wait);
        if (is_due(wait) && report_unmoved(wait, &code))
            return code;
        int64_t pause = wait->slurm.id != NULL ? wait->slurm.pause_us : 2 * STEP_US;
        goes_on = !wait->failed && pass_time(wait, found ? next_step(wait) : clock_us() + pause);
    }
    if (wait->failed && !has_ended(wait))
        return EXIT_SOMETHING_MISSING;
    if (came != 0 && !has_ended(wait))
        return report_signal(wait);
    char *passed = time_text((double) (clock_us() - wait->begun_us) / 1e6);
    fprintf(wait->out, "the job has ended, after %s\n", passed);
    free(passed);
    return EXIT_ALL_SHOWN;
}

static void
print_costs(const struct wait *wait)
{
    double passed = (double) (clock_us() - wait->begun_us) / 1e6,
           stopped = (double) wait->stopped_us / 1e6;
    diag("a process was stopped %zu times, for %.3f of %.0f s: %.4f %%; before each time for at "
         "most %.4f %%; for the report for %.3f s",
         wait->n_samples, stopped, passed, 100 * stopped / passed, wait->most_before,
         (double) wait->report_us / 1e6);
}

/** Finds out what is waited for. @return NULL, or why nothing can be, to free() */
static char *
find_awaited(struct wait *wait)
{
    char *problem;
    wait->slurm.id = run_slurm_id(wait->options, &problem);
    if (problem != NULL)
        return problem;
    if (wait->slurm.id != NULL) {
        // What a number means is settled: it must not become a process's.
        wait->slurm.pause_us = (int64_t) (wait->options->wait_for * 1e6) / SAMPLES;
        wait->own.slurm = wait->slurm.id;
        wait->own.n_pids = 0;
        return slurm_check(wait->slurm.id);
    }
    note_ends(wait);
    return wait->n_ends > 0 ? NULL
                            : alloc_text("no such process: give the id of the mpirun or mpiexec "
                                         "that started the job");
}

int
wait_main(const struct options *options, FILE *out)
{
    struct wait wait = {.own = *options,
                        .out = out,
                        .begun_us = clock_us(),
                        .longest_us = FIRST_US,
                        .complain_us = clock_us() + COMPLAIN_US};
    wait.options = &wait.own;
    take_signals();
    char *problem = find_awaited(&wait);
    if (problem != NULL)
        diag_escaped(problem);
    int code = problem == NULL ? watch(&wait) : EXIT_SOMETHING_MISSING;
    if (options->stats && problem == NULL)
        print_costs(&wait);
    end_run(&wait);
    activity_deinit(&wait.activity);
    free(wait.ends);
    slurm_wait_deinit(&wait.slurm);
    return output_is_written(out) ? code : EXIT_SOMETHING_MISSING;
}
