// SPDX-License-Identifier: BSD-3-Clause
// The jobs of a list of machines: each lists its own, and those that are of one job are put
// together.
#include "mqshow/run/hosts.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/diag.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/json_get.h"
#include "mqshow/base/search.h"
#include "mqshow/job/hostlist.h"
#include "mqshow/process/procfs.h"
#include "mqshow/remote/remote.h"
#include "mqshow/run/document_print.h"
#include "mqshow/run/jobs_print.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** Whose jobs are searched; -1: those of all users. */
static long
wanted_user(void)
{
    return geteuid() == 0 ? -1 : (long) geteuid();
}

/** The job that one of a machine is a part of; NULL: another one was not seen. */
static struct job_outline *
find_other_part(struct hosts *hosts, const char *id, long user)
{
    for (size_t i = 0; i < hosts->jobs.count && id != NULL; i++) {
        struct job_outline *job = &hosts->jobs.items[i];
        if (job->user == user && text_equals(job->id, id))
            return job;
    }
    return NULL;
}

/** A text of another machine, to free(). */
static char *
read_text(const json_t *part, const char *key)
{
    const char *text = json_get_text(part, key);
    return text != NULL ? escape_text(text, SIZE_MAX) : NULL;
}

static struct job_outline *
add_job(struct hosts *hosts, const json_t *part, const char *id, long user)
{
    struct job_outline *job = ALLOC_ADD(hosts->jobs.items, hosts->jobs.count, hosts->jobs.capacity);
    char *command = read_text(part, "command");
    *job = (struct job_outline){.started_by = read_text(part, "started_by"),
                                .command = command != NULL ? command : alloc_text(""),
                                .program = read_text(part, "program"),
                                .user = user,
                                .size = (int) json_get_number(part, "size", 0, INT32_MAX, -1),
                                .id = id != NULL ? alloc_text(id) : NULL,
                                .starter_node = -1};
    return job;
}

/** Adds the processes that a machine has of a job. */
static void
add_processes(struct job *ranks, int node, const json_t *processes)
{
    for (size_t i = 0; i < json_array_size(processes); i++) {
        const json_t *process = json_array_get(processes, i);
        int64_t pid = json_get_number(process, "pid", 1, INT32_MAX, 0);
        const char *world = json_get_text(process, "world");
        if (pid > 0)
            job_add_elsewhere(ranks, node, (pid_t) pid,
                              (int) json_get_number(process, "rank", 0, INT32_MAX, -1),
                              world != NULL ? world : "");
    }
}

/** Adds what a machine has of a job. */
static void
take_part(struct hosts *hosts, int node, const json_t *part)
{
    const char *id = json_get_text(part, "id");
    long user = (long) json_get_number(part, "uid", 0, UINT32_MAX, -1);
    const json_t *processes = json_object_get(part, "processes");
    // Where a job is of another user than it was asked for, somebody else answers.
    bool is_meant = user >= 0 && (wanted_user() < 0 || user == wanted_user());
    if (!is_meant || json_get_number(json_array_get(processes, 0), "pid", 1, INT32_MAX, 0) == 0)
        return;
    struct job_outline *job = find_other_part(hosts, id, user);
    if (job == NULL)
        job = add_job(hosts, part, id, user);
    pid_t starter = (pid_t) json_get_number(part, "starter", 1, INT32_MAX, 0);
    if (job->starter == 0 && starter != 0) {
        job->starter = starter;
        job->starter_node = node;
    }
    int64_t since = json_get_number(part, "since", 1, INT64_MAX, 0);
    if (job->since == 0 || (since != 0 && since < job->since))
        job->since = since;
    job->threads += (long) json_get_number(part, "threads", 1, INT32_MAX, 0);
    job->n_stopped += (size_t) json_get_number(part, "stopped", 0, INT32_MAX, 0);
    job->n_ended += (size_t) json_get_number(part, "ended", 0, INT32_MAX, 0);
    add_processes(&job->ranks, node, processes);
}

/** Keeps an answer: which comes first is left to chance. */
static void
take_answer(struct remote *remote, size_t node, const json_t *document)
{
    json_t **answers = remote->context;
    answers[node] = json_deep_copy(document);
}

