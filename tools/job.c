// SPDX-License-Identifier: BSD-3-Clause
// Which processes make a job.
#include "tools/job.h"

#include "tools/alloc.h"
#include "tools/core.h"
#include "tools/hydra.h"
#include "tools/procfs.h"
#include "tools/starter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Number of the world of a process, which is new when its name is. */
static size_t
find_world(struct job *job, pid_t pid)
{
    char *name = starter_world(pid);
    for (size_t i = 0; i < job->n_worlds; i++) {
        if (strcmp(job->worlds[i], name) == 0) {
            free(name);
            return i;
        }
    }
    job->worlds =
        alloc_grow(job->worlds, job->n_worlds, &job->worlds_capacity, sizeof *job->worlds);
    job->worlds[job->n_worlds++] = name;
    return job->n_worlds - 1;
}

void
job_add(struct job *job, pid_t pid, int rank)
{
    for (size_t i = 0; i < job->count; i++)
        if (job->items[i].node < 0 && job->items[i].pid == pid)
            return;
    job->items = alloc_grow(job->items, job->count, &job->capacity, sizeof *job->items);
    job->items[job->count++] = (struct job_process){.pid = pid,
                                                    .rank = rank >= 0 ? rank : starter_rank(pid),
                                                    .world = find_world(job, pid),
                                                    .node = -1};
}

void
job_add_core(struct job *job, struct core *core)
{
    job->items = alloc_grow(job->items, job->count, &job->capacity, sizeof *job->items);
    job->items[job->count++] =
        (struct job_process){.core = core, .pid = core->pid, .rank = -1, .node = -1};
}

void
job_add_elsewhere(struct job *job, int node, pid_t pid, int rank)
{
    job->items = alloc_grow(job->items, job->count, &job->capacity, sizeof *job->items);
    job->items[job->count++] = (struct job_process){.pid = pid, .rank = rank, .node = node};
}

/** Whether a process has a file mapped that belongs to an MPI library. */
static bool
maps_mpi(pid_t pid)
{
    char path[32], line[4500];
    snprintf(path, sizeof path, "/proc/%d/maps", (int) pid);
    FILE *file = fopen(path, "re");
    bool found = false;
    while (file != NULL && !found && fgets(line, sizeof line, file) != NULL)
        found = strstr(line, "/libmpi") != NULL || strstr(line, "/mca_") != NULL;
    if (file != NULL)
        fclose(file);
    return found;
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
    int rank = starter_rank(pid);
    if (rank < 0)
        return;
    struct job_process *twin = find_twin(job, rank, find_world(job, pid));
    if (twin == NULL)
        job_add(job, pid, rank);
    else if (!maps_mpi(twin->pid) && maps_mpi(pid))
        twin->pid = pid;
}

char *
job_add_started(struct job *job, struct objfiles *files, pid_t starter)
{
    size_t before = job->count;
    if (!procfs_exists(starter))
        return alloc_format(
            "no process %d: give the id of the mpirun or mpiexec that started the job",
            (int) starter);
    job_add_proctable(job, files, starter);
    pid_t *below;
    size_t n_below = procfs_descendants(starter, &below);
    for (size_t i = 0; i < n_below; i++)
        job_add_candidate(job, below[i]);
    if (job->nodes.count == 0)
        hydra_find_nodes(job, below, n_below);
    free(below);
    if (job->count > before || job->nodes.count > 0 || job->nodes.refused > 0)
        return NULL;
    return alloc_format("process %d has started no MPI process: give the id of the "
                        "mpirun or mpiexec, or those of the ranks themselves",
                        (int) starter);
}

void
job_deinit(struct job *job)
{
    for (size_t i = 0; i < job->n_worlds; i++)
        free(job->worlds[i]);
    for (size_t i = 0; i < job->count; i++)
        core_destroy(job->items[i].core);
    free(job->worlds);
    nodes_deinit(&job->nodes);
    free(job->here);
    free(job->items);
    *job = (struct job){.items = NULL};
}
