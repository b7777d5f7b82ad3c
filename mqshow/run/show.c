// SPDX-License-Identifier: BSD-3-Clause
// A run over all processes: prepare, stop, read, let go on.
#include "mqshow/run/show.h"

#include "mqshow/base/alloc.h"
#include "mqshow/process/confine.h"
#include "mqshow/process/core.h"
#include "mqshow/base/ending.h"
#include "mqshow/base/escape.h"
#include "mqshow/job/hydra.h"
#include "mqshow/run/look.h"
#include "mqshow/job/pidlist.h"
#include "mqshow/process/procfs.h"
#include "mqshow/process/stub.h"
#include "mqshow/run/reader.h"
#include "mqshow/remote/remote.h"
#include "mqshow/base/say.h"
#include "mqshow/base/watchdog.h"
#include "mqshow/report/report.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** Tells a problem whose text may hold what a process says, and frees it. */
static void
say_escaped(char *problem)
{
    char *escaped = escape_text(problem, SIZE_MAX);
    say("%s", escaped);
    free(escaped);
    free(problem);
}

/** Opens the cores. @return false when none of them can be used */
static bool
add_cores(struct show *show)
{
    size_t unusable = 0;
    // Nothing else is started or written then, but by --html.
    if (show->options->n_cores > 0 && show->options->html == NULL)
        confine(show->options->record != NULL, true);
    for (size_t i = 0; i < show->options->n_cores; i++) {
        struct core *core = core_create(show->options->cores[i], show->options->exe);
        job_add_core(&show->job, core);
        unusable += core->unusable != NULL;
    }
    if (unusable == 0 || unusable < show->options->n_cores)
        return true;
    for (size_t i = 0; i < show->job.count; i++)
        say_escaped(alloc_text(show->job.items[i].core->unusable));
    return false;
}

/** Lets go what debuggers hold, once it was seen. */
static void
release_stubs(struct show *show)
{
    if (!show->holds_stubs)
        return;
    for (size_t i = 0; i < show->job.count; i++)
        if (show->job.items[i].stub != NULL)
            stub_release(show->job.items[i].stub);
    show->holds_stubs = false;
    ending_let();
}

/** Connects to the debuggers. @return false when none of them can be used */
static bool
add_stubs(struct show *show)
{
    size_t unusable = 0, count = show->options->n_stubs;
    show->holds_stubs = count > 0;
    if (count > 0)
        ending_put_off();
    for (size_t i = 0; i < count; i++) {
        watchdog_begin("asking the debugger", show->options->process_timeout);
        struct stub *stub = stub_create(show->options->stubs[i], show->options->exe);
        watchdog_end();
        job_add_stub(&show->job, stub);
        unusable += stub->unusable != NULL;
    }
    if (unusable == 0 || unusable < show->job.count)
        return true;
    for (size_t i = 0; i < show->job.count; i++)
        say_escaped(alloc_text(show->job.items[i].stub->unusable));
    return false;
}

static bool
find_processes(struct show *show)
{
    const struct options *options = show->options;
    bool asks_proc = options->n_cores == 0 && (options->n_stubs == 0 || options->n_pids > 0);
    if (asks_proc && !procfs_is_ours()) {
        say("/proc is of another PID namespace: mount this one's there (mount -t proc proc /proc), "
            "or run mqshow where its processes are known by the numbers in /proc");
        return false;
    }
    for (size_t i = 0; i < options->n_pids; i++)
        job_add(&show->job, options->pids[i], -1);
    show->user = options->job != 0        ? procfs_user(options->job)
                 : options->job_user >= 0 ? options->job_user
                                          : (long) geteuid();
    char *problem = NULL;
    watchdog_begin("looking for the processes of the job", options->process_timeout);
    if (options->job != 0)
        problem = job_add_started(&show->job, options->job);
    if (options->job_pids != NULL)
        problem = pidlist_read(options->job_pids, options->as, &show->job);
    if (problem != NULL)
        say_escaped(problem);
    if (options->hydra != NULL)
        hydra_add_processes(&show->job, options->hydra);
    job_mark_foreign(&show->job, options->n_pids, show->user);
    watchdog_end();
    if (show->job.nodes.refused > 0)
        say("%zu processes run on machines whose names are none, \"%s\" for one: they are not "
            "shown",
            show->job.nodes.refused, show->job.nodes.refusal);
    if (show->job.nodes.control != NULL)
        remote_list(&(struct remote){.options = options, .job = &show->job, .user = show->user});
    return add_cores(show) && add_stubs(show) && show->job.count > 0;
}

