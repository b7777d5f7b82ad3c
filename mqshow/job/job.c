// SPDX-License-Identifier: BSD-3-Clause
// Which processes make a job.
#include "mqshow/job/job.h"

#include "mqshow/base/alloc.h"
#include "mqshow/process/core.h"
#include "mqshow/process/stub.h"
#include "mqshow/job/hydra.h"
#include "mqshow/job/pmix.h"
#include "mqshow/process/procfs.h"
#include "mqshow/base/runtime.h"
#include "mqshow/job/roll.h"
#include "mqshow/job/starter.h"
#include "mqshow/process/stop.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Number of the world of that name, which is new when the name is. @param name is taken over */
static size_t
name_world(struct job *job, char *name)
{
    for (size_t i = 0; i < job->n_worlds; i++) {
        if (strcmp(job->worlds[i], name) == 0) {
            free(name);
            return i;
        }
    }
    *ALLOC_ADD(job->worlds, job->n_worlds, job->worlds_capacity) = name;
    return job->n_worlds - 1;
}

/** Number of the world of a process; JOB_NO_WORLD: it has ended. */
static size_t
find_world(struct job *job, pid_t pid)
{
    return procfs_has_environment(pid) ? name_world(job, starter_world(pid)) : JOB_NO_WORLD;
}

void
job_add(struct job *job, pid_t pid, int rank)
{
    for (size_t i = 0; i < job->count; i++)
        if (job_is_live(&job->items[i]) && job->items[i].pid == pid && pid != 0)
            return;
    job->items = alloc_grow(job->items, job->count, &job->capacity, sizeof *job->items);
    const struct debuggee process = {.pid = pid};
    job->items[job->count++] =
        (struct job_process){.pid = pid,
                             .rank = rank >= 0 ? rank : starter_rank(&process),
                             .ranks_of = starter_ranks_of(&process),
                             .world = find_world(job, pid),
                             .node = -1};
}

void
job_add_ended(struct job *job, pid_t pid, int rank, size_t world)
{
    *ALLOC_ADD(job->items, job->count, job->capacity) =
        (struct job_process){.pid = pid, .rank = rank, .world = world, .node = -1};
}

void
job_name_last(struct job *job, const char *world)
{
    struct job_process *last = job->count > 0 ? &job->items[job->count - 1] : NULL;
    if (last != NULL && last->world == JOB_NO_WORLD)
        last->world = name_world(job, alloc_text(world));
}

void
job_add_core(struct job *job, struct core *core)
{
    job->items = alloc_grow(job->items, job->count, &job->capacity, sizeof *job->items);
    job->items[job->count++] =
        (struct job_process){.core = core,
                             .pid = core->pid,
                             .rank = starter_rank(&(struct debuggee){.core = core}),
                             .ranks_of = starter_ranks_of(&(struct debuggee){.core = core}),
                             .node = -1};
}

void
job_add_stub(struct job *job, struct stub *stub)
{
    job->items = alloc_grow(job->items, job->count, &job->capacity, sizeof *job->items);
    job->items[job->count++] =
        (struct job_process){.stub = stub,
                             .pid = stub->pid,
                             .rank = starter_rank(&(struct debuggee){.stub = stub}),
                             .ranks_of = starter_ranks_of(&(struct debuggee){.stub = stub}),
                             .node = -1};
}

bool
job_is_live(const struct job_process *process)
{
    return process->node < 0 && process->core == NULL && process->stub == NULL;
}

bool
job_has_live(const struct job *job)
{
    for (size_t i = 0; i < job->count; i++)
        if (job_is_live(&job->items[i]))
            return true;
    return false;
}

char *
job_program(const struct job_process *process)
{
    return process->core != NULL   ? alloc_text(process->core->program)
           : process->stub != NULL ? alloc_text(process->stub->program)
                                   : procfs_program(process->pid);
}

void
job_add_elsewhere(struct job *job, int node, pid_t pid, int rank, const char *world)
{
    size_t number = world != NULL ? name_world(job, alloc_text(world)) : 0;
    *ALLOC_ADD(job->items, job->count, job->capacity) =
        (struct job_process){.pid = pid, .rank = rank, .world = number, .node = node};
}

const char *
job_world(const struct job *job, size_t i)
{
    size_t world = job->items[i].world;
    return job->n_worlds > 1 && world != JOB_NO_WORLD ? job->worlds[world] : NULL;
}

bool
job_maps(pid_t pid, bool (*is_wanted)(const char *line))
{
    char path[32], line[4500];
    snprintf(path, sizeof path, "/proc/%d/maps", (int) pid);
    FILE *file = fopen(path, "re");
    bool found = false;
    while (file != NULL && !found && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        found = is_wanted(line);
    }
    if (file != NULL)
        fclose(file);
    return found;
}

static bool
is_of_runtime(const char *line)
{
    return runtime_is_mpi_library(line) || runtime_of_file(line) == RUNTIME_OPENMP;
}

bool
job_maps_runtime(pid_t pid)
{
    return job_maps(pid, is_of_runtime);
}

/** The process of the list with this rank in this world; NULL: none. */
static struct job_process *
find_twin(struct job *job, int rank, size_t world)
{
    for (size_t i = 0; i < job->count; i++)
        if (job->items[i].node < 0 && job->items[i].rank == rank && job->items[i].world == world)
            return &job->items[i];
    return NULL;
}

