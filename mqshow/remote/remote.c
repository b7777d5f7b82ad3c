// SPDX-License-Identifier: BSD-3-Clause
// Asking other machines about their part of a job.
#include "mqshow/remote/remote.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/clock.h"
#include "mqshow/base/search.h"
#include "mqshow/base/signals.h"
#include "mqshow/base/strbuf.h"
#include "mqshow/base/json_get.h"
#include "mqshow/report/document.h"
#include "mqshow/base/diag.h"
#include "mqshow/mqd/stats.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SHOWN_MAX = 4 }; // machines with the same problem

/** Leaves out machines beyond those that may be asked: a starter's memory names any. Slurm gives
 * only those of the job. */
static void
leave_out(struct remote *remote)
{
    struct nodes *nodes = &remote->job->nodes;
    size_t max = remote->options->hosts_max;
    if (nodes->count <= max || remote->launcher.kind->is_srun)
        return;
    if (!nodes->items[max].is_reported)
        diag("%zu of the job's %zu other machines are not asked, %s to %s: give --hosts-max %zu to "
             "ask all",
             nodes->count - max, nodes->count, nodes->items[max].name,
             nodes->items[nodes->count - 1].name, nodes->count);
    nodes->items[max].is_reported = true;
    for (size_t i = max; i < nodes->count; i++) {
        remote->outputs[i].skipped = true;
        nodes_fail(nodes, i,
                   alloc_format("not asked: %zu machines are more than --hosts-max", nodes->count));
    }
}

/** Chooses the machines that are asked: those that have processes, and have not let an earlier
 * sample wait in vain. */
static void
select_nodes(struct remote *remote, bool with_pids)
{
    const struct job *job = remote->job;
    remote->outputs = alloc_zeroed(job->nodes.count, sizeof *remote->outputs);
    for (size_t i = 0; i < job->nodes.count && with_pids; i++)
        remote->outputs[i].skipped = true;
    for (size_t i = 0; i < job->count; i++)
        if (job->items[i].node >= 0)
            remote->outputs[job->items[i].node].skipped =
                job->nodes.items[job->items[i].node].is_late;
    leave_out(remote);
}

static bool
remote_init(struct remote *remote, bool with_pids)
{
    const struct options *options = remote->options;
    remote->memory = HOST_OUTPUTS_MEMORY_MAX;
    // Slurm lets nobody else start something in a job, not even root.
    bool is_own = remote->user == (long) geteuid();
    char *problem = launcher_init(&remote->launcher, options->launcher,
                                  is_own ? remote->job->nodes.slurm_job : NULL);
    if (problem != NULL)
        diag("%s", problem);
    if (problem != NULL) {
        free(problem);
        launcher_deinit(&remote->launcher);
        return false;
    }
    select_nodes(remote, with_pids);
    remote->deadline = clock_us() + (int64_t) remote_patience(options) * 1000000;
    remote_add_subprocesses(remote, with_pids);
    signals_block();
    return true;
}

/** Adds the processes that a machine has listed. */
static void
take_list(struct remote *remote, size_t node, const json_t *document)
{
    const json_t *processes = json_object_get(document, "processes");
    for (size_t i = 0; i < json_array_size(processes); i++) {
        const json_t *process = json_array_get(processes, i);
        int64_t pid = json_get_number(process, "pid", 1, INT32_MAX, 0);
        if (pid > 0)
            job_add_elsewhere(remote->job, (int) node, (pid_t) pid,
                              (int) json_get_number(process, "rank", 0, INT32_MAX, -1),
                              json_string_value(json_object_get(process, "world")));
    }
}

/** By machine and id. */
static int
compare_places(const void *left, const void *right)
{
    const struct process_place *a = left, *b = right;
    return COMPARE({a->node, b->node}, {a->pid, b->pid});
}

/** Notes where the processes of other machines are in the job. */
static void
index_processes(struct remote *remote)
{
    const struct job *job = remote->job;
    remote->places = alloc_zeroed(job->count, sizeof *remote->places);
    remote->has_answered = alloc_zeroed(job->count, sizeof *remote->has_answered);
    for (size_t i = 0; i < job->count; i++)
        if (job->items[i].node >= 0)
            remote->places[remote->n_places++] =
                (struct process_place){job->items[i].node, job->items[i].pid, i};
    if (remote->n_places > 0)
        qsort(remote->places, remote->n_places, sizeof *remote->places, compare_places);
}

/** The process of a job; SIZE_MAX: there is none. */
static size_t
find_process(const struct remote *remote, int node, int64_t pid)
{
    const struct process_place key = {node, pid, 0};
    size_t at = search_first(&key, remote->places, remote->n_places, sizeof key, compare_places);
    bool found =
        at < remote->n_places && remote->places[at].node == node && remote->places[at].pid == pid;
    return found ? remote->places[at].index : SIZE_MAX;
}

static void
take_process(struct remote *remote, size_t node, const json_t *process)
{
    struct document *document = remote->document;
    struct report read;
    report_init(&read, &document->texts);
    // A machine is believed about the processes that it was asked about, and no others.
    size_t i = report_read(&read, process) ? find_process(remote, (int) node, read.pid) : SIZE_MAX;
    if (i == SIZE_MAX) {
        report_deinit(&read);
        return;
    }
    report_deinit(&document->reports[i]);
    document->reports[i] = read;
    const char *world = job_world(remote->job, i);
    if (world != NULL)
        document->reports[i].world = intern_keep(&document->texts, world);
    remote->has_answered[i] = true;
    document->reports[i].host = intern_keep(&document->texts, remote->job->nodes.items[node].name);
}

