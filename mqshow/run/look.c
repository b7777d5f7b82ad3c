// SPDX-License-Identifier: BSD-3-Clause
// Looking at the processes of a run: prepare, stop, read, let go on.
#include "mqshow/run/look.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/clock.h"
#include "mqshow/process/core.h"
#include "mqshow/base/escape.h"
#include "mqshow/process/maps.h"
#include "mqshow/process/procfs.h"
#include "mqshow/process/stub.h"
#include "mqshow/mqd/recording.h"
#include "mqshow/waits/resolve.h"
#include "mqshow/base/say.h"
#include "mqshow/job/starter.h"
#include "mqshow/mqd/stats.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *
look_host(const struct show *show)
{
    const char *name = show->options->as != NULL ? show->options->as : show->job.here;
    bool one_of_many =
        show->options->as != NULL || show->options->job_pids != NULL || show->job.nodes.count > 0;
    char own[256] = "";
    if (one_of_many && name == NULL && gethostname(own, sizeof own - 1) == 0)
        name = own;
    return one_of_many ? escape_text(name, SIZE_MAX) : NULL;
}

/** Notes what is being done, for whoever has to give it up. */
static void
enter(const struct show *show, const char *phase)
{
    if (show->phase != NULL)
        *show->phase = phase;
}

/** @return NULL, or why its files cannot be read, to free() */
static char *
open_image(struct show *show, size_t i)
{
    const struct job_process *found = &show->job.items[i];
    struct image *image = &show->subjects[i].process.image.image;
    if (found->core != NULL) {
        if (found->core->unusable != NULL)
            return alloc_text(found->core->unusable);
        return image_init_core(image, &show->files, found->core);
    }
    if (found->stub != NULL)
        return found->stub->unusable != NULL ? alloc_text(found->stub->unusable)
                                             : image_init_stub(image, &show->files, found->stub);
    if (found->is_foreign)
        return alloc_format("process %d is not of the user of the job: it is not read (give its "
                            "id, if it shall be)",
                            (int) found->pid);
    int error = procfs_check_access(found->pid);
    return error != 0 ? stop_explain(found->pid, error)
                      : image_init(image, &show->files, found->pid);
}

static void
set_state(struct report *report, pid_t pid)
{
    struct state state = state_read(pid);
    report_set_state(report, &state);
    state_deinit(&state);
}

void
look_begin_report(struct show *show, size_t i)
{
    const struct job_process *found = &show->job.items[i];
    struct report *report = &show->document->reports[i];
    const char *world = job_world(&show->job, i);
    if (found->pid > 0)
        SET(report, PROCESS_PID, pid, found->pid);
    report->rank = found->rank;
    if (world != NULL)
        report->world = report_keep(report, escape_text(world, SIZE_MAX));
    report->host = report_keep(report, look_host(show));
    if (found->core != NULL)
        report->core = report_keep(report, escape_text(found->core->path, SIZE_MAX));
    else if (found->stub == NULL)
        set_state(report, found->pid);
}

long
look_user(const struct show *show, size_t i)
{
    const struct job_process *found = &show->job.items[i];
    struct stat status;
    if (found->stub != NULL)
        return (long) geteuid();
    if (found->core == NULL)
        return procfs_user(found->pid);
    return stat(found->core->path, &status) == 0 ? (long) status.st_uid : -1;
}

void
look_give_up(struct show *show, size_t i, char *why)
{
    const struct job_process *found = &show->job.items[i];
    struct report *report = &show->document->reports[i];
    char *program = job_program(found);
    report_deinit(report);
    report_init(report, &show->document->texts);
    look_begin_report(show, i);
    report->image = report_keep(report, escape_text(program != NULL ? program : "", SIZE_MAX));
    report_problem(report, why);
    free(program);
}

void
look_open(struct show *show, size_t i)
{
    struct subject *subject = &show->subjects[i];
    struct report *report = &show->document->reports[i];
    const struct job_process *found = &show->job.items[i];
    if (subject->opened)
        return;
    enter(show, "its symbols were read");
    say_progress("process %zu of %zu: reading the symbols of %d", i + 1, show->count,
                 (int) found->pid);
    *subject =
        (struct subject){.opened = true, .process = {.pid = found->pid, .rank = found->rank}};
    char *problem = open_image(show, i);
    look_begin_report(show, i);
    bool dead = report_is_dead(report); // which is reason enough
    subject->usable = problem == NULL && !dead;
    if (dead)
        SET(report, PROCESS_INCOMPLETE, incomplete, true);
    const char *path = subject->process.image.image.path;
    report->image = report_keep(report, escape_text(path != NULL ? path : "", SIZE_MAX));
    if (problem != NULL && !dead)
        report_problem(report, escape_text(problem, SIZE_MAX));
    free(problem);
}

