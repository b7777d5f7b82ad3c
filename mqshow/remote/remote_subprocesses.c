// SPDX-License-Identifier: BSD-3-Clause
// The command lines by which other machines are asked.
#include "mqshow/remote/remote.h"

#include "mqshow/base/escape.h"
#include "mqshow/base/strbuf.h"
#include "mqshow/job/pidlist.h"
#include "mqshow/process/procfs.h"

#include <stdlib.h>
#include <string.h>

enum { LIST_MAX = 64 * 1024, SPARE_S = 5 }; // bytes that name processes or machines

/** This program as it is called on the other machines. */
static void
add_program(struct arguments *arguments, const struct options *options)
{
    char *own = procfs_program(0);
    const char *named = options->remote_mqshow != NULL ? options->remote_mqshow : own;
    arguments_add(arguments, named != NULL ? named : "mqshow", "--json", NULL);
    free(own);
}

static void
add_number(struct arguments *arguments, const char *option, long number)
{
    char *text = alloc_format("%ld", number);
    arguments_add(arguments, option, text, NULL);
    free(text);
}

int
remote_patience(const struct options *options)
{
    bool is_short = options->timeout > 0 && options->timeout < options->host_timeout;
    return is_short ? options->timeout : options->host_timeout;
}

/** What was asked of this program is asked of the others too. */
static void
add_options(struct arguments *arguments, const struct options *options)
{
    // What it has when time runs out must still arrive.
    int patience = remote_patience(options);
    add_number(arguments, "--timeout",
               patience > 2 * SPARE_S ? patience - SPARE_S : (patience + 1) / 2);
    add_number(arguments, "--process-timeout", options->process_timeout);
    add_number(arguments, "--limit", (long) options->limit);
    if (options->parallel > 0)
        add_number(arguments, "--parallel", (long) options->parallel);
    if (options->layout_origins != 0)
        arguments_add(arguments, "--layout",
                      options->layout_origins == MQS_LAYOUT_BUILT_IN ? "built-in" : "debug", NULL);
    if (options->dll != NULL)
        arguments_add(arguments, "--dll", options->dll, NULL);
    const struct {
        bool wanted;
        const char *name;
    } flags[] = {{options->read_icvs, "--icvs"},
                 {options->read_control_vars, "--control-vars"},
                 {options->together, "--together"},
                 {options->stats, "--stats"}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (flags[i].wanted)
            arguments_add(arguments, flags[i].name, NULL);
}

/** Nodes that one subprocess is for. */
struct selection {
    size_t first, count; // in a row; some may be skipped
    struct strbuf names; // those that are not, separated by commas
    size_t n_names;
    char *list;    // their processes; NULL: these are not known yet
    size_t length; // of both texts
};

static void
select_node(struct selection *selection, const struct job *job, size_t node, bool with_pids)
{
    strbuf_add(&selection->names, "%s%s", selection->n_names++ > 0 ? "," : "",
               job->nodes.items[node].name);
    if (with_pids)
        selection->list = pidlist_add(selection->list, job, (int) node);
    selection->length =
        selection->names.length + (selection->list != NULL ? strlen(selection->list) : 0);
}

/** Asks machines for what is not known yet: with no words for it, this program lists the jobs. */
static void
add_question(struct arguments *command, const struct remote *remote, size_t node)
{
    const struct nodes *nodes = &remote->job->nodes;
    const char *slurm = nodes->items[node].part.id;
    if (!remote->jobs)
        arguments_add(command, "--list", slurm != NULL ? "--slurm-pids" : "--hydra",
                      slurm != NULL ? slurm : nodes->control, NULL);
}

static void
add_subprocess(struct remote *remote, const struct selection *selection)
{
    const struct nodes *nodes = &remote->job->nodes;
    const struct options *options = remote->options;
    struct arguments command = {.items = NULL};
    add_program(&command, options);
    if (selection->list != NULL) {
        arguments_add(&command, "--job-pids", selection->list, NULL);
        add_options(&command, options);
    } else {
        add_question(&command, remote, selection->first);
    }
    if (remote->user >= 0 || !remote->jobs)
        add_number(&command, "--job-user", remote->user);
    if (!remote->launcher.kind->many)
        arguments_add(&command, "--as", selection->names.text, NULL);
    size_t capacity = remote->subprocesses_capacity;
    size_t count = remote->n_subprocesses;
    *ALLOC_ADD(remote->subprocesses, count, capacity) =
        (struct subprocess){.end_signal = remote->launcher.kind->end_signal,
                            .first = selection->first,
                            .count = selection->count};
    *ALLOC_ADD(remote->commands, remote->n_subprocesses, remote->subprocesses_capacity) =
        launcher_arguments(&remote->launcher, selection->names.text, selection->n_names, &command,
                           remote_patience(options), nodes->items[selection->first].part.group);
    arguments_deinit(&command);
}

/** Whether two nodes are of the same part of a Slurm job, and are asked for the same. */
static bool
is_same_part(const struct nodes *nodes, size_t a, size_t b)
{
    const char *id = nodes->items[a].part.id, *other = nodes->items[b].part.id;
    return id == other || (id != NULL && text_equals(other, id));
}

void
remote_add_subprocesses(struct remote *remote, bool with_pids)
{
    const struct job *job = remote->job;
    for (size_t first = 0, next; first < job->nodes.count; first = next) {
        struct selection selection = {.first = first};
        bool many = remote->launcher.kind->many;
        for (next = first; next < job->nodes.count && selection.length < LIST_MAX &&
                           (next == first || (many && is_same_part(&job->nodes, first, next)));
             next++)
            if (!remote->outputs[next].skipped)
                select_node(&selection, job, next, with_pids);
        selection.count = next - first;
        if (selection.n_names > 0)
            add_subprocess(remote, &selection);
        free(selection.names.text);
        free(selection.list);
    }
}
