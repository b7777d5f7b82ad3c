// SPDX-License-Identifier: BSD-3-Clause
// Reading processes: look at one while it runs, stop it, copy, let it go on, read the copy.
#include "mqshow/run/sample.h"

#include "mqshow/base/clock.h"
#include "mqshow/base/diag.h"
#include "mqshow/mqd/stats.h"
#include "mqshow/process/stub.h"
#include "mqshow/run/proc_facts.h"

/** Reads the map anew where it has changed, and what depends on it. It is long: once before the
 * process is stopped, then only if it changed in between. */
static void
read_map(struct run *run, size_t i)
{
    struct run_debuggee *debuggee = &run->debuggees[i];
    if (!debuggee->usable || sample_is_still(debuggee))
        return;
    if (!image_read_map(&debuggee->process.image.image))
        sample_open_again(run, i);
}

static void
begin_stop(struct run *run, size_t i)
{
    struct run_debuggee *debuggee = &run->debuggees[i];
    if (!debuggee->usable || sample_is_still(debuggee))
        return;
    proc_facts_add_state(&run->document->reports[i], debuggee->process.pid);
    debuggee->stopped_at = clock_us();
    int error = stop_begin(&debuggee->stop, debuggee->process.pid);
    debuggee->stopped = error == 0;
    if (error != 0)
        report_problem(&run->document->reports[i], stop_explain(debuggee->process.pid, error));
}

static void
wait_stop(struct run *run, size_t i)
{
    struct run_debuggee *debuggee = &run->debuggees[i];
    if (!debuggee->stopped)
        return;
    sample_enter(run, "it was being stopped");
    int64_t start = clock_us();
    stop_wait(&debuggee->stop);
    host_stats.stops_us += (uint64_t) (clock_us() - start);
    char *problem = stop_explain_left(&debuggee->stop);
    if (problem != NULL)
        report_problem(&run->document->reports[i], problem);
}

/** Whether the process has an OpenMP runtime. */
static bool
has_openmp(const struct image *image)
{
    for (size_t i = 0; i < image->n_modules; i++)
        if (objfile_has_openmp(image->modules[i].file))
            return true;
    return false;
}

/** Copies what is read after the process went on. */
static void
copy_process(struct run *run, size_t i)
{
    struct run_debuggee *debuggee = &run->debuggees[i];
    struct image *image = &debuggee->process.image.image;
    if (image->debuggee.stub != NULL && debuggee->usable) {
        stub_copy(image->debuggee.stub, image_machine(image), &debuggee->copy);
        image->debuggee.copy = &debuggee->copy;
    }
    if (!debuggee->stopped)
        return;
    sample_enter(run, "its stacks were copied");
    footprint_copy(&debuggee->footprint, debuggee->process.pid);
    read_map(run, i);
    copy_init(&debuggee->copy, image_machine(image), &debuggee->stop, &image->maps,
              has_openmp(image));
    image->debuggee.copy = &debuggee->copy;
}

/** Asks about a process that stands still, or what was copied of it. @return of its Python */
static void
ask(const struct run_debuggee *debuggee, struct query *query, struct python *python)
{
    python_read(python, &debuggee->process.image.image);
    query_process(query);
}

static void
read_process(struct run *run, size_t i)
{
    struct run_debuggee *debuggee = &run->debuggees[i];
    const struct debuggee *source = &debuggee->process.image.image.debuggee;
    if (!debuggee->usable || (source->copy == NULL && source->core == NULL))
        return;
    sample_enter(run, "its memory was read");
    diag_progress("process %zu of %zu: reading %d", i + 1, run->count, (int) debuggee->process.pid);
    ask(debuggee, &debuggee->query, &debuggee->threads.python);
    debuggee->was_read = true;
}

static void
resume(struct run *run, size_t i)
{
    struct run_debuggee *debuggee = &run->debuggees[i];
    if (!debuggee->stopped)
        return;
    sample_enter(run, "it was being resumed");
    stop_end(&debuggee->stop);
    sample_enter(run, "other processes were resumed");
    debuggee->stopped = false;
    debuggee->stopped_us += clock_us() - debuggee->stopped_at;
    SET(&run->document->reports[i], PROCESS_STOPPED, stopped_us, debuggee->stopped_us);
}