/** The file of a process, to free(). */
static char *
record_path(const struct show *show, size_t i)
{
    const char *path = show->options->record;
    int rank = show->job.items[i].rank;
    return show->count == 1 ? alloc_text(path)
           : rank >= 0      ? alloc_format("%s.%d", path, rank)
                            : alloc_format("%s.pid%d", path, (int) show->job.items[i].pid);
}

static void
tell_record(struct show *show, size_t i, int error)
{
    char *path = record_path(show, i);
    report_problem(&show->document->reports[i],
                   alloc_format("cannot write %s: %s", path, strerror(error)));
    free(path);
}

static void
open_record(struct show *show, size_t i)
{
    struct subject *subject = &show->subjects[i];
    const struct image *image = &subject->process.image.image;
    if (show->options->record == NULL || subject->process.image.recording != NULL)
        return;
    char *path = record_path(show, i);
    subject->process.image.recording =
        recording_create(path, image->debuggee.pointer_size, show->job.items[i].rank, image->path);
    if (subject->process.image.recording == NULL)
        tell_record(show, i, errno);
    free(path);
}

/** Asks the library about the files of a process. */
static void
ask_about_files(struct show *show, size_t i)
{
    struct subject *subject = &show->subjects[i];
    // The library may ask about them only when the process stands still.
    image_prepare(&subject->process.image.image);
    subject->process.wide_sizes = host_wants_wide_sizes(&show->dll, &subject->process.image.image);
    subject->gathering = (struct gathering){.dll = &show->dll,
                                            .options = show->options,
                                            .process = &subject->process,
                                            .report = &show->document->reports[i]};
    gather_image(&subject->gathering);
}

static void
prepare(struct show *show, size_t i)
{
    struct subject *subject = &show->subjects[i];
    if (!subject->usable)
        return;
    enter(show, "its types were read");
    say_progress("process %zu of %zu: reading the types of %d", i + 1, show->count,
                 (int) subject->process.pid);
    open_record(show, i);
    ask_about_files(show, i);
}

/** Prepares again what has loaded files since, now that it stands still. */
static void
prepare_again(struct show *show, size_t i)
{
    struct subject *subject = &show->subjects[i];
    struct image *image = &subject->process.image.image;
    gather_end(&subject->gathering);
    report_forget_messages(&show->document->reports[i]);
    image_deinit(image);
    char *problem = image_init(image, &show->files, subject->process.pid);
    if (problem == NULL) {
        prepare(show, i);
        return;
    }
    subject->usable = false;
    report_problem(&show->document->reports[i], problem);
}

/** Whether there is nothing to stop: a core, or what a debugger holds. */
static bool
stands_still(const struct subject *subject)
{
    const struct debuggee *debuggee = &subject->process.image.image.debuggee;
    return debuggee->core != NULL || debuggee->stub != NULL;
}

static void
begin_stop(struct show *show, size_t i)
{
    struct subject *subject = &show->subjects[i];
    if (!subject->usable || stands_still(subject))
        return;
    set_state(&show->document->reports[i], subject->process.pid);
    subject->stopped_at = clock_us();
    int error = stop_begin(&subject->stop, subject->process.pid);
    subject->stopped = error == 0;
    if (error != 0)
        report_problem(&show->document->reports[i], stop_explain(subject->process.pid, error));
}

static void
wait_stop(struct show *show, size_t i)
{
    struct subject *subject = &show->subjects[i];
    if (!subject->stopped)
        return;
    enter(show, "it was to stop");
    int64_t start = clock_us();
    stop_wait(&subject->stop);
    host_stats.stops_us += (uint64_t) (clock_us() - start);
    char *problem = stop_explain_left(&subject->stop);
    if (problem != NULL)
        report_problem(&show->document->reports[i], problem);
}

/** Copies what is looked at after the process went on. */
static void
copy_process(struct show *show, size_t i)
{
    struct subject *subject = &show->subjects[i];
    struct image *image = &subject->process.image.image;
    struct maps maps;
    if (image->debuggee.stub != NULL && subject->usable) {
        stub_copy(image->debuggee.stub, image_machine(image), &subject->copy);
        image->debuggee.copy = &subject->copy;
    }
    if (!subject->stopped)
        return;
    enter(show, "its stacks were copied");
    maps_init(&maps, subject->process.pid);
    if (maps.signature != image->signature)
        prepare_again(show, i);
    copy_init(&subject->copy, image_machine(image), &subject->stop, &maps);
    image->debuggee.copy = &subject->copy;
    maps_deinit(&maps);
}