void
hosts_take(struct hosts *hosts, size_t node, const json_t *document)
{
    const json_t *jobs = json_object_get(document, "jobs");
    const char *identity = json_get_text(document, "machine");
    if (identity == NULL || json_object_get(hosts->seen, identity) != NULL)
        return;
    json_object_set_new(hosts->seen, identity, json_true());
    for (size_t i = 0; i < json_array_size(jobs); i++)
        take_part(hosts, (int) node, json_array_get(jobs, i));
}

/** Takes the jobs of this machine. */
static void
find_here(struct hosts *hosts)
{
    if (!procfs_is_ours()) {
        diag("%s: /proc belongs to another PID namespace", hosts->machines.here);
        hosts->machines.nodes.unreached++;
        return;
    }
    char *identity = nodes_identity();
    json_object_set_new(hosts->seen, identity, json_true());
    free(identity);
    jobs_find(&hosts->jobs, wanted_user());
}

/** Reads the list: this machine needs nobody to ask. */
static void
read_list(struct hosts *hosts)
{
    struct nodes listed = {.items = NULL};
    char *problem = hostlist_read(hosts->options->hosts, &listed);
    if (problem != NULL) {
        diag("%s", problem);
        options_exit();
    }
    for (size_t i = 0; i < listed.count; i++) {
        const char *name = listed.items[i].name;
        if (!nodes_is_here(name))
            nodes_get(&hosts->machines.nodes, name);
        else if (hosts->machines.here == NULL)
            hosts->machines.here = alloc_text(name);
    }
    nodes_deinit(&listed);
}

static int
compare_ranks(const void *left, const void *right)
{
    const struct job_process *a = left, *b = right;
    return COMPARE({a->world == JOB_NO_WORLD, b->world == JOB_NO_WORLD},
                   {(int64_t) a->world, (int64_t) b->world}, {a->rank, b->rank},
                   {a->node, b->node});
}

static int
compare_nodes(const void *left, const void *right)
{
    const struct job_process *a = left, *b = right;
    return COMPARE({a->node, b->node}, {a->rank, b->rank}, {a->pid, b->pid});
}

/** Leaves out ranks that another machine has listed: one sees the processes of the containers that
 * run on it, which may be of the list too. */
static void
leave_out_twins(struct job *ranks)
{
    size_t kept = 0;
    qsort(ranks->items, ranks->count, sizeof *ranks->items, compare_ranks);
    for (size_t i = 0; i < ranks->count; i++) {
        const struct job_process *this = &ranks->items[i],
                                 *last = kept > 0 ? &ranks->items[kept - 1] : this;
        bool is_twin = this->rank >= 0 && this->world != JOB_NO_WORLD &&
                       this->world == last->world && this->rank == last->rank;
        if (!is_twin || this->node == last->node)
            ranks->items[kept++] = *this;
    }
    ranks->count = kept;
    qsort(ranks->items, kept, sizeof *ranks->items, compare_nodes);
}

void
hosts_settle(struct hosts *hosts)
{
    for (size_t i = 0; i < hosts->jobs.count; i++)
        leave_out_twins(&hosts->jobs.items[i].ranks);
    jobs_sort(&hosts->jobs);
}

/** Takes the jobs of the other machines, in the order in which they were named. */
static void
ask_machines(struct hosts *hosts)
{
    struct nodes *nodes = &hosts->machines.nodes;
    json_t **answers = alloc_zeroed(nodes->count, sizeof *answers);
    bool asked = nodes->count == 0 || remote_list(&(struct remote){.options = hosts->options,
                                                                   .job = &hosts->machines,
                                                                   .user = wanted_user(),
                                                                   .take = take_answer,
                                                                   .context = answers,
                                                                   .jobs = true});
    for (size_t i = 0; i < nodes->count; i++) {
        nodes->unreached += !asked || nodes->items[i].problem != NULL;
        hosts_take(hosts, i, answers[i]);
        json_decref(answers[i]);
    }
    free(answers);
}

