// SPDX-License-Identifier: BSD-3-Clause
// Reading the processes of a run: prepare, stop, read, let go on.
#include "mqshow/run/sample.h"

#include "mqshow/base/alloc.h"
#include "mqshow/process/core.h"
#include "mqshow/base/escape.h"
#include "mqshow/process/procfs.h"
#include "mqshow/process/stub.h"
#include "mqshow/run/proc_facts.h"
#include "mqshow/mqd/recording.h"
#include "mqshow/waits/device_buffers.h"
#include "mqshow/waits/resolve.h"
#include "mqshow/base/diag.h"
#include "mqshow/job/starter.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *
run_host(const struct run *run)
{
    const char *name = run->options->as != NULL ? run->options->as : run->job.here;
    bool one_of_many =
        run->options->as != NULL || run->options->job_pids != NULL || run->job.nodes.count > 0;
    char own[256] = "";
    if (one_of_many && name == NULL && gethostname(own, sizeof own - 1) == 0)
        name = own;
    return one_of_many ? escape_text(name, SIZE_MAX) : NULL;
}

void
sample_enter(const struct run *run, const char *phase)
{
    if (run->phase != NULL)
        *run->phase = phase;
}

/** @return NULL, or why its files cannot be read, to free() */
static char *
open_image(struct run *run, size_t i)
{
    const struct job_process *found = &run->job.items[i];
    struct image *image = &run->debuggees[i].process.image.image;
    if (found->core != NULL) {
        if (found->core->unusable != NULL)
            return alloc_text(found->core->unusable);
        return image_init_core(image, &run->files, found->core);
    }
    if (found->stub != NULL)
        return found->stub->unusable != NULL ? alloc_text(found->stub->unusable)
                                             : image_init_stub(image, &run->files, found->stub);
    if (found->is_foreign)
        return alloc_format(
            "process %d belongs to another user than the job: not read (to read it, "
            "give its id)",
            (int) found->pid);
    int error = procfs_check_access(found->pid);
    return error != 0 ? stop_explain(found->pid, error)
                      : image_init(image, &run->files, found->pid);
}

void
sample_begin_report(struct run *run, size_t i)
{
    const struct job_process *found = &run->job.items[i];
    struct report *report = &run->document->reports[i];
    const char *world = job_world(&run->job, i);
    if (found->pid > 0)
        SET(report, PROCESS_PID, pid, found->pid);
    report->rank = found->rank;
    report->ranks_of = report_keep(report, alloc_text(found->ranks_of));
    if (world != NULL)
        report->world = report_keep(report, escape_text(world, SIZE_MAX));
    report->host = report_keep(report, run_host(run));
    if (found->core != NULL)
        report->core = report_keep(report, escape_text(found->core->path, SIZE_MAX));
    else if (found->stub == NULL)
        proc_facts_add(report, &run->job, found->pid);
}

long
run_user(const struct run *run, size_t i)
{
    const struct job_process *found = &run->job.items[i];
    struct stat status;
    if (found->stub != NULL)
        return (long) geteuid();
    if (found->core == NULL)
        return procfs_user(found->pid);
    return stat(found->core->path, &status) == 0 ? (long) status.st_uid : -1;
}

void
sample_give_up(struct run *run, size_t i, char *why)
{
    const struct job_process *found = &run->job.items[i];
    struct report *report = &run->document->reports[i];
    char *program = job_program(found);
    report_deinit(report);
    report_init(report, &run->document->texts);
    sample_begin_report(run, i);
    report->image = report_keep(report, escape_text(program != NULL ? program : "", SIZE_MAX));
    report_problem(report, why);
    free(program);
}

/** Begins the report of a process whose files are open. */
static void
begin_report(struct run *run, size_t i)
{
    struct report *report = &run->document->reports[i];
    const char *path = run->debuggees[i].process.image.image.path;
    sample_begin_report(run, i);
    report->image = report_keep(report, escape_text(path != NULL ? path : "", SIZE_MAX));
}