static void
take_reports(struct remote *remote, size_t node, const json_t *document)
{
    const json_t *processes = json_object_get(document, "processes");
    const json_t *stats = json_object_get(document, "stats");
    for (size_t i = 0; i < json_array_size(processes); i++)
        take_process(remote, node, json_array_get(processes, i));
    for (unsigned i = 0; stats_name(i) != NULL; i++)
        stats_add(&host_stats, i,
                  (uint64_t) json_get_number(stats, stats_name(i), 0, INT64_MAX, 0));
}

/** Notes why a machine has not answered, as far as that is known. */
static void
note_failure(struct remote *remote, size_t node, bool late)
{
    struct nodes *nodes = &remote->job->nodes;
    const struct host_output *output = &remote->outputs[node];
    const char *why = output->complaint.text != NULL ? output->complaint.text : remote->complaint;
    char *problem;
    if (output->too_long)
        problem = alloc_text("its output is too long");
    else if (late && !output->complaint.text)
        problem = alloc_format("%s within %d s", output->inside ? "no whole answer" : "no answer",
                               remote_patience(remote->options));
    else
        problem = alloc_format("no output from %s%s%s", remote->launcher.name,
                               why != NULL ? ": " : "", why != NULL ? why : "");
    nodes_fail(nodes, node, problem);
    // Each sample of many would wait as long.
    nodes->items[node].is_late = late && !output->complete && remote->options->watch == 0;
}

static int
compare_problems(const void *left, const void *right)
{
    const struct job_node *const *a = left, *const *b = right;
    int problems = strcmp((*a)->problem, (*b)->problem);
    return problems != 0 ? problems : (*a > *b) - (*a < *b);
}

/** A line for each cause, with the first few machines.
 * @param shown how many of these */
static void
print_failures(const struct job_node **failed, size_t count, size_t shown)
{
    qsort(failed, count, sizeof *failed, compare_problems);
    for (size_t first = 0, end; first < count; first = end) {
        struct strbuf names = {.text = NULL};
        strbuf_add(&names, "%s", failed[first]->name);
        for (end = first + 1;
             end < count && strcmp(failed[end]->problem, failed[first]->problem) == 0; end++)
            if (end - first < shown)
                strbuf_add(&names, ", %s", failed[end]->name);
        if (end - first > shown)
            strbuf_add(&names, " and %zu more", end - first - shown);
        diag("%s: %s", names.text, failed[first]->problem);
        free(names.text);
    }
}

/** Reports which machines have not answered, those that an earlier sample has not reported. */
static void
report_failures(struct remote *remote)
{
    struct nodes *nodes = &remote->job->nodes;
    const struct job_node **failed = alloc_zeroed(nodes->count, sizeof *failed);
    bool late = clock_us() >= remote->deadline;
    size_t count = 0;
    for (size_t i = 0; i < nodes->count && !signals_pending(); i++) {
        struct job_node *node = &nodes->items[i];
        const struct host_output *output = &remote->outputs[i];
        if (output->skipped || (output->complete && node->problem == NULL))
            continue;
        note_failure(remote, i, late);
        if (!node->is_reported)
            failed[count++] = node;
        node->is_reported = true;
    }
    // Who has named them wants to know of each.
    print_failures(failed, count, remote->options->hosts != NULL ? SIZE_MAX : SHOWN_MAX);
    free(failed);
}

bool
remote_list(struct remote *remote)
{
    if (!remote_init(remote, false))
        return false;
    if (remote->take == NULL)
        remote->take = take_list;
    remote_run(remote);
    report_failures(remote);
    remote_deinit(remote);
    return true;
}

bool
remote_begin(struct remote *remote)
{
    struct nodes *nodes = &remote->job->nodes;
    for (size_t i = 0; i < nodes->count; i++) {
        if (nodes->items[i].is_late)
            continue; // it is not asked again
        free(nodes->items[i].problem);
        nodes->items[i].problem = NULL;
    }
    if (!remote_init(remote, true))
        return false;
    remote->take = take_reports;
    index_processes(remote);
    remote_start(remote);
    return true;
}

/** The report of a process that nothing is known of. */
static void
fill_gap(const struct remote *remote, size_t i, const char *why)
{
    const struct job_process *process = &remote->job->items[i];
    const struct job_node *node = &remote->job->nodes.items[process->node];
    struct report *report = &remote->document->reports[i];
    SET(report, PROCESS_PID, pid, process->pid);
    report->rank = process->rank;
    report->host = report_keep(report, alloc_text(node->name));
    report->image = "";
    report_problem(report, node->problem != NULL ? alloc_format("%s: %s", node->name, node->problem)
                                                 : alloc_format("%s %s", node->name, why));
}

/** Fills the reports of all processes elsewhere that have none. */
static void
fill_gaps(const struct remote *remote, const char *why)
{
    const struct job *job = remote->job;
    struct document *document = remote->document;
    for (size_t i = 0; i < job->count; i++) {
        if (job->items[i].node < 0 || (remote->has_answered && remote->has_answered[i]))
            continue;
        report_deinit(&document->reports[i]);
        report_init(&document->reports[i], &document->texts);
        fill_gap(remote, i, why);
    }
}

void
remote_finish(struct remote *remote)
{
    if (remote->outputs != NULL) {
        fill_gaps(remote, "has not answered yet");
        remote_run(remote);
        report_failures(remote);
    }
    fill_gaps(remote, "did not report it");
    if (remote->outputs != NULL)
        remote_deinit(remote);
}