void
hosts_find(struct hosts *hosts, const struct options *options)
{
    *hosts = (struct hosts){.options = options, .seen = json_object()};
    read_list(hosts);
    if (hosts->machines.here != NULL)
        find_here(hosts);
    ask_machines(hosts);
    hosts_settle(hosts);
}

static bool
has_process(const struct job_outline *job, pid_t pid)
{
    bool found = job->starter == pid;
    for (size_t i = 0; i < job->ranks.count; i++)
        found |= job->ranks.items[i].pid == pid;
    return found;
}

/** The one that has the process, which was asked for. */
static struct job_outline *
choose_by_process(const struct hosts *hosts, pid_t pid)
{
    struct job_outline *found = NULL;
    size_t count = 0;
    for (size_t i = 0; i < hosts->jobs.count; i++)
        if (has_process(&hosts->jobs.items[i], pid)) {
            found = &hosts->jobs.items[i];
            count++;
        }
    if (count == 0)
        diag("no job on these machines has the process %d: `mqshow --hosts %s` lists them",
             (int) pid, hosts->options->hosts);
    else if (count > 1)
        diag("%zu jobs on these machines have a process %d: give the id of another one of their "
             "processes, or fewer machines",
             count, (int) pid);
    return count == 1 ? found : NULL;
}

static pid_t
wanted_process(const struct options *options)
{
    return options->n_pids > 0 ? options->pids[0] : options->job;
}

struct job_outline *
hosts_choose(const struct hosts *hosts)
{
    struct job_outline *of_mpi = NULL;
    size_t n_of_mpi = 0;
    if (wanted_process(hosts->options) != 0)
        return choose_by_process(hosts, wanted_process(hosts->options));
    for (size_t i = 0; i < hosts->jobs.count; i++)
        if (hosts->jobs.items[i].threads == 0) {
            of_mpi = &hosts->jobs.items[i];
            n_of_mpi++;
        }
    if (n_of_mpi == 0 && hosts->jobs.count == 1)
        return &hosts->jobs.items[0];
    return n_of_mpi == 1 ? of_mpi : NULL;
}

/** Why ranks are missing, with what to do, to free(); NULL: none are. */
static char *
find_missing(const struct hosts *hosts, const struct job_outline *job)
{
    if (job->size < 0 || (size_t) job->size <= job->ranks.count)
        return NULL;
    const struct job *machines = &hosts->machines;
    const char *host =
        job->starter_node >= 0 ? machines->nodes.items[job->starter_node].name : machines->here;
    char *whole = job->starter != 0
                      ? alloc_format(", or run `mqshow --job %d` on %s", (int) job->starter, host)
                      : alloc_text("");
    char *text = alloc_format("%zu of the job's %d ranks are on these machines, the others are not "
                              "shown: add theirs to --hosts%s",
                              job->ranks.count, job->size, whole);
    free(whole);
    return text;
}

bool
hosts_init_run(struct hosts *hosts, struct job_outline *job, struct run *run)
{
    struct job *ranks = &job->ranks;
    ranks->unlisted = find_missing(hosts, job);
    ranks->nodes = hosts->machines.nodes;
    ranks->here = hosts->machines.here;
    hosts->machines.nodes = (struct nodes){.items = NULL};
    hosts->machines.here = NULL;
    return run_init_job(run, hosts->options, ranks, job->user);
}

int
hosts_print(const struct hosts *hosts, FILE *out)
{
    const struct options *options = hosts->options;
    // What chooses a job, or needs one, has reported what is wrong, or this does.
    bool lists = wanted_process(options) == 0 && !options_need_job(options);
    if (wanted_process(options) == 0 && !lists)
        diag("%s: give one with --job PID", hosts->jobs.count > 0
                                                ? "several jobs run on these machines"
                                                : "no job runs on these machines");
    if (wanted_process(options) == 0)
        jobs_print_hosts(options, out, &hosts->jobs, &hosts->machines);
    bool all = lists && hosts->machines.nodes.unreached == 0;
    return output_is_written(out) && all ? EXIT_ALL_SHOWN : EXIT_SOMETHING_MISSING;
}

void
hosts_deinit(struct hosts *hosts)
{
    jobs_deinit(&hosts->jobs);
    job_deinit(&hosts->machines);
    json_decref(hosts->seen);
}
