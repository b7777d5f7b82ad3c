// SPDX-License-Identifier: BSD-3-Clause
// Asking other machines about their part of a job.
#include "mqshow/remote/remote.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/clock.h"
#include "mqshow/base/signals.h"
#include "mqshow/base/json_get.h"
#include "mqshow/report/document.h"
#include "mqshow/base/diag.h"
#include "mqshow/mqd/stats.h"

#include <stdlib.h>
#include <unistd.h>

/** Whether so many machines may be asked: a starter's memory names any. Slurm gives only those of
 * the job.
 */
static bool
may_ask(const struct remote *remote)
{
    struct nodes *nodes = &remote->job->nodes;
    size_t max = remote->options->hosts_max;
    if (nodes->count <= max || remote->launcher.kind->is_srun)
        return true;
    diag("the job has ranks on %zu other machines, %s to %s: give --hosts-max %zu to ask them",
         nodes->count, nodes->items[0].name, nodes->items[nodes->count - 1].name, nodes->count);
    for (size_t i = 0; i < nodes->count; i++)
        nodes_fail(nodes, i,
                   alloc_format("not asked: %zu machines are more than --hosts-max", nodes->count));
    return false;
}

static bool
remote_init(struct remote *remote, bool with_pids)
{
    const struct options *options = remote->options;
    const struct job *job = remote->job;
    remote->memory = HOST_OUTPUTS_MEMORY_MAX;
    // Slurm lets nobody else start something in a job, not even root.
    bool is_own = remote->user == (long) geteuid();
    char *problem =
        launcher_init(&remote->launcher, options->launcher, is_own ? job->nodes.slurm_job : NULL);
    if (problem != NULL)
        diag("%s", problem);
    if (problem != NULL || !may_ask(remote)) {
        free(problem);
        launcher_deinit(&remote->launcher);
        return false;
    }
    remote->outputs = alloc_zeroed(job->nodes.count, sizeof *remote->outputs);
    for (size_t i = 0; i < job->nodes.count && with_pids; i++)
        remote->outputs[i].skipped = true;
    for (size_t i = 0; i < job->count; i++)
        if (job->items[i].node >= 0)
            remote->outputs[job->items[i].node].skipped = false;
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

/** The process of a job; SIZE_MAX: there is none. */
static size_t
find_process(const struct job *job, int node, int64_t pid)
{
    for (size_t i = 0; i < job->count; i++)
        if (job->items[i].node == node && job->items[i].pid == pid)
            return i;
    return SIZE_MAX;
}

static void
take_process(struct remote *remote, size_t node, const json_t *process)
{
    struct document *document = remote->document;
    struct report read;
    report_init(&read, &document->texts);
    // A machine is believed about the processes that it was asked about, and no others.
    size_t i =
        report_read(&read, process) ? find_process(remote->job, (int) node, read.pid) : SIZE_MAX;
    if (i == SIZE_MAX) {
        report_deinit(&read);
        return;
    }
    report_deinit(&document->reports[i]);
    document->reports[i] = read;
    const char *world = job_world(remote->job, i);
    if (world != NULL)
        document->reports[i].world = intern_keep(&document->texts, world);
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

/** Reports why a machine has not answered, as far as that is known. */
static void
report_failures(struct remote *remote)
{
    struct nodes *nodes = &remote->job->nodes;
    bool late = clock_us() >= remote->deadline;
    if (signals_pending())
        return;
    for (size_t i = 0; i < nodes->count; i++) {
        const struct host_output *output = &remote->outputs[i];
        if (output->skipped || (output->complete && nodes->items[i].problem == NULL))
            continue;
        const char *why =
            output->complaint.text != NULL ? output->complaint.text : remote->complaint;
        if (late)
            nodes_fail(nodes, i,
                       alloc_format("no answer within %d s", remote_patience(remote->options)));
        else
            nodes_fail(nodes, i,
                       alloc_format("no output from %s%s%s", remote->launcher.name,
                                    why != NULL ? ": " : "", why != NULL ? why : ""));
        diag("%s: %s", nodes->items[i].name, nodes->items[i].problem);
    }
}

bool
remote_list(struct remote *remote)
{
    if (!remote_init(remote, false))
        return false;
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
    if (!remote_init(remote, true))
        return false;
    remote->take = take_reports;
    for (size_t i = 0; i < nodes->count; i++) {
        free(nodes->items[i].problem);
        nodes->items[i].problem = NULL;
    }
    remote_start(remote);
    return true;
}

/** The report of a process that nothing is known of. */
static void
fill_gap(struct report *report, const struct job_process *process, const struct job_node *node)
{
    SET(report, PROCESS_PID, pid, process->pid);
    report->rank = process->rank;
    report->host = report_keep(report, alloc_text(node->name));
    report->image = "";
    report_problem(report, node->problem != NULL
                               ? alloc_format("%s: %s", node->name, node->problem)
                               : alloc_format("%s did not report it", node->name));
}

void
remote_finish(struct remote *remote)
{
    const struct job *job = remote->job;
    struct report *reports = remote->document->reports;
    if (remote->outputs != NULL) {
        remote_run(remote);
        report_failures(remote);
        remote_deinit(remote);
    }
    for (size_t i = 0; i < job->count; i++) {
        const struct job_process *process = &job->items[i];
        if (process->node >= 0 && reports[i].image == NULL)
            fill_gap(&reports[i], process, &job->nodes.items[process->node]);
    }
}