void
sample_open(struct run *run, size_t i)
{
    struct run_debuggee *debuggee = &run->debuggees[i];
    struct report *report = &run->document->reports[i];
    const struct job_process *found = &run->job.items[i];
    char *problem = NULL;
    if (debuggee->opened && !debuggee->kept)
        return;
    sample_enter(run, "its symbols were read");
    diag_progress("process %zu of %zu: reading the symbols of %d", i + 1, run->count,
                  (int) found->pid);
    if (!debuggee->kept) {
        *debuggee = (struct run_debuggee){.opened = true,
                                          .process = {.pid = found->pid, .rank = found->rank},
                                          .footprint = debuggee->footprint};
        problem = open_image(run, i);
    }
    debuggee->kept = false;
    begin_report(run, i);
    bool dead = report_is_dead(report); // which is reason enough
    debuggee->usable = problem == NULL && !dead;
    if (dead)
        SET(report, PROCESS_INCOMPLETE, incomplete, true);
    if (problem != NULL && !dead)
        report_problem(report, escape_text(problem, SIZE_MAX));
    free(problem);
}

/** The file of a process, to free(). */
static char *
record_path(const struct run *run, size_t i)
{
    const char *path = run->options->record;
    int rank = run->job.items[i].rank;
    return run->count == 1 ? alloc_text(path)
           : rank >= 0     ? alloc_format("%s.%d", path, rank)
                           : alloc_format("%s.pid%d", path, (int) run->job.items[i].pid);
}

static void
report_recording_error(struct run *run, size_t i, int error)
{
    char *path = record_path(run, i);
    report_problem(&run->document->reports[i],
                   alloc_format("cannot write %s: %s", path, strerror(error)));
    free(path);
}

static void
open_record(struct run *run, size_t i)
{
    struct run_debuggee *debuggee = &run->debuggees[i];
    const struct image *image = &debuggee->process.image.image;
    if (run->options->record == NULL || debuggee->process.image.recording != NULL)
        return;
    char *path = record_path(run, i);
    debuggee->process.image.recording =
        recording_create(path, image->debuggee.pointer_size, run->job.items[i].rank, image->path);
    if (debuggee->process.image.recording == NULL)
        report_recording_error(run, i, errno);
    free(path);
}

/** Asks the library about the files of a process. */
static void
ask_about_files(struct run *run, size_t i)
{
    struct run_debuggee *debuggee = &run->debuggees[i];
    // The library may ask about them only when the process is stopped.
    image_prepare(&debuggee->process.image.image);
    debuggee->process.wide_sizes = host_wants_wide_sizes(&run->dll, &debuggee->process.image.image);
    debuggee->query = (struct query){.dll = &run->dll,
                                     .options = run->options,
                                     .process = &debuggee->process,
                                     .report = &run->document->reports[i]};
    query_image(&debuggee->query);
}

void
sample_prepare(struct run *run, size_t i)
{
    struct run_debuggee *debuggee = &run->debuggees[i];
    if (!debuggee->usable)
        return;
    sample_enter(run, "its types were read");
    diag_progress("process %zu of %zu: reading the types of %d", i + 1, run->count,
                  (int) debuggee->process.pid);
    open_record(run, i);
    ask_about_files(run, i);
}

void
sample_prepare_again(struct run *run, size_t i)
{
    struct report *report = &run->document->reports[i];
    report_deinit(report);
    report_init(report, &run->document->texts);
    begin_report(run, i);
    ask_about_files(run, i);
}

void
sample_open_again(struct run *run, size_t i)
{
    struct run_debuggee *debuggee = &run->debuggees[i];
    struct image *image = &debuggee->process.image.image;
    struct footprint *footprint = image->debuggee.footprint;
    query_end(&debuggee->query);
    report_forget_messages(&run->document->reports[i]);
    image_deinit(image);
    char *problem = image_init(image, &run->files, debuggee->process.pid);
    image->debuggee.footprint = footprint;
    if (problem == NULL) {
        sample_prepare(run, i);
        return;
    }
    debuggee->usable = false;
    report_problem(&run->document->reports[i], problem);
}