static void
read_process(struct show *show, size_t i)
{
    struct subject *subject = &show->subjects[i];
    if ((!subject->stopped && !stands_still(subject)) || !subject->usable)
        return;
    enter(show, "its memory was read");
    say_progress("process %zu of %zu: reading %d", i + 1, show->count, (int) subject->process.pid);
    gather_process(&subject->gathering);
    subject->was_read = true;
}

static void
let_go(struct show *show, size_t i)
{
    struct subject *subject = &show->subjects[i];
    if (!subject->stopped)
        return;
    enter(show, "let go");
    stop_end(&subject->stop);
    enter(show, "gone");
    subject->stopped = false;
    SET(&show->document->reports[i], PROCESS_STOPPED, stopped_us, clock_us() - subject->stopped_at);
}

/** What is wrong with the files of a core or stub. */
static void
tell_problems(struct report *report, char **problems, size_t count)
{
    for (size_t i = 0; i < count; i++)
        report_problem(report, escape_text(problems[i], SIZE_MAX));
}

/** What could not be read of the files that the process has loaded. */
static void
tell_files(struct report *report, const struct image *image)
{
    for (size_t i = 0; i < image->n_modules; i++) {
        const struct objfile *file = image->modules[i].file;
        if (file->error != NULL)
            report_problem(
                report, alloc_format("cannot read the symbols of %s: %s", file->path, file->error));
    }
}

/** Finds out what the process need not wait for: what its stacks and addresses mean, and who
 * started it. */
static void
conclude(struct show *show, size_t i)
{
    struct subject *subject = &show->subjects[i];
    const struct image *image = &subject->process.image.image;
    enter(show, "its stacks were followed");
    if (subject->was_read)
        resolve_stacks(&show->document->reports[i], &subject->threads,
                       &subject->process.image.image, &show->dll, &subject->process);
    enter(show, "its addresses were looked up");
    resolve_addresses(&show->document->reports[i], &subject->threads, image);
    tell_files(&show->document->reports[i], image);
    const struct core *core = image->debuggee.core;
    const struct stub *stub = image->debuggee.stub;
    if (core != NULL)
        tell_problems(&show->document->reports[i], core->problems, core->n_problems);
    else if (stub != NULL)
        tell_problems(&show->document->reports[i], stub->problems, stub->n_problems);
    else
        starter_tell_contradiction(&show->document->reports[i]);
    starter_tell_missing(&show->document->reports[i]);
    int error = recording_flush(show->subjects[i].process.image.recording);
    if (error != 0)
        tell_record(show, i, error);
}

typedef void (*step_ft)(struct show *show, size_t i);

static const step_ft while_it_runs[] = {look_open, prepare};
static const step_ft while_it_stands[] = {begin_stop, wait_stop, copy_process, read_process,
                                          let_go};

#define COUNT(array) (sizeof(array) / sizeof *(array))

void
look_alone(struct show *show, size_t i)
{
    for (size_t step = 0; step < COUNT(while_it_runs); step++)
        while_it_runs[step](show, i);
    stop_hold(true);
    for (size_t step = 0; step < COUNT(while_it_stands); step++)
        while_it_stands[step](show, i);
    stop_hold(false);
    conclude(show, i);
}

static void
do_with_all(struct show *show, const step_ft *steps, size_t count)
{
    for (size_t step = 0; step < count; step++)
        for (size_t i = 0; i < show->count; i++)
            if (show->job.items[i].node < 0)
                steps[step](show, i);
}

void
look_together(struct show *show)
{
    do_with_all(show, while_it_runs, COUNT(while_it_runs));
    stop_hold(true);
    do_with_all(show, while_it_stands, COUNT(while_it_stands));
    stop_hold(false);
    do_with_all(show, (const step_ft[]){conclude}, 1);
    say_no_progress();
}

void
look_warm(struct show *show, size_t i)
{
    struct subject *subject = &show->subjects[i];
    if (!subject->usable)
        return;
    say_progress("reading the symbols and types of %s", show->document->reports[i].image);
    ask_about_files(show, i);
    gather_end(&subject->gathering);
    subject->gathering.dll = NULL;
    report_forget_messages(&show->document->reports[i]);
}

void
look_close(struct show *show, size_t i)
{
    struct subject *subject = &show->subjects[i];
    if (subject->gathering.dll != NULL)
        gather_end(&subject->gathering);
    recording_destroy(subject->process.image.recording);
    image_deinit(&subject->process.image.image);
    copy_deinit(&subject->copy);
    threads_deinit(&subject->threads);
    *subject = (struct subject){.opened = false};
}
