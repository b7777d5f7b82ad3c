// SPDX-License-Identifier: BSD-3-Clause
// Jobs and steps of Slurm: in which state they are, and on which machines.
#include "mqshow/job/slurm.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/ask.h"
#include "mqshow/base/strbuf.h"
#include "mqshow/base/subprocess.h"
#include "mqshow/job/slurm_id.h"
#include "mqshow/job/starter.h"
#include "mqshow/process/procfs.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATIENCE_S = 20, SHORT_PATIENCE_S = 5, ROWS_MAX = 4096, SHOWN_MAX = 200 };

/** A line of squeue: a job, a task of an array, or a component of a heterogeneous job. */
struct row {
    char *id;    // "1234", "1234_5", "1234+1"
    char *own;   // the number that it has itself
    char *user;  // its number
    char *name;  // the user's
    char *state; // "RUNNING"
    char *reason;
    char *nodes; // "n[1-3],m", as Slurm writes them
};

static const char row_format[] = "--format=%i|%A|%U|%u|%T|%r|%N";
enum { ROW_COLUMNS = 7 };

/** What squeue says of an id. */
struct listing {
    struct answer answer; // the rows point into it
    struct row *rows;
    size_t count, capacity;
};

/** Splits a line at its bars. @return false when there are fewer columns */
static bool
split(char *line, char **columns, size_t count)
{
    size_t found = 0;
    while (found < count && line != NULL)
        columns[found++] = strsep(&line, "|");
    return found == count;
}

/** squeue lists all components of a job, also when one is asked for. */
static bool
is_meant(const struct row *row, const char *id)
{
    return strchr(id, '+') == NULL || strcmp(row->id, id) == 0;
}

static struct listing
ask_jobs(const char *id, int seconds)
{
    struct arguments words = {.items = NULL};
    struct listing listing = {.rows = NULL};
    char *columns[ROW_COLUMNS];
    arguments_add(&words, "squeue", "--noheader", "--states=all", "--jobs", id, row_format, NULL);
    listing.answer = ask(&words, seconds);
    char *rest = listing.answer.text;
    for (char *line; listing.count < ROWS_MAX && (line = strsep(&rest, "\n")) != NULL;)
        if (split(line, columns, ROW_COLUMNS)) {
            struct row row = {columns[0], columns[1], columns[2], columns[3],
                              columns[4], columns[5], columns[6]};
            if (is_meant(&row, id))
                *ALLOC_ADD(listing.rows, listing.count, listing.capacity) = row;
        }
    return listing;
}

static void
listing_deinit(struct listing *listing)
{
    free(listing->rows);
    answer_deinit(&listing->answer);
}

static bool
is_running(const struct row *row)
{
    return strcmp(row->state, "RUNNING") == 0;
}

/** The beginning of a text that Slurm has given, to free(). It is escaped where it is printed. */
static char *
shown(const char *text)
{
    return alloc_format("%.*s", (int) SHOWN_MAX, text);
}

/** Why Slurm says nothing about a job, to free(). */
static char *
explain_silence(const char *id, const char *complaint)
{
    if (complaint != NULL && strstr(complaint, "Invalid job id") != NULL)
        return alloc_format("Slurm knows no job %s: `squeue` lists those that run, `sacct -j %s` "
                            "one that has ended; a process is given with --job or alone",
                            id, id);
    if (complaint != NULL)
        return alloc_format("Slurm cannot be asked about job %s: %s: try again when `scontrol "
                            "ping` succeeds, or give PIDs on the machine where they are",
                            id, complaint);
    return alloc_format("Slurm says nothing about job %s: `squeue` lists those that run", id);
}

/** Whether a job has run before, and was put back into the queue. */
static bool
was_requeued(const char *own)
{
    struct arguments words = {.items = NULL};
    arguments_add(&words, "scontrol", "--oneliner", "show", "job", own, NULL);
    struct answer answer = ask(&words, PATIENCE_S);
    const char *restarts = strstr(answer.text, " Restarts=");
    bool ret = restarts != NULL && restarts[strlen(" Restarts=")] != '0';
    answer_deinit(&answer);
    return ret;
}

enum situation { SITUATION_WAITS, SITUATION_SUSPENDED, SITUATION_ENDED };

/** The states in which a job is not over; in others it is. */
static const struct {
    const char *state;
    enum situation situation;
} situations[] = {
    {"PENDING", SITUATION_WAITS},      {"CONFIGURING", SITUATION_WAITS},
    {"REQUEUED", SITUATION_WAITS},     {"REQUEUE_HOLD", SITUATION_WAITS},
    {"REQUEUE_FED", SITUATION_WAITS},  {"RESV_DEL_HOLD", SITUATION_WAITS},
    {"SPECIAL_EXIT", SITUATION_WAITS}, {"SUSPENDED", SITUATION_SUSPENDED},
    {"STOPPED", SITUATION_SUSPENDED},
};

