// SPDX-License-Identifier: BSD-3-Clause
// "mqshow" alone: the jobs that run on this machine; those of --hosts.
#include "mqshow/run/jobs_print.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/diag.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/json_out.h"
#include "mqshow/base/strbuf.h"
#include "mqshow/base/table.h"
#include "mqshow/job/jobs.h"
#include "mqshow/process/procfs.h"
#include "mqshow/run/document_print.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { COMMAND_SHOWN = 60, DAY = 86400, PIDS_SHOWN = 8, HOSTS_SHOWN = 3 };

/** What is printed, and of which machines. */
struct listing {
    const struct jobs *jobs;
    const struct job *machines; // NULL: of this one alone
    const char *hosts;          // that were asked for; NULL: likewise
};

static const char *
host_of(const struct listing *listing, int node)
{
    return node >= 0 ? listing->machines->nodes.items[node].name : listing->machines->here;
}

/** "nodea,nodeb,nodec and 5 more" */
static char *
hosts_text(const struct listing *listing, const struct job_outline *job)
{
    struct strbuf names = {.text = NULL};
    size_t count = 0;
    // One machine after the other has listed its processes.
    for (size_t i = 0; i < job->ranks.count; i++) {
        int node = job->ranks.items[i].node;
        if (i > 0 && node == job->ranks.items[i - 1].node)
            continue;
        if (count++ < HOSTS_SHOWN)
            strbuf_add(&names, "%s%s", count > 1 ? "," : "", host_of(listing, node));
    }
    if (count > HOSTS_SHOWN)
        strbuf_add(&names, " and %zu more", count - HOSTS_SHOWN);
    return strbuf_take(&names);
}

static char *
user_text(long user)
{
    const struct passwd *entry = user >= 0 ? getpwuid((uid_t) user) : NULL;
    return entry != NULL ? alloc_text(entry->pw_name) : alloc_format("%ld", user);
}

/** The clock's time, or the day where that is another one. */
static char *
since_text(int64_t since)
{
    char text[32] = "";
    time_t at = (time_t) since;
    struct tm parts;
    bool is_recent = time(NULL) - at < DAY;
    if (since > 0 && localtime_r(&at, &parts) != NULL)
        strftime(text, sizeof text, is_recent ? "%H:%M" : "%b %d", &parts);
    return alloc_text(text);
}

static char *
state_text(const struct job_outline *job)
{
    size_t count = job->ranks.count;
    if (job->n_stopped == 0 && job->n_ended == 0)
        return alloc_text("running");
    if (job->n_stopped == count || job->n_ended == count)
        return alloc_text(job->n_stopped == count ? "stopped" : "ended");
    if (job->n_ended == 0)
        return alloc_format("%zu of %zu stopped", job->n_stopped, count);
    if (job->n_stopped == 0)
        return alloc_format("%zu of %zu ended", job->n_ended, count);
    return alloc_format("%zu of %zu stopped, %zu ended", job->n_stopped, count, job->n_ended);
}

/** "4 ranks", "4 of 8 ranks", "2 threads". */
static char *
size_text(const struct job_outline *job)
{
    if (job->threads > 0)
        return alloc_format("%ld threads", job->threads);
    const char *noun =
        job->size == 1 || (job->size < 0 && job->ranks.count == 1) ? "rank" : "ranks";
    if (job->size < 0 || (size_t) job->size == job->ranks.count)
        return alloc_format("%zu %s", job->ranks.count, noun);
    return alloc_format("%zu of %d %s", job->ranks.count, job->size, noun);
}

/** What is given to mqshow. */
static pid_t
handle(const struct job_outline *job)
{
    return job->starter != 0 ? job->starter : job->ranks.items[0].pid;
}

static const char *
started_by(const struct job_outline *job)
{
    return job->started_by != NULL ? job->started_by : job->threads > 0 ? "OpenMP" : "-";
}

static void
print_table(FILE *out, const struct listing *listing, bool with_users)
{
    enum { COLUMNS = 8 };
    const struct jobs *jobs = listing->jobs;
    struct table *table = table_create(COLUMNS, false);
    for (size_t i = 0; i <= jobs->count; i++) {
        const struct job_outline *job = i > 0 ? &jobs->items[i - 1] : NULL;
        unsigned column = 0;
        table_line(table);
        table_cell(table, column++,
                   job != NULL ? alloc_format("%d", (int) handle(job)) : alloc_text("PID"), NULL);
        if (listing->machines != NULL)
            table_cell(table, column++,
                       job != NULL ? hosts_text(listing, job) : alloc_text("HOSTS"), NULL);
        if (with_users)
            table_cell(table, column++, job != NULL ? user_text(job->user) : alloc_text("USER"),
                       NULL);
        table_cell(table, column++, alloc_text(job != NULL ? started_by(job) : "STARTED BY"), NULL);
        table_cell(table, column++, job != NULL ? size_text(job) : alloc_text("SIZE"), NULL);
        table_cell(table, column++, job != NULL ? since_text(job->since) : alloc_text("SINCE"),
                   NULL);
        table_cell(table, column++, job != NULL ? state_text(job) : alloc_text("STATE"), NULL);
        table_cell(table, column++,
                   job != NULL ? escape_text(job->command, COMMAND_SHOWN) : alloc_text("COMMAND"),
                   NULL);
    }
    table_print(table, out, 0);
}