/** Counts what was read since apart: it is not shown. */
static void
count_as_ahead(const struct host_stats *before)
{
    host_stats.ahead += host_stats.reads - before->reads;
    host_stats.reads = before->reads;
    host_stats.bytes = before->bytes;
}

/** Reads a process while it runs, only to see what is to be copied once it stands still. */
static void
look_ahead(struct run *run, size_t i)
{
    struct run_debuggee *debuggee = &run->debuggees[i];
    struct host_stats before = host_stats;
    struct query query = debuggee->query;
    struct python python = {.threads = NULL};
    struct report report;
    sample_enter(run, "its memory was read for the first time");
    report_init(&report, &run->document->texts);
    report.image = query.report->image;
    query.report = &report;
    debuggee->footprint.moment = FOOTPRINT_AHEAD;
    ask(debuggee, &query, &python);
    debuggee->footprint.moment = FOOTPRINT_STILL;
    python_deinit(&python);
    report_deinit(&report);
    count_as_ahead(&before);
}

/** Whether what a look at a process reads can be foreseen: then all is copied while it stands
 * still, and understood when it has gone on. Other libraries than the own one might not survive
 * what they read of a process that runs.
 */
static bool
foresee(struct run *run, size_t i)
{
    struct run_debuggee *debuggee = &run->debuggees[i];
    struct footprint *footprint = &debuggee->footprint;
    if (!debuggee->usable || sample_is_still(debuggee) || run->options->record != NULL ||
        run->options->print_layout || run->dll.mqs_get_process_message == NULL)
        return false;
    debuggee->process.image.image.debuggee.footprint = footprint;
    if (footprint->noted.count == 0)
        look_ahead(run, i);
    return footprint_prepare(footprint);
}

static void
stop_and_copy(struct run *run, size_t i)
{
    begin_stop(run, i);
    wait_stop(run, i);
    copy_process(run, i);
}

/** @return whether nothing was read but what was copied before the process went on */
static bool
read_copied(struct run *run, size_t i)
{
    struct run_debuggee *debuggee = &run->debuggees[i];
    stop_hold(true);
    stop_and_copy(run, i);
    resume(run, i);
    stop_hold(false);
    struct host_stats before = host_stats;
    debuggee->footprint.moment = FOOTPRINT_PAST;
    read_process(run, i);
    debuggee->footprint.moment = FOOTPRINT_STILL;
    if (!debuggee->footprint.missed)
        return true;
    // What was read since is of another moment.
    count_as_ahead(&before);
    host_stats.again++;
    debuggee->process.image.image.debuggee.copy = NULL;
    copy_deinit(&debuggee->copy);
    threads_deinit(&debuggee->threads);
    debuggee->was_read = false;
    footprint_prepare(&debuggee->footprint);
    sample_prepare_again(run, i);
    read_map(run, i);
    return false;
}

void
sample_one(struct run *run, size_t i)
{
    sample_open(run, i);
    sample_prepare(run, i);
    bool foreseen = foresee(run, i);
    read_map(run, i);
    if (!foreseen || !read_copied(run, i)) {
        stop_hold(true);
        stop_and_copy(run, i);
        read_process(run, i);
        resume(run, i);
        stop_hold(false);
    }
    run->debuggees[i].process.image.image.debuggee.footprint = NULL;
    sample_conclude(run, i);
}

static void
do_with_all(struct run *run, void (*step)(struct run *run, size_t i))
{
    for (size_t i = 0; i < run->count; i++)
        if (run->job.items[i].node < 0)
            step(run, i);
}

void
sample_together(struct run *run)
{
    do_with_all(run, sample_open);
    do_with_all(run, sample_prepare);
    do_with_all(run, read_map);
    stop_hold(true);
    do_with_all(run, begin_stop);
    do_with_all(run, wait_stop);
    do_with_all(run, copy_process);
    do_with_all(run, read_process);
    do_with_all(run, resume);
    stop_hold(false);
    do_with_all(run, sample_conclude);
    diag_progress_clear();
}
