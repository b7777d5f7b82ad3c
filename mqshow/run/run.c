// SPDX-License-Identifier: BSD-3-Clause
// A run over all processes: prepare, stop, read, let go on.
#include "mqshow/run/run.h"

#include "mqshow/base/alloc.h"
#include "mqshow/process/confine.h"
#include "mqshow/process/core.h"
#include "mqshow/base/signals.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/search.h"
#include "mqshow/job/hostpids.h"
#include "mqshow/job/hydra.h"
#include "mqshow/run/devices.h"
#include "mqshow/run/sample.h"
#include "mqshow/job/pidlist.h"
#include "mqshow/job/slurm.h"
#include "mqshow/job/starter.h"
#include "mqshow/process/procfs.h"
#include "mqshow/process/stub.h"
#include "mqshow/run/reader.h"
#include "mqshow/remote/remote.h"
#include "mqshow/verdict/labels.h"
#include "mqshow/verdict/verdict.h"
#include "mqshow/base/diag.h"
#include "mqshow/base/watchdog.h"
#include "mqshow/report/report.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void
diag_escaped(char *problem)
{
    char *escaped = escape_text(problem, SIZE_MAX);
    diag("%s", escaped);
    free(escaped);
    free(problem);
}

/** Opens the cores. @return false when none of them can be used */
static bool
add_cores(struct run *run)
{
    size_t unusable = 0;
    // Nothing else is started or written then, but by --html.
    if (run->options->n_cores > 0 && run->options->html == NULL)
        confine(run->options->record != NULL || run->options->dot != NULL ||
                    run->options->save != NULL,
                true);
    for (size_t i = 0; i < run->options->n_cores; i++) {
        struct core *core = core_create(run->options->cores[i], &run->options->files);
        job_add_core(&run->job, core);
        unusable += core->unusable != NULL;
    }
    if (unusable == 0 || unusable < run->options->n_cores)
        return true;
    for (size_t i = 0; i < run->job.count; i++)
        diag_escaped(alloc_text(run->job.items[i].core->unusable));
    return false;
}

/** Lets go what debuggers hold, once it was seen. */
static void
release_stubs(struct run *run)
{
    if (!run->holds_stubs)
        return;
    for (size_t i = 0; i < run->job.count; i++)
        if (run->job.items[i].stub != NULL)
            stub_release(run->job.items[i].stub);
    run->holds_stubs = false;
    signals_unblock();
}

/** Connects to the debuggers. @return false when none of them can be used */
static bool
add_stubs(struct run *run)
{
    size_t unusable = 0, count = run->options->n_stubs;
    run->holds_stubs = count > 0;
    if (count > 0)
        signals_block();
    for (size_t i = 0; i < count; i++) {
        watchdog_begin("asking the debugger", run->options->process_timeout);
        struct stub *stub = stub_create(run->options->stubs[i], &run->options->files);
        watchdog_end();
        job_add_stub(&run->job, stub);
        unusable += stub->unusable != NULL;
    }
    if (unusable == 0 || unusable < run->job.count)
        return true;
    for (size_t i = 0; i < run->job.count; i++)
        diag_escaped(alloc_text(run->job.items[i].stub->unusable));
    return false;
}

/** What the processes are chosen by. */
struct wanted {
    pid_t starter; // 0: none
    char *slurm;   // id of a job or step of Slurm, to free(); NULL: none
    size_t n_pids; // that are meant as they are
};

/** A number alone is of a process that is read, or that has started the job, or of Slurm.
 * @return NULL, or why it cannot be decided, to free()
 */
static char *
find_wanted(const struct options *options, struct wanted *ret)
{
    pid_t number = options->n_pids == 1 ? options->pids[0] : 0;
    *ret = (struct wanted){options->job, NULL, options->n_pids};
    if (options->slurm != NULL)
        ret->slurm = alloc_text(options->slurm);
    bool exists = number != 0 && options->job == 0 && procfs_exists(number);
    // Open MPI's starter has loaded a part of the library too.
    if (exists && starter_is_one(number))
        *ret = (struct wanted){.starter = number};
    if (number == 0 || options->job != 0 || ret->starter != 0 || job_maps_runtime(number))
        return NULL;
    if (slurm_knows(number, !exists)) {
        if (exists)
            return alloc_format("%d is a job of Slurm and a process of this machine: give --slurm "
                                "%d for the one, --job %d for what the other has started",
                                (int) number, (int) number, (int) number);
        *ret = (struct wanted){.slurm = alloc_format("%d", (int) number)};
    }
    return NULL;
}

char *
run_slurm_id(const struct options *options, char **ret_problem)
{
    struct wanted wanted;
    *ret_problem = find_wanted(options, &wanted);
    return wanted.slurm;
}