void
job_add_candidate(struct job *job, pid_t pid)
{
    int rank = starter_rank(&(struct debuggee){.pid = pid});
    if (rank < 0)
        return;
    struct job_process *twin = find_twin(job, rank, find_world(job, pid));
    if (twin == NULL)
        job_add(job, pid, rank);
    else if (!job_maps(twin->pid, runtime_is_mpi_library) && job_maps(pid, runtime_is_mpi_library))
        twin->pid = pid;
}

void
job_mark_foreign(struct job *job, size_t first, long user)
{
    for (size_t i = first; i < job->count; i++) {
        struct job_process *process = &job->items[i];
        if (job_is_live(process) && process->pid != 0)
            process->is_foreign = procfs_exists(process->pid) && procfs_user(process->pid) != user;
    }
}

/** Gives a world to those from `first` on whose own is not known. */
static void
take_world(struct job *job, size_t first, size_t world)
{
    for (size_t i = first; i < job->count; i++)
        if (job->items[i].world == JOB_NO_WORLD)
            job->items[i].world = world;
}

/** The first world that is known of those from `first` on; JOB_NO_WORLD: none is. */
static size_t
known_world(const struct job *job, size_t first)
{
    for (size_t i = first; i < job->count; i++)
        if (job->items[i].world != JOB_NO_WORLD)
            return job->items[i].world;
    return JOB_NO_WORLD;
}

void
job_settle_worlds(struct job *job)
{
    if (job->n_worlds <= 1)
        take_world(job, 0, 0);
}

/** Why the first process of those that may not be read may not, to free(); NULL: all may be. */
static char *
find_refusal(pid_t starter, const pid_t *below, size_t count)
{
    pid_t refused = procfs_check_access(starter) == EACCES ? starter : 0;
    for (size_t i = 0; i < count && refused == 0; i++)
        refused = procfs_check_access(below[i]) == EACCES ? below[i] : 0;
    char *reason = refused != 0 ? stop_explain(refused, EACCES) : NULL;
    char *text = reason != NULL ? alloc_format("process %d %s", (int) refused, reason) : NULL;
    free(reason);
    return text;
}

/** How many are known from `first` on of an MPI_COMM_WORLD. */
static size_t
count_world(const struct job *job, size_t first, size_t world)
{
    size_t count = 0;
    for (size_t i = first; i < job->count; i++)
        count += job->items[i].world == world;
    return count;
}

/** Whether a rank from `first` on is of more than are known of its MPI_COMM_WORLD. */
static bool
is_incomplete(const struct job *job, size_t first)
{
    for (size_t i = first; i < job->count; i++) {
        const struct job_process *process = &job->items[i];
        int size = job_is_live(process) ? starter_size(process->pid) : -1;
        if (size > 0 && (size_t) size > count_world(job, first, process->world))
            return true;
    }
    return false;
}

/** Notes why ranks are missing, if some are. @param why is taken over; NULL: nothing is wrong */
static void
note_unlisted(struct job *job, size_t first, char *why)
{
    if (why != NULL && job->unlisted == NULL && (job->count == first || is_incomplete(job, first)))
        job->unlisted = alloc_format("ranks on other machines are not shown: %s; or run `mqshow "
                                     "--save FILE` with the PIDs there, and `mqshow merge` with "
                                     "the files",
                                     why);
    free(why);
}

char *
job_add_started(struct job *job, pid_t starter)
{
    size_t before = job->count;
    if (!procfs_exists(starter))
        return alloc_format(
            "no process %d: give the id of the mpirun or mpiexec that started the job",
            (int) starter);
    pid_t *below;
    size_t n_below = procfs_descendants(starter, &below);
    bool has_table = job_add_proctable(job, starter, below, n_below);
    char *unlisted = NULL;
    if (!has_table && pmix_is_needed(starter, below, n_below)) {
        unlisted = job_add_pmix(job, starter, below, n_below);
        has_table = unlisted == NULL;
    }
    // A table has the processes of one MPI_COMM_WORLD.
    take_world(job, before, known_world(job, before));
    for (size_t i = 0; i < n_below; i++)
        job_add_candidate(job, below[i]);
    note_unlisted(job, before, unlisted);
    if (job->nodes.count == 0)
        hydra_find_nodes(job, below, n_below);
    if (!has_table && job->nodes.count == 0)
        hydra_add_ended(job, before, below, n_below);
    if (!has_table && job->nodes.count == 0)
        roll_add_ended(job, before, below, n_below);
    char *refusal = job->count == before ? find_refusal(starter, below, n_below) : NULL;
    free(below);
    if (job->count > before || job->nodes.count > 0 || job->nodes.refused > 0 || refusal != NULL)
        return refusal;
    return alloc_format("process %d has started no MPI process yet: give the id of the mpirun or "
                        "mpiexec, or those of the ranks",
                        (int) starter);
}

void
job_deinit(struct job *job)
{
    for (size_t i = 0; i < job->n_worlds; i++)
        free(job->worlds[i]);
    for (size_t i = 0; i < job->count; i++)
        core_destroy(job->items[i].core);
    for (size_t i = 0; i < job->count; i++)
        stub_destroy(job->items[i].stub);
    free(job->worlds);
    nodes_deinit(&job->nodes);
    free(job->here);
    free(job->unlisted);
    free(job->items);
    *job = (struct job){.items = NULL};
}
