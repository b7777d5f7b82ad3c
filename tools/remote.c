// SPDX-License-Identifier: BSD-3-Clause
// Asking other machines about their part of a job.
#include "tools/remote.h"

#include "tools/alloc.h"
#include "tools/clock.h"
#include "tools/ending.h"
#include "tools/escape.h"
#include "tools/parse.h"
#include "tools/print.h"
#include "tools/say.h"

#include <stdlib.h>
#include <string.h>

/** Whether so many machines may be asked: a starter's memory names any. Slurm gives only those of
 * the job.
 */
static bool
may_ask(const struct remote *remote)
{
    struct nodes *nodes = &remote->show->job.nodes;
    size_t max = remote->show->options->hosts_max;
    if (nodes->count <= max || launcher_numbers(&remote->launcher))
        return true;
    say("the starter names %zu machines, %s to %s: --hosts-max %zu lets mqshow ask them",
        nodes->count, nodes->items[0].name, nodes->items[nodes->count - 1].name, nodes->count);
    for (size_t i = 0; i < nodes->count; i++)
        nodes_fail(
            nodes, i,
            alloc_format("not asked, as there are %zu machines (--hosts-max)", nodes->count));
    return false;
}

static bool
remote_init(struct remote *remote, struct show *show, bool with_pids)
{
    const struct options *options = show->options;
    *remote = (struct remote){.show = show, .memory = ANSWERS_MEMORY_MAX};
    char *problem = launcher_init(&remote->launcher, options->launcher, options->job);
    if (problem != NULL) {
        say("%s", problem);
        free(problem);
        return false;
    }
    if (!may_ask(remote))
        return false;
    remote->answers = alloc_zeroed(show->job.nodes.count, sizeof *remote->answers);
    for (size_t i = 0; i < show->job.nodes.count && with_pids; i++)
        remote->answers[i].skipped = true;
    for (size_t i = 0; i < show->job.count; i++)
        if (show->job.items[i].node >= 0)
            remote->answers[show->job.items[i].node].skipped = false;
    remote->deadline = clock_us() + (int64_t) remote_patience(options) * 1000000;
    remote_add_calls(remote, with_pids);
    ending_put_off();
    return true;
}

/** Adds the processes that a machine has listed. */
static void
take_list(struct remote *remote, size_t node, json_t *document)
{
    const json_t *processes = json_object_get(document, "processes");
    for (size_t i = 0; i < json_array_size(processes); i++) {
        int64_t pid = 0, rank = -1;
        const json_t *process = json_array_get(processes, i);
        parse_integer(process, "rank", &rank);
        if (parse_integer(process, "pid", &pid) && pid > 0 && pid <= INT32_MAX)
            job_add_elsewhere(&remote->show->job, (int) node, (pid_t) pid,
                              rank >= 0 && rank <= INT32_MAX ? (int) rank : -1);
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
take_process(struct remote *remote, size_t node, json_t *process)
{
    struct show *show = remote->show;
    struct report read;
    // A machine is believed about the processes that it was asked about, and no others.
    size_t i =
        parse_report(&read, process) ? find_process(&show->job, (int) node, read.pid) : SIZE_MAX;
    if (i == SIZE_MAX) {
        report_deinit(&read);
        return;
    }
    report_deinit(&show->reports[i]);
    show->reports[i] = read;
    free(show->reports[i].host);
    show->reports[i].host = alloc_text(show->job.nodes.items[node].name);
    json_object_set_new(process, "host", json_string(show->reports[i].host));
    show->reports[i].document = json_incref(process);
}

static void
take_reports(struct remote *remote, size_t node, json_t *document)
{
    const json_t *processes = json_object_get(document, "processes");
    const json_t *stats = json_object_get(document, "stats");
    for (size_t i = 0; i < json_array_size(processes); i++)
        take_process(remote, node, json_array_get(processes, i));
    for (unsigned i = 0; stats_name(i) != NULL; i++) {
        int64_t count = 0;
        if (parse_integer(stats, stats_name(i), &count) && count > 0)
            stats_add(&host_stats, i, (uint64_t) count);
    }
}

/** Says of each machine that has not answered why, as far as that is known. */
static void
tell_failures(struct remote *remote)
{
    struct nodes *nodes = &remote->show->job.nodes;
    bool late = clock_us() >= remote->deadline;
    if (ending_is_near())
        return;
    for (size_t i = 0; i < nodes->count; i++) {
        const struct answer *answer = &remote->answers[i];
        if (answer->skipped || (answer->complete && nodes->items[i].problem == NULL))
            continue;
        const char *why = answer->complaint != NULL ? answer->complaint : remote->complaint;
        if (late)
            nodes_fail(
                nodes, i,
                alloc_format("no answer within %d s", remote_patience(remote->show->options)));
        else
            nodes_fail(nodes, i,
                       alloc_format("no answer through %s%s%s", remote->launcher.name,
                                    why != NULL ? ": " : "", why != NULL ? why : ""));
        say("%s: %s", nodes->items[i].name, nodes->items[i].problem);
    }
}

bool
remote_list(struct show *show)
{
    struct remote remote;
    if (!remote_init(&remote, show, false)) {
        launcher_deinit(&remote.launcher);
        return false;
    }
    remote.take = take_list;
    remote_run(&remote);
    tell_failures(&remote);
    remote_deinit(&remote);
    return true;
}

bool
remote_begin(struct remote *remote, struct show *show)
{
    if (!remote_init(remote, show, true)) {
        launcher_deinit(&remote->launcher);
        *remote = (struct remote){.show = show};
        return false;
    }
    remote->take = take_reports;
    for (size_t i = 0; i < show->job.nodes.count; i++) {
        free(show->job.nodes.items[i].problem);
        show->job.nodes.items[i].problem = NULL;
    }
    remote_start(remote);
    return true;
}

/** The report of a process that nothing was told about. */
static void
fill_gap(struct show *show, size_t i)
{
    const struct job_process *process = &show->job.items[i];
    const struct job_node *node = &show->job.nodes.items[process->node];
    struct report *report = &show->reports[i];
    *report = (struct report){.pid = process->pid, .rank = process->rank};
    report->host = alloc_text(node->name);
    report->image = alloc_text("");
    report_problem(report, node->problem != NULL
                               ? alloc_format("%s: %s", node->name, node->problem)
                               : alloc_format("%s said nothing about it", node->name));
}

void
remote_finish(struct remote *remote)
{
    struct show *show = remote->show;
    if (remote->answers != NULL) {
        remote_run(remote);
        tell_failures(remote);
        remote_deinit(remote);
    }
    for (size_t i = 0; i < show->count; i++)
        if (show->job.items[i].node >= 0 && show->reports[i].image == NULL)
            fill_gap(show, i);
}