/** Adds what was asked for to the job. @return NULL, or what is wrong, to free() */
static char *
add_wanted(struct run *run, const struct wanted *wanted)
{
    const struct options *options = run->options;
    struct job *job = &run->job;
    char *problem = NULL;
    for (size_t i = 0; i < wanted->n_pids; i++)
        job_add(job, options->pids[i], -1);
    if (wanted->starter != 0)
        problem = job_add_started(job, wanted->starter);
    if (wanted->starter != 0 && job->nodes.count > 0)
        slurm_find_starter(job, wanted->starter);
    if (options->job_pids != NULL)
        problem = pidlist_read(options->job_pids, options->as, job);
    if (options->hydra != NULL)
        hydra_add_processes(job, options->hydra);
    if (options->slurm_pids != NULL)
        problem = slurm_add_pids(job, options->slurm_pids);
    if (wanted->slurm != NULL)
        problem = slurm_add_job(job, wanted->slurm, &run->user);
    if (options->flux != NULL)
        problem = hostpids_add_flux(job, options->flux);
    if (options->pals != NULL)
        problem = hostpids_add_pals(job, options->pals);
    return problem;
}

/** Asks the other machines whose processes are not known which they are. */
static void
list_nodes(struct run *run, const char *slurm)
{
    struct nodes *nodes = &run->job.nodes;
    bool unknown = nodes->control != NULL || (slurm != NULL && nodes->count > 0);
    bool listed =
        unknown &&
        remote_list(&(struct remote){.options = run->options, .job = &run->job, .user = run->user});
    if (slurm != NULL && run->job.count == 0 && !run->is_quiet && (listed || nodes->count == 0))
        diag("Slurm job %s runs no MPI process and no task of srun: try again if its program has "
             "not begun yet",
             slurm);
}

static bool
find_processes(struct run *run)
{
    const struct options *options = run->options;
    struct wanted wanted;
    bool asks_proc = options->n_cores == 0 && (options->n_stubs == 0 || options->n_pids > 0);
    if (asks_proc && !procfs_is_ours()) {
        diag(
            "/proc belongs to another PID namespace: mount the own one (mount -t proc proc /proc), "
            "or run mqshow in the PID namespace of /proc");
        return false;
    }
    watchdog_begin("looking for the processes of the job", options->process_timeout);
    char *problem = find_wanted(options, &wanted);
    run->user = wanted.starter != 0      ? procfs_user(wanted.starter)
                : options->job_user >= 0 ? options->job_user
                                         : (long) geteuid();
    bool is_clear = problem == NULL;
    if (is_clear)
        problem = add_wanted(run, &wanted);
    bool is_found = problem == NULL;
    if (problem != NULL && !run->is_quiet)
        diag_escaped(problem);
    else
        free(problem);
    job_mark_foreign(&run->job, wanted.n_pids, run->user);
    watchdog_end();
    if (run->job.unlisted != NULL && !run->is_quiet)
        diag_escaped(alloc_text(run->job.unlisted));
    if (run->job.nodes.refused > 0 && !run->is_quiet)
        diag("%zu processes are not shown: the names of their machines are invalid, such as "
             "\"%s\"",
             run->job.nodes.refused, run->job.nodes.refusal);
    list_nodes(run, is_found ? wanted.slurm : NULL);
    free(wanted.slurm);
    return is_clear && add_cores(run) && add_stubs(run) &&
           (run->job.count > 0 || options->slurm_pids != NULL);
}

static int
compare_ranks(const void *left, const void *right)
{
    const struct job_process *a = left, *b = right;
    return COMPARE({a->world == JOB_NO_WORLD, b->world == JOB_NO_WORLD},
                   {(int64_t) a->world, (int64_t) b->world}, {a->rank, b->rank}, {a->pid, b->pid});
}

static void
count_here(struct run *run)
{
    run->count = run->job.count;
    run->n_here = 0;
    for (size_t i = 0; i < run->count; i++)
        run->n_here += run->job.items[i].node < 0;
}

static void
filter_ranks(struct run *run)
{
    size_t kept = 0;
    for (size_t i = 0; i < run->job.count; i++)
        if (run->job.items[i].core != NULL || run->job.items[i].stub != NULL ||
            options_want_rank(run->options, run->job.items[i].rank))
            run->job.items[kept++] = run->job.items[i];
    run->job.count = kept;
    if (run->options->n_cores == 0)
        qsort(run->job.items, kept, sizeof *run->job.items, compare_ranks);
}

/** Those whose ranks are not known come last. */
static int
compare_reports(const void *left, const void *right)
{
    const struct report *a = left, *b = right;
    return COMPARE({(uint32_t) a->rank, (uint32_t) b->rank}, {a->pid, b->pid});
}

static void
set_rank(struct report *report, int rank)
{
    report->rank = rank;
    report_message(report, alloc_format("its rank is not %s, but is the only one missing in "
                                        "MPI_COMM_WORLD",
                                        report->core != NULL ? "in the core" : "known"));
}

/** A core without a rank is of the one that none of the others has. */
static void
deduce_rank(struct run *run)
{
    struct report *unknown = NULL;
    bool *seen = alloc_zeroed(run->count, sizeof *seen);
    size_t n_seen = 0, missing = 0;
    for (size_t i = 0; i < run->count; i++) {
        int rank = run->document->reports[i].rank;
        if (rank < 0)
            unknown = &run->document->reports[i];
        else if ((size_t) rank < run->count && !seen[rank])
            n_seen += seen[rank] = true;
    }
    while (missing < run->count && seen[missing])
        missing++;
    for (size_t i = 0; i < run->count && unknown != NULL && n_seen == run->count - 1; i++) {
        if (report_world_size(&run->document->reports[i]) != (int64_t) run->count)
            continue;
        set_rank(unknown, (int) missing);
        unknown = NULL;
    }
    free(seen);
}