static enum situation
situation_of(const char *state)
{
    for (size_t i = 0; i < sizeof situations / sizeof *situations; i++)
        if (strcmp(state, situations[i].state) == 0)
            return situations[i].situation;
    return SITUATION_ENDED;
}

/** Why nothing of a job runs that Slurm knows, to free(). */
static char *
explain_state(const char *id, const struct row *row)
{
    char *state = shown(row->state), *reason = shown(row->reason), *ret;
    switch (situation_of(row->state)) {
    case SITUATION_WAITS:
        ret = alloc_format("Slurm job %s %s (%s, %s): `squeue --start -j %s` says when it may "
                           "start; try again then",
                           id,
                           was_requeued(row->own) ? "was requeued and has not started again"
                                                  : "has not started",
                           state, reason, id);
        break;
    case SITUATION_SUSPENDED:
        ret = alloc_format("Slurm job %s is suspended (%s), and Slurm starts nothing in it: "
                           "`scontrol resume %s`, or give PIDs on its machines %s",
                           id, state, id, row->nodes);
        break;
    default:
        ret = alloc_format("Slurm job %s has ended (%s): `sacct -j %s` says how; if it left core "
                           "files, --core shows them",
                           id, state, id);
    }
    free(state);
    free(reason);
    return ret;
}

/** The ids of the running ones, to free(). */
static char *
name_running(const struct listing *listing)
{
    struct strbuf names = {.text = NULL};
    for (size_t i = 0; i < listing->count; i++)
        if (is_running(&listing->rows[i]) && names.length < SHOWN_MAX)
            strbuf_add(&names, "%s%s", names.length > 0 ? ", " : "", listing->rows[i].id);
    char *text = strbuf_take(&names), *ret = shown(text);
    free(text);
    return ret;
}

static bool
is_component(const struct row *row)
{
    return strchr(row->id, '+') != NULL;
}

static size_t
count_running(const struct listing *listing)
{
    size_t running = 0;
    for (size_t i = 0; i < listing->count; i++)
        running += is_running(&listing->rows[i]);
    return running;
}

/** Whether there are rows, and all that run are of one job. @return NULL, or why not, to free() */
static char *
check_rows(const char *id, const struct listing *listing)
{
    size_t running = count_running(listing), components = 0;
    for (size_t i = 0; i < listing->count; i++)
        components += is_running(&listing->rows[i]) && is_component(&listing->rows[i]);
    if (listing->count == 0)
        return explain_silence(id, listing->answer.complaint);
    if (running <= 1 || components == running)
        return NULL;
    char *names = name_running(listing);
    char *ret =
        alloc_format("Slurm job %s is an array: give one of its tasks that run: %s", id, names);
    free(names);
    return ret;
}

/** @return NULL, or why this user may not look at the processes, to free() */
static char *
check_user(const char *id, const struct row *row, long *ret_user)
{
    char *end;
    long user = strtol(row->user, &end, 10);
    bool good = end != row->user && *end == '\0' && user >= 0 && user <= UINT32_MAX;
    if (good)
        *ret_user = user;
    if (good && (geteuid() == 0 || user == (long) geteuid()))
        return NULL;
    char *name = shown(row->name);
    char *ret = alloc_format("Slurm job %s belongs to user %s: only this user and root may look at "
                             "its processes",
                             id, name);
    free(name);
    return ret;
}

/** The steps of a job of which something runs. */
static struct answer
ask_steps(const char *own)
{
    struct arguments words = {.items = NULL};
    arguments_add(&words, "squeue", "--noheader", "--steps", "--jobs", own, "--format=%i|%N", NULL);
    return ask(&words, PATIENCE_S);
}

/** The nodes of a step, separated by commas, to free(); NULL: it has none.
 * @param ret_steps the names of all steps are added
 */
static char *
step_nodes(const struct row *row, const char *step, struct strbuf *ret_steps)
{
    struct answer answer = ask_steps(row->own);
    struct strbuf nodes = {.text = NULL};
    char *rest = answer.text, *columns[2];
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        const char *point = split(line, columns, 2) ? strrchr(columns[0], '.') : NULL;
        if (point == NULL)
            continue;
        if (ret_steps->length < SHOWN_MAX)
            strbuf_add(ret_steps, "%s%s", ret_steps->length > 0 ? ", " : "", point + 1);
        if (slurm_id_means_step(step, point + 1))
            strbuf_add(&nodes, "%s%s", nodes.length > 0 ? "," : "", columns[1]);
    }
    answer_deinit(&answer);
    return nodes.length > 0 ? strbuf_take(&nodes) : NULL;
}

