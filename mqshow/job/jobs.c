// SPDX-License-Identifier: BSD-3-Clause
// The jobs that run on this machine.
//
// A rank carries its number in its environment. Above it are processes that carry the same one
// (wrapper scripts), then its starter, or a daemon that works for a starter, which may be of
// another machine.
#include "mqshow/job/jobs.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/runtime.h"
#include "mqshow/base/search.h"
#include "mqshow/job/starter.h"
#include "mqshow/process/procfs.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ANCESTORS_MAX = 32, COMMAND_MAX = 4096 };

/** What may be above ranks, by its name in /proc, which has 15 characters. */
static const struct above {
    const char *pattern;
    bool is_starter; // else a daemon that works for one
} above[] = {
    {"mpirun*", true},          {"mpiexec*", true},    {"orterun", true},
    {"prterun", true},          {"prun", true},        {"srun", true},
    {"orted", false},           {"prted", false},      {"hydra_pmi_proxy", false},
    {"pmi_proxy", false},       {"prte", false},       {"slurmstepd", false},
    {"hydra_bstrap_p*", false}, {"flux-shell", false}, {"palsd", false},
    {"torchrun*", true},
};

static const struct above *
find_above(pid_t pid)
{
    char *name = procfs_thread_name(pid, pid);
    const struct above *found = NULL;
    for (size_t i = 0; name != NULL && found == NULL && i < sizeof above / sizeof *above; i++)
        if (fnmatch(above[i].pattern, name, 0) == 0)
            found = &above[i];
    free(name);
    return found;
}

/** What is above a rank.
 * @param ret_daemon set to the outermost daemon; 0: none
 * @return the starter; 0: there is none here */
static pid_t
find_starter(pid_t pid, pid_t *ret_daemon)
{
    pid_t below = pid;
    *ret_daemon = 0;
    for (int i = 0; i < ANCESTORS_MAX && (pid = procfs_parent(pid)) > 1; below = pid, i++) {
        const struct above *is = find_above(pid);
        if (is != NULL && is->is_starter)
            return pid;
        if (is != NULL)
            *ret_daemon = pid;
        else if (*ret_daemon != 0 || starter_rank(&(struct debuggee){.pid = pid}) < 0) // no wrapper
            return *ret_daemon == 0 && starter_is_above(below) ? pid : 0;
    }
    return 0;
}

/** What a job is called whose starter is not here: "Slurm 1234.0", or as its MPI calls it; to
 * free(). */
static char *
job_name(pid_t pid)
{
    char *job = procfs_environment(pid, "SLURM_JOB_ID"),
         *step = procfs_environment(pid, "SLURM_STEP_ID");
    char *name = job == NULL ? starter_world(pid)
                             : alloc_format("Slurm %s%s%s", job, step != NULL ? "." : "",
                                            step != NULL ? step : "");
    free(job);
    free(step);
    return name;
}

/** When a process began, in seconds since 1970; 0: not known. */
static int64_t
since(pid_t pid)
{
    struct procfs_stat stat;
    struct timespec up;
    if (!procfs_stat(pid, 0, &stat) || clock_gettime(CLOCK_BOOTTIME, &up) != 0)
        return 0;
    return (int64_t) time(NULL) - ((int64_t) up.tv_sec - stat.start / sysconf(_SC_CLK_TCK));
}

/** The arguments of a process in a line, to free(). */
static char *
command_text(pid_t pid)
{
    size_t size;
    char *arguments = procfs_arguments(pid, &size);
    for (size_t i = 0; arguments != NULL && i + 1 < size; i++)
        if (arguments[i] == '\0')
            arguments[i] = ' ';
    char *text = escape_text(arguments != NULL ? arguments : "", COMMAND_MAX);
    free(arguments);
    return text;
}

/** The job with this key, which is taken over; a new one if there is none. */
static struct job_outline *
get_job(struct jobs *jobs, char *key)
{
    for (size_t i = 0; i < jobs->count; i++)
        if (strcmp(jobs->items[i].key, key) == 0) {
            free(key);
            return &jobs->items[i];
        }
    struct job_outline *job = ALLOC_ADD(jobs->items, jobs->count, jobs->capacity);
    *job = (struct job_outline){.key = key, .size = -1, .user = -1, .starter_node = -1};
    return job;
}

static void
add_rank(struct jobs *jobs, pid_t pid)
{
    pid_t daemon, starter = find_starter(pid, &daemon);
    char *name = starter == 0 ? job_name(pid) : NULL;
    // Ranks of one machine that have no name in common have one daemon, or nothing at all.
    char *key = starter != 0                    ? alloc_format("%d", (int) starter)
                : name != NULL && *name != '\0' ? alloc_format("%s", name)
                                                : alloc_format("daemon %d", (int) daemon);
    struct job_outline *job = get_job(jobs, key);
    if (job->ranks.count == 0) {
        pid_t top = starter != 0 ? starter : daemon;
        char *top_name = top == 0                  ? NULL
                         : find_above(top) == NULL ? alloc_text("torchrun")
                                                   : procfs_thread_name(top, top);
        job->starter = starter;
        job->id = starter_job(pid);
        job->started_by = name != NULL && *name != '\0' ? escape_text(name, SIZE_MAX)
                          : top_name != NULL            ? escape_text(top_name, SIZE_MAX)
                                                        : NULL;
        job->since = top != 0 && starter != 0 ? since(top) : 0;
        free(top_name);
    }
    job_add_candidate(&job->ranks, pid);
    free(name);
}