static int
compare_ranks(const void *left, const void *right)
{
    const struct job_process *a = left, *b = right;
    int order = (a->world > b->world) - (a->world < b->world);
    if (order == 0)
        order = (a->rank > b->rank) - (a->rank < b->rank);
    return order != 0 ? order : (a->pid > b->pid) - (a->pid < b->pid);
}

static void
count_here(struct show *show)
{
    show->count = show->job.count;
    show->n_here = 0;
    for (size_t i = 0; i < show->count; i++)
        show->n_here += show->job.items[i].node < 0;
}

static void
filter_ranks(struct show *show)
{
    size_t kept = 0;
    for (size_t i = 0; i < show->job.count; i++)
        if (show->job.items[i].core != NULL || show->job.items[i].stub != NULL ||
            options_want_rank(show->options, show->job.items[i].rank))
            show->job.items[kept++] = show->job.items[i];
    show->job.count = kept;
    if (show->options->n_cores == 0)
        qsort(show->job.items, kept, sizeof *show->job.items, compare_ranks);
}

bool
show_init(struct show *show, const struct options *options)
{
    *show = (struct show){.options = options};
    if (!find_processes(show))
        return false;
    job_settle_worlds(&show->job);
    filter_ranks(show);
    count_here(show);
    if (show->count == 0) {
        say("no process has one of the ranks asked for");
        return false;
    }
    show->subjects = alloc_zeroed(show->count, sizeof *show->subjects);
    return show->n_here == 0 || options->list || reader_begin(show);
}

/** Those whose ranks are not known come last. */
static int
compare_reports(const void *left, const void *right)
{
    const struct report *a = left, *b = right;
    uint32_t rank = (uint32_t) a->rank, other = (uint32_t) b->rank;
    int order = (rank > other) - (rank < other);
    return order != 0 ? order : (a->pid > b->pid) - (a->pid < b->pid);
}

static void
set_rank(struct report *report, int rank)
{
    report->rank = rank;
    report_message(report, alloc_format("its rank is not %s: the others have all other ranks of "
                                        "MPI_COMM_WORLD",
                                        report->core != NULL ? "in the core" : "known"));
}

/** A core that tells no rank is of the one that none of the others has. */
static void
deduce_rank(struct show *show)
{
    struct report *unknown = NULL;
    bool *seen = alloc_zeroed(show->count, sizeof *seen);
    size_t n_seen = 0, missing = 0;
    for (size_t i = 0; i < show->count; i++) {
        int rank = show->document->reports[i].rank;
        if (rank < 0)
            unknown = &show->document->reports[i];
        else if ((size_t) rank < show->count && !seen[rank])
            n_seen += seen[rank] = true;
    }
    while (missing < show->count && seen[missing])
        missing++;
    for (size_t i = 0; i < show->count && unknown != NULL && n_seen == show->count - 1; i++) {
        if (report_world_size(&show->document->reports[i]) != (int64_t) show->count)
            continue;
        set_rank(unknown, (int) missing);
        unknown = NULL;
    }
    free(seen);
}

/** The ranks of cores may not be known before they were read. */
static void
order_reports(struct show *show)
{
    deduce_rank(show);
    struct document *document = show->document;
    size_t kept = 0;
    for (size_t i = 0; i < document->count; i++) {
        struct report report = document->reports[i];
        if (options_want_rank(show->options, report.rank))
            document->reports[kept++] = report;
        else
            report_deinit(&report);
    }
    document->count = kept;
    qsort(document->reports, kept, sizeof *document->reports, compare_reports);
}

static void
close_all(struct show *show)
{
    for (size_t i = 0; i < show->count && show->subjects != NULL; i++)
        look_close(show, i);
}

struct document *
show_run(struct show *show)
{
    struct document *document = document_create(show->count);
    struct remote remote = {
        .options = show->options, .job = &show->job, .user = show->user, .document = document};
    show->document = document;
    close_all(show);
    if (show->n_here < show->count)
        remote_begin(&remote);
    if (show->n_here > 0)
        reader_look(show);
    release_stubs(show);
    remote_finish(&remote);
    if (show->options->n_cores > 0 || show->options->n_stubs > 0)
        order_reports(show);
    show->document = NULL;
    return document;
}

void
show_deinit(struct show *show)
{
    reader_end(show);
    release_stubs(show);
    close_all(show);
    free(show->subjects);
    document_destroy(show->document);
    choice_deinit(&show->choice);
    job_deinit(&show->job);
    objfiles_deinit(&show->files);
    image_close_sessions();
}