/** Leaves out ranks that were not asked for. */
static void
filter_reports(struct run *run)
{
    struct document *document = run->document;
    size_t kept = 0;
    for (size_t i = 0; i < document->count; i++) {
        struct report report = document->reports[i];
        if (options_want_rank(run->options, report.rank))
            document->reports[kept++] = report;
        else
            report_deinit(&report);
    }
    document->count = kept;
}

/** The ranks of cores may not be known before they were read. */
static void
order_reports(struct run *run)
{
    deduce_rank(run);
    filter_reports(run);
    qsort(run->document->reports, run->document->count, sizeof *run->document->reports,
          compare_reports);
}

/** Reads saved files, which anybody may have written. @return false when one cannot be read */
static bool
open_saved(struct run *run)
{
    const struct options *options = run->options;
    if (options->html == NULL) // which has a program draw
        confine(options->save != NULL, false);
    confine_memory(1);
    run->document = document_create(0);
    for (size_t i = 0; i < options->n_saved; i++) {
        char *problem = document_add_file(run->document, options->saved[i]);
        if (problem == NULL)
            continue;
        diag("%s", problem);
        free(problem);
        return false;
    }
    run->document->is_merged = options->n_saved > 1;
    for (size_t i = 0; i < run->document->messages.count; i++)
        diag("%s", run->document->messages.items[i]);
    size_t count = run->document->count;
    filter_reports(run);
    run->count = run->document->count;
    if (run->count == 0 && count > 0)
        diag("no process has a rank of --rank");
    return run->count > 0 || count == 0;
}

/** Settles which processes those of the job are that are shown. @return false: none are */
static bool
select_processes(struct run *run)
{
    job_settle_worlds(&run->job);
    filter_ranks(run);
    count_here(run);
    bool is_found = run->count > 0 || run->options->slurm_pids != NULL;
    if (!is_found && !run->is_quiet)
        diag("no process has a rank of --rank");
    return is_found;
}

bool
run_find(struct run *run, const struct options *options, bool is_quiet)
{
    *run = (struct run){.options = options, .is_quiet = is_quiet};
    return find_processes(run) && select_processes(run);
}

/** Prepares reading the processes of this machine. */
static bool
prepare(struct run *run)
{
    run->debuggees = alloc_zeroed(run->count, sizeof *run->debuggees);
    return run->n_here == 0 || run->options->list || reader_begin(run);
}

bool
run_init(struct run *run, const struct options *options)
{
    *run = (struct run){.options = options};
    if (options->n_saved > 0)
        return open_saved(run);
    return run_find(run, options, false) && prepare(run);
}

bool
run_init_job(struct run *run, const struct options *options, struct job *job, long user)
{
    *run = (struct run){.options = options, .job = *job, .user = user};
    *job = (struct job){.items = NULL};
    job_mark_foreign(&run->job, 0, user);
    if (run->job.unlisted != NULL)
        diag("%s", run->job.unlisted);
    return select_processes(run) && prepare(run);
}

static void
close_all(struct run *run)
{
    for (size_t i = 0; i < run->count && run->debuggees != NULL; i++) {
        sample_close(run, i);
        footprint_deinit(&run->debuggees[i].footprint);
    }
}

/** Reports what those who have answered show, while others are late. */
static void
print_partial(struct document *document, size_t answered, size_t asked)
{
    struct verdict verdict;
    labels_set(document);
    verdict_init(&verdict, document);
    diag("so far, with %zu of %zu machines: %s", answered, asked, verdict.text);
    verdict_deinit(&verdict);
}

struct document *
run_sample(struct run *run)
{
    struct document *saved = run->document;
    run->document = NULL;
    if (saved != NULL)
        return saved;
    struct document *document = document_create(run->count);
    struct remote remote = {
        .options = run->options, .job = &run->job, .user = run->user, .document = document};
    if (!run->was_sampled && run->options->job_pids == NULL)
        remote.partial = print_partial;
    run->was_sampled = true;
    run->document = document;
    close_all(run);
    if (run->n_here < run->count)
        remote_begin(&remote);
    if (run->n_here > 0)
        reader_sample(run);
    release_stubs(run);
    devices_add(run, document);
    remote_finish(&remote);
    if (run->options->n_cores > 0 || run->options->n_stubs > 0)
        order_reports(run);
    run->document = NULL;
    return document;
}

void
run_deinit(struct run *run)
{
    reader_end(run);
    release_stubs(run);
    close_all(run);
    devices_deinit(run);
    free(run->debuggees);
    document_destroy(run->document);
    dll_select_deinit(&run->selected);
    job_deinit(&run->job);
    objfiles_deinit(&run->files);
    image_close_sessions();
}
