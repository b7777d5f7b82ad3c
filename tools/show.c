// SPDX-License-Identifier: BSD-3-Clause
// A run over all processes: prepare, stop, read, let go on.
#include "tools/show.h"

#include "tools/alloc.h"
#include "tools/escape.h"
#include "tools/procfs.h"
#include "tools/record.h"
#include "tools/say.h"
#include "tools/starter.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/** Tells a problem whose text may hold what a process says, and frees it. */
static void
say_escaped(char *problem)
{
    char *escaped = escape_text(problem, SIZE_MAX);
    say("%s", escaped);
    free(escaped);
    free(problem);
}

static bool
find_processes(struct show *show)
{
    const struct options *options = show->options;
    for (size_t i = 0; i < options->n_pids; i++)
        job_add(&show->job, options->pids[i], -1);
    char *problem =
        options->job != 0 ? job_add_started(&show->job, &show->files, options->job) : NULL;
    if (problem != NULL)
        say_escaped(problem);
    if (show->job.elsewhere > 0)
        say("%zu ranks run on other machines: run mqshow there too", show->job.elsewhere);
    return show->job.count > 0;
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
filter_ranks(struct show *show)
{
    size_t kept = 0;
    for (size_t i = 0; i < show->job.count; i++)
        if (options_want_rank(show->options, show->job.items[i].rank))
            show->job.items[kept++] = show->job.items[i];
    show->job.count = kept;
    qsort(show->job.items, kept, sizeof *show->job.items, compare_ranks);
}

static void
open_image(struct show *show, size_t i)
{
    struct subject *subject = &show->subjects[i];
    struct report *report = &show->reports[i];
    const struct job_process *found = &show->job.items[i];
    say_progress("process %zu of %zu: reading the symbols of %d", i + 1, show->count,
                 (int) found->pid);
    *report = (struct report){.pid = found->pid, .rank = found->rank};
    if (show->job.n_worlds > 1)
        report->world = escape_text(show->job.worlds[found->world], SIZE_MAX);
    subject->process = (struct mqs_process_){.pid = found->pid, .rank = found->rank};
    int error = procfs_check_access(found->pid);
    char *problem = error != 0
                        ? stop_explain(found->pid, error)
                        : image_init(&subject->process.image.image, &show->files, found->pid);
    subject->usable = problem == NULL;
    const char *path = subject->process.image.image.path;
    report->image = escape_text(path != NULL ? path : "", SIZE_MAX);
    if (problem != NULL) {
        report_problem(report, escape_text(problem, SIZE_MAX));
        free(problem);
    }
}

/** The first process that names a library in MPIR_dll_name. */
static const struct image *
find_naming_image(const struct show *show)
{
    for (size_t i = 0; i < show->count; i++) {
        const struct image *image = &show->subjects[i].process.image.image;
        char *name = show->subjects[i].usable ? choice_named_by(image) : NULL;
        free(name);
        if (name != NULL)
            return image;
    }
    return NULL;
}

static bool
open_library(struct show *show)
{
    char *problem = choice_init(&show->choice, show->options->dll, find_naming_image(show));
    if (problem == NULL)
        problem = dll_open(&show->dll, show->choice.path);
    if (problem != NULL) {
        say_escaped(problem);
        return false;
    }
    char *reason = escape_text(show->choice.reason, SIZE_MAX);
    say("%s", reason);
    free(reason);
    return true;
}

bool
show_init(struct show *show, const struct options *options)
{
    *show = (struct show){.options = options};
    if (!find_processes(show))
        return false;
    filter_ranks(show);
    show->count = show->job.count;
    if (show->count == 0) {
        say("no process has one of the ranks asked for");
        return false;
    }
    show->subjects = alloc_zeroed(show->count, sizeof *show->subjects);
    show->reports = alloc_zeroed(show->count, sizeof *show->reports);
    for (size_t i = 0; i < show->count; i++)
        open_image(show, i);
    return open_library(show);
}

static void
open_record(struct show *show, size_t i)
{
    struct subject *subject = &show->subjects[i];
    const struct image *image = &subject->process.image.image;
    const char *path = show->options->record;
    if (path == NULL || subject->process.image.record != NULL)
        return;
    int rank = show->reports[i].rank;
    char *own = show->count == 1 ? alloc_text(path)
                : rank >= 0      ? alloc_format("%s.%d", path, rank)
                                 : alloc_format("%s.pid%d", path, (int) subject->process.pid);
    subject->process.image.record = record_create(own, image->pointer_size, rank, image->path);
    if (subject->process.image.record == NULL)
        report_problem(&show->reports[i],
                       alloc_format("cannot write %s: %s", own, strerror(errno)));
    free(own);
}

static void
prepare(struct show *show, size_t i)
{
    struct subject *subject = &show->subjects[i];
    if (!subject->usable)
        return;
    say_progress("process %zu of %zu: reading the types of %d", i + 1, show->count,
                 (int) subject->process.pid);
    open_record(show, i);
    subject->process.wide_sizes = host_wants_wide_sizes(&show->dll, &subject->process.image.image);
    subject->gathering = (struct gathering){.dll = &show->dll,
                                            .options = show->options,
                                            .process = &subject->process,
                                            .report = &show->reports[i]};
    gather_image(&subject->gathering);
}

/** Prepares again what has loaded files since, now that it stands still. */
static void
prepare_again(struct show *show, size_t i)
{
    struct subject *subject = &show->subjects[i];
    struct image *image = &subject->process.image.image;
    if (!subject->stopped || !image_is_stale(image))
        return;
    gather_end(&subject->gathering);
    report_forget_messages(&show->reports[i]);
    image_deinit(image);
    char *problem = image_init(image, &show->files, subject->process.pid);
    if (problem == NULL) {
        prepare(show, i);
        return;
    }
    subject->usable = false;
    report_problem(&show->reports[i], problem);
}

static void
begin_stop(struct show *show, size_t i)
{
    struct subject *subject = &show->subjects[i];
    if (!subject->usable)
        return;
    int error = stop_begin(&subject->stop, subject->process.pid);
    subject->stopped = error == 0;
    if (error != 0)
        report_problem(&show->reports[i], stop_explain(subject->process.pid, error));
}

static void
wait_stop(struct show *show, size_t i)
{
    struct subject *subject = &show->subjects[i];
    if (!subject->stopped)
        return;
    size_t running = stop_wait(&subject->stop);
    if (running > 0)
        report_problem(&show->reports[i],
                       alloc_format("%zu threads do not stop: they sleep in the kernel", running));
}

static void
read_process(struct show *show, size_t i)
{
    struct subject *subject = &show->subjects[i];
    if (!subject->stopped || !subject->usable)
        return;
    say_progress("process %zu of %zu: reading %d", i + 1, show->count, (int) subject->process.pid);
    gather_process(&subject->gathering);
    if (subject->running > 0)
        report_problem(
            &show->reports[i],
            alloc_format("%zu threads did not stop, being asleep in the kernel: what they "
                         "are about to change may be shown wrong",
                         subject->running));
}

static void
let_go(struct show *show, size_t i)
{
    if (show->subjects[i].stopped)
        stop_end(&show->subjects[i].stop);
    show->subjects[i].stopped = false;
}

/** Looks up what addresses mean, which the process need not wait for. */
static void
tell_places(struct show *show, size_t i)
{
    const struct image *image = &show->subjects[i].process.image.image;
    openmp_tell_places(&show->reports[i].omp, image);
    threads_tell(&show->reports[i].threads, image);
}

void
show_run(struct show *show)
{
    // All stand still together: what one says about another is true of the same moment.
    static void (*const steps[])(struct show *, size_t) = {begin_stop,   wait_stop, prepare_again,
                                                           read_process, let_go,    tell_places};
    show->dll.mqs_setup_basic_callbacks(&host_basic);
    for (size_t i = 0; i < show->count; i++)
        prepare(show, i);
    stop_hold(true);
    for (size_t step = 0; step < sizeof steps / sizeof *steps; step++)
        for (size_t i = 0; i < show->count; i++)
            steps[step](show, i);
    stop_hold(false);
    for (size_t i = 0; i < show->count; i++)
        starter_tell_contradiction(&show->reports[i]);
    say_no_progress();
}

static void
close_subject(struct show *show, size_t i)
{
    struct subject *subject = &show->subjects[i];
    if (subject->gathering.dll != NULL)
        gather_end(&subject->gathering);
    if (!record_destroy(subject->process.image.record))
        say("cannot write %s: %s", show->options->record, strerror(errno));
    image_deinit(&subject->process.image.image);
    report_deinit(&show->reports[i]);
}

void
show_deinit(struct show *show)
{
    for (size_t i = 0; i < show->count && show->subjects != NULL; i++)
        close_subject(show, i);
    free(show->subjects);
    free(show->reports);
    dll_close(&show->dll);
    choice_deinit(&show->choice);
    job_deinit(&show->job);
    objfiles_deinit(&show->files);
    image_close_sessions();
}
