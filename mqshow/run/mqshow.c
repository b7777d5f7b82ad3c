// SPDX-License-Identifier: BSD-3-Clause
// The program mqshow: a debugger on the command line for any MQD library.
#include "mqshow/base/alloc.h"
#include "mqshow/report/document.h"
#include "mqshow/report/progress.h"
#include "mqshow/run/hosts.h"
#include "mqshow/run/jobs_print.h"
#include "mqshow/run/list.h"
#include "mqshow/text/print_part.h"
#include "mqshow/base/diag.h"
#include "mqshow/run/sampler.h"
#include "mqshow/run/merge.h"
#include "mqshow/run/wait.h"
#include "mqshow/run/watch.h"
#include "mqshow/base/search.h"
#include "mqshow/base/strbuf.h"
#include "mqshow/mqd/stats.h"
#include "mqshow/run/document_print.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STUCK_SAMPLES = 7 }; // after the first
enum { LARGE_PIECE = 1 << 17 };

/** Standard output for us alone: a library that prints there writes to standard error instead. */
static FILE *
take_output(void)
{
    int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (out == NULL || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        die("cannot write to standard output: %s", strerror(errno));
    return out;
}

/** Whether a process has something to show, or is a rank of a job that needs neither MPI nor
 * OpenMP.
 */
static bool
has_something(const struct document *document)
{
    for (size_t i = 0; i < document->count; i++)
        if (report_has_something(&document->reports[i]) || document->reports[i].ranks_of != NULL)
            return true;
    return false;
}

static bool
has_threads(const struct document *document)
{
    for (size_t i = 0; i < document->count; i++)
        if (document->reports[i].threads.count > 0)
            return true;
    return false;
}

static bool
is_complete(const struct run *run, const struct document *document)
{
    for (size_t i = 0; i < document->count; i++)
        if (document->reports[i].incomplete)
            return false;
    return run->job.nodes.refused == 0 && run->job.nodes.unreached == 0 &&
           run->job.unlisted == NULL;
}

/** Prints for how long processes were stopped. */
static void
diag_stops(const struct document *document)
{
    int64_t *times = alloc_zeroed(document->count, sizeof *times);
    size_t count = 0;
    for (size_t i = 0; i < document->count; i++)
        if (document->reports[i].stopped_us > 0)
            times[count++] = document->reports[i].stopped_us;
    if (count > 1) {
        qsort(times, count, sizeof *times, compare_int64);
        diag("each of %zu processes was stopped for %.1f ms (median), %.1f ms at most", count,
             (double) times[count / 2] / 1000, (double) times[count - 1] / 1000);
    }
    free(times);
}

/** Prints when and where a file was saved that is shown. */
static void
diag_origin(const struct document *document)
{
    if (document->time != NULL)
        diag("saved at %s%s%s by mqshow %s", document->time, document->host != NULL ? " on " : "",
             document->host != NULL ? document->host : "",
             document->version != NULL ? document->version : "of an unknown version");
}

/** Whether more than usual is asked for. */
static bool
is_asked_for(const struct options *options)
{
    return options->all || options->stacks || options->icvs || options->control_vars ||
           options->n_ranks > 0 || options->comm != NULL;
}

static void
forget_verdict(void *sampler)
{
    sampler_forget_verdict(sampler);
}

static void
print_all(struct sampler *sampler, FILE *out, const char *changes)
{
    const struct options *options = sampler->run->options;
    struct screen screen = screen_of(out);
    bool is_over = options->html == NULL && options->save == NULL && options->watch == 0;
    struct sample sample = {
        .document = sampler->document, .verdict = sampler->verdict, .changes = changes};
    struct style style = {.color = options_want_color(options, out),
                          .all = options->all,
                          .brief = !options->all,
                          .stacks = options->stacks,
                          .no_icvs = !options->icvs,
                          .no_control_vars = !options->control_vars,
                          .marks = options->stuck > 0 || options->watch > 0};
    if (options->tree != TREE_NONE)
        document_print_tree(out, sampler->document, sampler->verdict, options);
    else if (options->only != PART_ALL)
        print_part(out, &sample, options->only, style);
    else if (is_asked_for(options))
        print_sample(out, &sample, style, is_over ? forget_verdict : NULL, sampler);
    else
        print_sample_on_screen(out, &sample, style, &screen);
}

static void
print(struct sampler *sampler, FILE *out, const char *changes)
{
    const struct options *options = sampler->run->options;
    const struct document_form form = {
        .flags = JSON_INDENT(1) | JSON_REAL_PRECISION(6), .narrow = true, .tree = options->tree};
    diag_progress_clear();
    if (options->job_pids == NULL)
        progress_forget_measures(sampler->document);
    if (options->print_layout && !options->json)
        print_layout(out, sampler->document->reports, sampler->document->count);
    else if (options->json)
        document_print(out, sampler->document, sampler->verdict, &form);
    else
        print_all(sampler, out, changes);
    if (options->stats) {
        diag_stops(sampler->document);
        stats_count_time();
        stats_print(stderr, &host_stats);
    }
}

/** Whether there is what the part is about that was asked for; reports it when not. */
static bool
has_part(const struct sampler *sampler)
{
    enum part part = sampler->run->options->only;
    const struct document *document = sampler->document;
    for (size_t i = 0; i < document->count; i++)
        if (part == PART_ALL || print_part_has(&document->reports[i], part))
            return true;
    for (size_t i = 0; i < document->count; i++) {
        const struct report *report = &document->reports[i];
        struct strbuf buf = {.text = NULL};
        for (size_t k = 0; k < report->messages.count; k++)
            strbuf_add(&buf, "%s%s", k == 0 ? ": " : "; ", report->messages.items[k]);
        char *reasons = strbuf_take(&buf);
        diag("process %d has no %s that can be shown%s", (int) report->pid,
             print_part_subject(part), reasons);
        free(reasons);
    }
    return false;
}

/** Whether there is a communicator that was asked for; reports it when not. */
static bool
has_comm(const struct sampler *sampler)
{
    const struct options *options = sampler->run->options;
    if (options->comm == NULL)
        return true;
    for (size_t i = 0; i < sampler->document->count; i++)
        for (size_t k = 0; k < sampler->document->reports[i].comms.count; k++)
            if (!sampler->document->reports[i].comms.items[k].left_out)
                return true;
    diag("no communicator with label, name or id \"%s\"", options->comm);
    return false;
}

/** The exit code of a run. */
static int
conclude(const struct run *run, const struct document *document, bool written)
{
    bool found =
        has_something(document) || (run->options->tree != TREE_NONE && has_threads(document));
    if (!found && run->n_here > 0)
        diag("%s found no MPI library and no OpenMP runtime that it supports in %s",
             run->selected.path, run->count == 1 ? "this process" : "these processes");
    return found && written && is_complete(run, document) ? EXIT_ALL_SHOWN : EXIT_SOMETHING_MISSING;
}

/** Takes as many samples as the options ask for, and prints. */
static int
sample_and_print(struct run *run, FILE *out)
{
    struct sampler sampler;
    double stuck = run->options->stuck;
    if (run->options->watch > 0)
        watch_begin();
    sampler_init(&sampler, run);
    diag_origin(sampler.document);
    if (stuck > 0)
        sampler_settle(&sampler, STUCK_SAMPLES, stuck / STUCK_SAMPLES, stuck, false);
    // Of a part of a job another program asks, which judges the whole.
    if (!run->options->print_layout && run->options->job_pids == NULL)
        sampler_judge(&sampler);
    bool is_there = has_part(&sampler) && has_comm(&sampler);
    if (!is_there && run->options->only != PART_ALL) {
        diag_progress_clear();
    } else if (run->options->watch > 0) {
        watch_run(&sampler, out, print);
    } else {
        char *changes = stuck > 0 ? watch_changes(&sampler, run->options->all) : NULL;
        print(&sampler, out, changes);
        free(changes);
    }
    bool written = output_is_written(out);
    written &= document_write_files(sampler.document, sampler.verdict, run->options);
    written &= document_save(sampler.document, sampler.verdict, run->options->save);
    int code = conclude(run, sampler.document, written && is_there);
    sampler_deinit(&sampler);
    return code;
}

static int
list(const struct run *run, FILE *out)
{
    list_print(out, run);
    return output_is_written(out) ? EXIT_ALL_SHOWN : EXIT_SOMETHING_MISSING;
}

static int
show(struct run *run, FILE *out)
{
    return run->options->list ? list(run, out) : sample_and_print(run, out);
}

/** The job of the machines that were listed, or which ones there are. */
static int
show_hosts(const struct options *options, FILE *out)
{
    struct hosts hosts;
    struct run run;
    hosts_find(&hosts, options);
    struct job_outline *job = hosts_choose(&hosts);
    int code = job == NULL ? hosts_print(&hosts, out) : EXIT_SOMETHING_MISSING;
    if (job != NULL) {
        if (hosts_init_run(&hosts, job, &run))
            code = show(&run, out);
        run_deinit(&run);
    }
    hosts_deinit(&hosts);
    return code;
}

int
main(int argc, char **argv)
{
    struct options options;
    struct run run;
    setlocale(LC_CTYPE, "");
    // A document without what there was no memory for would be taken for whole.
    json_set_alloc_funcs(alloc_bytes, free);
    // Large pieces of memory go back when they are freed, and grow in place: there is one for each
    // step of work on many operations. Otherwise the first that is freed ends that.
    mallopt(M_MMAP_THRESHOLD, LARGE_PIECE);
    // Whoever ignored the ends of its children has us do so, too, and their numbers become others'.
    signal(SIGCHLD, SIG_DFL);
    if (argc > 1 && strcmp(argv[1], "merge") == 0)
        return merge_main(argc - 1, argv + 1);
    if (argc == 2 && strcmp(argv[1], "schema") == 0) {
        schema_write(stdout);
        return output_is_written(stdout) ? EXIT_ALL_SHOWN : EXIT_SOMETHING_MISSING;
    }
    options_init(&options, argc, argv);
    FILE *out = take_output();
    int code = EXIT_SOMETHING_MISSING;
    bool is_run = !options.wait && !options.jobs && options.hosts == NULL;
    if (options.wait)
        code = wait_main(&options, out);
    else if (options.hosts != NULL)
        code = show_hosts(&options, out);
    else if (options.jobs)
        code = jobs_print(&options, out);
    else if (run_init(&run, &options))
        code = show(&run, out);
    if (fclose(out) != 0)
        code = EXIT_SOMETHING_MISSING;
    if (is_run)
        run_deinit(&run);
    options_deinit(&options);
    return code;
}