/** How one of them is shown. */
static void
print_advice(FILE *out, const struct listing *listing)
{
    const struct job_outline *job = listing->jobs->count > 0 ? &listing->jobs->items[0] : NULL;
    if (job == NULL && listing->hosts != NULL) {
        fprintf(out,
                "no MPI job and no OpenMP program found on %s: add the machines where the ranks "
                "run\n",
                listing->hosts);
        return;
    }
    if (job == NULL) {
        fputs("no MPI job and no OpenMP program found here: give process ids, or run mqshow where "
              "the ranks or their mpirun run\n",
              out);
        return;
    }
    fprintf(out, "\nmqshow");
    if (listing->hosts != NULL)
        fprintf(out, " --hosts '%s'", listing->hosts);
    if (job->starter != 0 || listing->hosts != NULL)
        fprintf(out, " --job %d", (int) handle(job));
    bool by_ranks = job->starter == 0 && listing->hosts == NULL;
    for (size_t i = 0; i < job->ranks.count && i < PIDS_SHOWN && by_ranks; i++)
        fprintf(out, " %d", (int) job->ranks.items[i].pid);
    fprintf(out, "%s   shows the first one\n",
            by_ranks && job->ranks.count > PIDS_SHOWN ? " ..." : "");
}

static void
write_processes(struct json_out *json, const struct listing *listing, const struct job *ranks)
{
    json_out_array(json, "processes");
    for (size_t i = 0; i < ranks->count; i++) {
        const struct job_process *process = &ranks->items[i];
        json_out_open(json, '{');
        json_out_set_integer(json, "pid", process->pid);
        if (process->rank >= 0)
            json_out_set_integer(json, "rank", process->rank);
        if (process->world != JOB_NO_WORLD && process->world < ranks->n_worlds) {
            char *world = escape_text(ranks->worlds[process->world], SIZE_MAX);
            json_out_set_text(json, "world", world);
            free(world);
        }
        if (listing->machines != NULL)
            json_out_set_text(json, "host", host_of(listing, process->node));
        json_out_close(json, '}');
    }
    json_out_close(json, ']');
}

static void
write_job(struct json_out *json, const struct listing *listing, const struct job_outline *job)
{
    char *user = user_text(job->user), *state = state_text(job);
    char *id = job->id != NULL ? escape_text(job->id, SIZE_MAX) : NULL;
    json_out_open(json, '{');
    json_out_set_text(json, "id", id);
    if (job->starter != 0)
        json_out_set_integer(json, "starter", job->starter);
    json_out_set_text(json, "started_by", job->started_by);
    json_out_set_text(json, "user", user);
    if (job->user >= 0)
        json_out_set_integer(json, "uid", job->user);
    json_out_set_text(json, "program", job->program);
    json_out_set_text(json, "command", job->command);
    json_out_array(json, "pids");
    for (size_t i = 0; i < job->ranks.count; i++)
        json_out_integer(json, job->ranks.items[i].pid);
    json_out_close(json, ']');
    write_processes(json, listing, &job->ranks);
    if (job->size >= 0)
        json_out_set_integer(json, "size", job->size);
    if (job->threads > 0)
        json_out_set_integer(json, "threads", job->threads);
    if (job->since > 0)
        json_out_set_integer(json, "since", job->since);
    json_out_set_text(json, "state", state);
    json_out_set_integer(json, "stopped", (int64_t) job->n_stopped);
    json_out_set_integer(json, "ended", (int64_t) job->n_ended);
    json_out_close(json, '}');
    free(id);
    free(user);
    free(state);
}

/** The machines of which nothing is known. */
static void
write_failures(struct json_out *json, const struct nodes *nodes)
{
    json_out_array(json, "failed");
    for (size_t i = 0; i < nodes->count; i++) {
        if (nodes->items[i].problem == NULL)
            continue;
        json_out_open(json, '{');
        json_out_set_text(json, "host", nodes->items[i].name);
        json_out_set_text(json, "problem", nodes->items[i].problem);
        json_out_close(json, '}');
    }
    json_out_close(json, ']');
}

static void
write_jobs(FILE *out, const struct listing *listing)
{
    struct json_out json;
    json_out_begin(&json, out, JSON_INDENT(1));
    json_out_open(&json, '{');
    json_out_set_text(&json, "schema", "mqs-ompd-jobs/1");
    char *identity = listing->machines == NULL ? nodes_identity() : NULL;
    json_out_set_text(&json, "machine", identity);
    free(identity);
    json_out_array(&json, "jobs");
    for (size_t i = 0; i < listing->jobs->count; i++)
        write_job(&json, listing, &listing->jobs->items[i]);
    json_out_close(&json, ']');
    if (listing->machines != NULL)
        write_failures(&json, &listing->machines->nodes);
    json_out_close(&json, '}');
    json_out_end(&json);
    fputc('\n', out);
}

static void
print_listing(const struct options *options, FILE *out, const struct listing *listing)
{
    if (options->json) {
        write_jobs(out, listing);
        return;
    }
    if (listing->jobs->count > 0)
        print_table(out, listing, geteuid() == 0);
    print_advice(out, listing);
}

void
jobs_print_hosts(const struct options *options, FILE *out, const struct jobs *jobs,
                 const struct job *machines)
{
    print_listing(options, out, &(struct listing){jobs, machines, options->hosts});
}

int
jobs_print(const struct options *options, FILE *out)
{
    struct jobs jobs;
    if (!procfs_is_ours()) {
        diag("/proc belongs to another PID namespace: give process ids of the one of /proc");
        return EXIT_SOMETHING_MISSING;
    }
    jobs_find(&jobs,
              options->job_user >= 0 || geteuid() == 0 ? options->job_user : (long) geteuid());
    print_listing(options, out, &(struct listing){.jobs = &jobs});
    jobs_deinit(&jobs);
    return output_is_written(out) ? EXIT_ALL_SHOWN : EXIT_SOMETHING_MISSING;
}