/** Adds the machines that a part of a job has, and its processes on this one.
 * @param listed as Slurm writes them
 */
static void
add_nodes(struct job *job, const char *listed, const struct nodes_part *part)
{
    struct arguments words = {.items = NULL};
    arguments_add(&words, "scontrol", "show", "hostnames", listed, NULL);
    struct answer answer = ask(&words, PATIENCE_S);
    char *rest = answer.text;
    for (char *name; (name = strsep(&rest, "\n")) != NULL;) {
        if (*name == '\0')
            continue;
        if (nodes_is_here(name)) {
            free(slurm_add_pids(job, part->id));
            continue;
        }
        int node = nodes_get(&job->nodes, name);
        if (node >= 0)
            nodes_set_part(&job->nodes, (size_t) node, part);
    }
    answer_deinit(&answer);
}

/** The part that a row is: for `listpids` by its own number, for srun by that of its group. */
static struct nodes_part
part_of(const struct row *row, const char *step)
{
    const char *plus = strchr(row->id, '+');
    return (struct nodes_part){.id = step != NULL ? alloc_format("%s.%s", row->own, step)
                                                  : alloc_text(row->own),
                               .group = plus != NULL ? alloc_text(plus + 1) : NULL};
}

/** The number that srun takes: a heterogeneous job's first one. */
static char *
leader_of(const struct row *row)
{
    return is_component(row) ? alloc_format("%.*s", (int) strcspn(row->id, "+"), row->id)
                             : alloc_text(row->own);
}

/** Adds what runs of each row. @return NULL, or why there is nothing, to free() */
static char *
add_rows(struct job *job, const struct slurm_id *id, const struct listing *listing)
{
    struct strbuf steps = {.text = NULL};
    bool found = false;
    for (size_t i = 0; i < listing->count; i++) {
        const struct row *row = &listing->rows[i];
        struct slurm_id read = {.job = NULL}; // what is used further on is a number
        if (!is_running(row) || !slurm_id_read(row->own, &read))
            continue;
        slurm_id_deinit(&read);
        char *nodes = id->step != NULL ? step_nodes(row, id->step, &steps) : alloc_text(row->nodes);
        struct nodes_part part = part_of(row, id->step);
        if (nodes != NULL) {
            found = true;
            if (job->nodes.slurm_job == NULL)
                job->nodes.slurm_job = leader_of(row);
            add_nodes(job, nodes, &part);
        }
        nodes_part_deinit(&part);
        free(nodes);
    }
    char *text = strbuf_take(&steps), *names = shown(text);
    char *problem = found ? NULL
                          : alloc_format("Slurm job %s runs no step %s: those that run are %s",
                                         id->job, id->step != NULL ? id->step : "", names);
    free(text);
    free(names);
    return problem;
}

/** Reads an id and asks for its job, which must be one of this user.
 * @return NULL, or why it is none, to free(); both are set, empty perhaps */
static char *
find_job(const char *id, struct slurm_id *ret_id, struct listing *ret, long *ret_user)
{
    *ret_id = (struct slurm_id){.job = NULL};
    *ret = (struct listing){.rows = NULL};
    if (!slurm_id_read(id, ret_id)) {
        char *escaped = shown(id);
        char *problem = alloc_format("\"%s\" is no id of a Slurm job or step: these are written "
                                     "1234, 1234.0, 1234.batch, 1234_5 or 1234+1",
                                     escaped);
        free(escaped);
        return problem;
    }
    *ret = ask_jobs(ret_id->job, PATIENCE_S);
    char *problem = check_rows(ret_id->job, ret);
    return problem != NULL ? problem : check_user(ret_id->job, &ret->rows[0], ret_user);
}

char *
slurm_add_job(struct job *job, const char *id, long *ret_user)
{
    struct slurm_id read;
    struct listing listing;
    char *problem = find_job(id, &read, &listing, ret_user);
    if (problem == NULL && count_running(&listing) == 0)
        problem = explain_state(read.job, &listing.rows[0]);
    if (problem == NULL)
        problem = add_rows(job, &read, &listing);
    listing_deinit(&listing);
    slurm_id_deinit(&read);
    return problem;
}