bool
sample_is_still(const struct run_debuggee *debuggee)
{
    const struct debuggee *source = &debuggee->process.image.image.debuggee;
    return source->core != NULL || source->stub != NULL;
}

/** What is wrong with the files of a core or stub. */
static void
report_problems(struct report *report, char **problems, size_t count)
{
    for (size_t i = 0; i < count; i++)
        report_problem(report, escape_text(problems[i], SIZE_MAX));
}

/** What could not be read of the files that the process has loaded. */
static void
report_file_errors(struct report *report, const struct image *image)
{
    for (size_t i = 0; i < image->n_modules; i++) {
        const struct objfile *file = image->modules[i].file;
        if (file->error != NULL)
            report_problem(
                report, alloc_format("cannot read the symbols of %s: %s", file->path, file->error));
    }
}

void
sample_conclude(struct run *run, size_t i)
{
    struct run_debuggee *debuggee = &run->debuggees[i];
    const struct image *image = &debuggee->process.image.image;
    sample_enter(run, "its stacks were unwound");
    if (debuggee->was_read)
        resolve_stacks(&run->document->reports[i], &debuggee->threads,
                       &debuggee->process.image.image, &run->dll, &debuggee->process);
    device_buffers_set(&run->document->reports[i], image, &image->maps);
    sample_enter(run, "its addresses were looked up");
    resolve_addresses(&run->document->reports[i], &debuggee->threads, image);
    report_file_errors(&run->document->reports[i], image);
    int error_of_files = alloc_first_errno();
    if (error_of_files != 0)
        report_problem(
            &run->document->reports[i],
            alloc_format("%s: stacks and names may be incomplete",
                         error_of_files == ENOMEM ? "not enough memory" : "a file cannot be read"));
    const struct core *core = image->debuggee.core;
    const struct stub *stub = image->debuggee.stub;
    if (core != NULL)
        report_problems(&run->document->reports[i], core->problems, core->n_problems);
    else if (stub != NULL)
        report_problems(&run->document->reports[i], stub->problems, stub->n_problems);
    else
        starter_report_contradiction(&run->document->reports[i]);
    starter_report_missing(&run->document->reports[i]);
    int error = recording_flush(run->debuggees[i].process.image.recording);
    if (error != 0)
        report_recording_error(run, i, error);
}

void
sample_warm(struct run *run, size_t i)
{
    struct run_debuggee *debuggee = &run->debuggees[i];
    if (!debuggee->usable)
        return;
    diag_progress("reading the symbols and types of %s", run->document->reports[i].image);
    ask_about_files(run, i);
    query_end(&debuggee->query);
    debuggee->query.dll = NULL;
    report_forget_messages(&run->document->reports[i]);
}

// The files of a process stay open until it is stopped with others.
void
sample_keep(struct run *run, size_t i)
{
    struct run_debuggee *debuggee = &run->debuggees[i];
    if (!debuggee->was_read || sample_is_still(debuggee) || run->options->record != NULL) {
        sample_close(run, i);
        return;
    }
    debuggee->process.image.image.debuggee.copy = NULL;
    copy_deinit(&debuggee->copy);
    threads_deinit(&debuggee->threads);
    debuggee->stopped = debuggee->was_read = false;
    debuggee->stopped_us = 0;
    debuggee->kept = true;
}

void
sample_close(struct run *run, size_t i)
{
    struct run_debuggee *debuggee = &run->debuggees[i];
    if (debuggee->query.dll != NULL)
        query_end(&debuggee->query);
    recording_destroy(debuggee->process.image.recording);
    image_deinit(&debuggee->process.image.image);
    footprint_rest(&debuggee->footprint);
    copy_deinit(&debuggee->copy);
    threads_deinit(&debuggee->threads);
    *debuggee = (struct run_debuggee){.footprint = debuggee->footprint};
}