/** Whether a line of a map is of code: debuggers map the files of others to read them. */
static bool
is_code(const char *line)
{
    const char *rights = strchr(line, ' ');
    return rights != NULL && strncmp(rights, " r-xp", 5) == 0;
}

static bool
is_openmp_code(const char *line)
{
    return is_code(line) && runtime_of_file(line) == RUNTIME_OPENMP;
}

/** Of the libraries of MPI those that starters do not have, too. */
static bool
is_mpi_code(const char *line)
{
    return is_code(line) && runtime_is_mpi_library(line) &&
           fnmatch("lib*mpi*", base_name(line), 0) == 0;
}

/** Adds a program that no starter runs. */
static void
add_single(struct jobs *jobs, pid_t pid)
{
    struct procfs_stat stat;
    bool is_mpi = job_maps(pid, is_mpi_code);
    bool known = procfs_stat(pid, 0, &stat);
    if (!known || (!is_mpi && (stat.threads < 2 || !job_maps(pid, is_openmp_code))))
        return;
    struct job_outline *job = get_job(jobs, alloc_format("process %d", (int) pid));
    job_add(&job->ranks, pid, -1);
    job->size = is_mpi ? 1 : -1;
    job->threads = is_mpi ? 0 : stat.threads;
}

/** Fills what its processes tell. */
static void
finish(struct job_outline *job)
{
    pid_t first = job->ranks.items[0].pid;
    char *program = procfs_program(first);
    job->user = procfs_user(first);
    job->command = command_text(first);
    job->program = program != NULL ? escape_text(program, SIZE_MAX) : NULL;
    job->size = job->size < 0 ? starter_size(first) : job->size;
    free(program);
    for (size_t i = 0; i < job->ranks.count; i++) {
        struct procfs_stat stat;
        pid_t pid = job->ranks.items[i].pid;
        bool known = procfs_stat(pid, 0, &stat);
        job->n_ended += !known || strchr("ZX", stat.letter) != NULL;
        job->n_stopped += known && strchr("Tt", stat.letter) != NULL;
        int64_t begun = since(pid);
        if (begun != 0 && (job->since == 0 || begun < job->since))
            job->since = begun;
    }
}

/** Jobs before programs without a starter, and those of OpenMP last; the oldest first. */
static int
compare_jobs(const void *left, const void *right)
{
    const struct job_outline *a = left, *b = right;
    return COMPARE({a->threads > 0, b->threads > 0}, {a->started_by == NULL, b->started_by == NULL},
                   {a->since, b->since}, {a->ranks.items[0].pid, b->ranks.items[0].pid});
}

/** Whether a process is the starter of a job. */
static bool
has_started(const struct jobs *jobs, pid_t pid)
{
    for (size_t i = 0; i < jobs->count; i++)
        if (jobs->items[i].starter == pid)
            return true;
    return false;
}

void
jobs_find(struct jobs *jobs, long user)
{
    pid_t *pids;
    size_t count = procfs_all(&pids), n_singles = 0;
    *jobs = (struct jobs){.items = NULL};
    for (size_t i = 0; i < count; i++) {
        if (pids[i] == getpid() || (user >= 0 && procfs_user(pids[i]) != user))
            continue;
        const struct above *is = find_above(pids[i]);
        if (is != NULL)
            continue;
        if (starter_rank(&(struct debuggee){.pid = pids[i]}) >= 0)
            add_rank(jobs, pids[i]);
        else
            pids[n_singles++] = pids[i];
    }
    for (size_t i = 0; i < n_singles; i++)
        if (!has_started(jobs, pids[i]))
            add_single(jobs, pids[i]);
    free(pids);
    for (size_t i = 0; i < jobs->count; i++)
        finish(&jobs->items[i]);
    jobs_sort(jobs);
}

void
jobs_sort(struct jobs *jobs)
{
    if (jobs->count > 0)
        qsort(jobs->items, jobs->count, sizeof *jobs->items, compare_jobs);
}

void
jobs_deinit(struct jobs *jobs)
{
    for (size_t i = 0; i < jobs->count; i++) {
        struct job_outline *job = &jobs->items[i];
        job_deinit(&job->ranks);
        free(job->started_by);
        free(job->command);
        free(job->program);
        free(job->key);
        free(job->id);
    }
    free(jobs->items);
    *jobs = (struct jobs){.items = NULL};
}