char *
slurm_check(const char *id)
{
    struct slurm_id read;
    struct listing listing;
    long user;
    char *problem = find_job(id, &read, &listing, &user);
    listing_deinit(&listing);
    slurm_id_deinit(&read);
    return problem;
}

/** The steps that run of those rows that do, to free(); NULL: there was no answer.
 * @param ret_runs set to whether the wanted one is among them; NULL: any */
static char *
list_steps(const struct listing *listing, const char *wanted, bool *ret_runs)
{
    struct strbuf steps = {.text = NULL};
    bool failed = false;
    *ret_runs = wanted == NULL;
    for (size_t i = 0; i < listing->count && !failed; i++) {
        if (!is_running(&listing->rows[i]))
            continue;
        struct answer answer = ask_steps(listing->rows[i].own);
        strbuf_add(&steps, "%s%s\n", answer.text, listing->rows[i].id);
        failed = answer.complaint != NULL;
        char *rest = answer.text, *columns[2];
        for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
            const char *point = split(line, columns, 2) ? strrchr(columns[0], '.') : NULL;
            *ret_runs |= point != NULL && slurm_id_means_step(wanted, point + 1);
        }
        answer_deinit(&answer);
    }
    char *text = strbuf_take(&steps);
    if (!failed)
        return text;
    free(text);
    return NULL;
}

enum slurm_progress
slurm_ask_progress(const char *id, char **ret_steps)
{
    struct slurm_id read = {.job = NULL};
    enum slurm_progress progress = SLURM_ENDED;
    *ret_steps = NULL;
    if (!slurm_id_read(id, &read))
        return SLURM_NO_ANSWER;
    struct listing listing = ask_jobs(read.job, SHORT_PATIENCE_S);
    const char *complaint = listing.answer.complaint;
    for (size_t i = 0; i < listing.count; i++)
        if (situation_of(listing.rows[i].state) != SITUATION_ENDED)
            progress = SLURM_NOT_RUNNING;
    // What has ended is forgotten after a while.
    if (listing.count == 0 && (complaint == NULL || strstr(complaint, "Invalid job id") == NULL))
        progress = SLURM_NO_ANSWER;
    if (count_running(&listing) > 0) {
        bool runs;
        *ret_steps = list_steps(&listing, read.step, &runs);
        progress = *ret_steps == NULL ? SLURM_NO_ANSWER : runs ? SLURM_RUNNING : SLURM_NOT_RUNNING;
    }
    listing_deinit(&listing);
    slurm_id_deinit(&read);
    return progress;
}

bool
slurm_knows(pid_t number, bool ended)
{
    if (!ask_is_there("squeue"))
        return false;
    char *id = alloc_format("%d", (int) number);
    struct listing listing = ask_jobs(id, SHORT_PATIENCE_S);
    bool known = false;
    for (size_t i = 0; i < listing.count; i++)
        known |= ended || is_running(&listing.rows[i]) ||
                 situation_of(listing.rows[i].state) != SITUATION_ENDED;
    listing_deinit(&listing);
    free(id);
    return known;
}

/** The job of the step that an srun of this machine has started, to free(); NULL: none. */
static char *
find_step_of(pid_t starter)
{
    struct arguments words = {.items = NULL};
    char host[256] = "", *job = NULL;
    gethostname(host, sizeof host - 1);
    char *wanted = alloc_format("SrunHost:Pid=%s:%d", host, (int) starter);
    arguments_add(&words, "scontrol", "--oneliner", "show", "step", NULL);
    struct answer answer = ask(&words, SHORT_PATIENCE_S);
    char *rest = answer.text;
    for (char *line; job == NULL && (line = strsep(&rest, "\n")) != NULL;) {
        const char *at = strstr(line, wanted);
        struct slurm_id id = {.job = NULL};
        size_t end = strcspn(line, " ");
        if (at == NULL || strchr(" \n", at[strlen(wanted)]) == NULL ||
            strncmp(line, "StepId=", 7) != 0)
            continue;
        line[end] = '\0';
        if (slurm_id_read(line + 7, &id))
            job = alloc_text(id.job);
        slurm_id_deinit(&id);
    }
    answer_deinit(&answer);
    free(wanted);
    return job;
}

void
slurm_find_starter(struct job *job, pid_t starter)
{
    char *number = procfs_environment(starter, "SLURM_JOB_ID");
    struct slurm_id id = {.job = NULL};
    if (number == NULL && starter_is_srun(starter) && ask_is_there("scontrol"))
        number = find_step_of(starter);
    if (number != NULL && slurm_id_read(number, &id) && id.step == NULL)
        job->nodes.slurm_job = alloc_text(number);
    slurm_id_deinit(&id);
    free(number);
}
