// SPDX-License-Identifier: BSD-3-Clause
// Which processes make a job.
#include "tools/job.h"

#include "tools/alloc.h"
#include "tools/procfs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Variables that hold a rank: Open MPI's, hydra's, PMIx's. */
static const char *const rank_variables[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};

/** Variables that name the job within what one starter runs. */
static const char *const job_variables[] = {"PMIX_NAMESPACE", "OMPI_MCA_orte_ess_jobid",
                                            "PMI_JOBID"};

int
job_rank(pid_t pid)
{
    int rank = -1;
    for (size_t i = 0; rank < 0 && i < sizeof rank_variables / sizeof *rank_variables; i++)
        rank = procfs_environment_number(pid, rank_variables[i]);
    return rank;
}

/** Name of the job of a process, to free(); NULL: not known. */
static char *
job_name(pid_t pid)
{
    char *name = NULL;
    for (size_t i = 0; name == NULL && i < sizeof job_variables / sizeof *job_variables; i++)
        name = procfs_environment(pid, job_variables[i]);
    return name;
}

void
job_add(struct job *job, pid_t pid, int rank)
{
    for (size_t i = 0; i < job->count; i++)
        if (job->items[i].pid == pid)
            return;
    job->items = alloc_grow(job->items, job->count, &job->capacity, sizeof *job->items);
    job->items[job->count++] = (struct job_process){pid, rank >= 0 ? rank : job_rank(pid)};
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

static bool
same_name(const char *a, const char *b)
{
    return a != NULL && b != NULL ? strcmp(a, b) == 0 : a == b;
}

/** The process of the list that has this rank in the job of this name; NULL: none. */
static struct job_process *
find_twin(struct job *job, int rank, const char *name)
{
    for (size_t i = 0; i < job->count; i++) {
        char *other = job->items[i].rank == rank ? job_name(job->items[i].pid) : NULL;
        bool same = job->items[i].rank == rank && same_name(other, name);
        free(other);
        if (same)
            return &job->items[i];
    }
    return NULL;
}

/** Adds a process that carries a rank. A wrapper script and what it runs carry the same one: the
 * one that has loaded MPI is meant.
 */
static void
add_candidate(struct job *job, pid_t pid)
{
    int rank = job_rank(pid);
    if (rank < 0)
        return;
    char *name = job_name(pid);
    struct job_process *twin = find_twin(job, rank, name);
    if (twin == NULL)
        job_add(job, pid, rank);
    else if (!maps_mpi(twin->pid) && maps_mpi(pid))
        twin->pid = pid;
    free(name);
}

char *
job_add_started(struct job *job, struct objfiles *files, pid_t starter)
{
    size_t before = job->count;
    if (!procfs_exists(starter))
        return alloc_format("no process %d: give the id of the mpirun that started the job",
                            (int) starter);
    job_add_proctable(job, files, starter);
    pid_t *below;
    size_t n_below = procfs_descendants(starter, &below);
    for (size_t i = 0; i < n_below; i++)
        add_candidate(job, below[i]);
    free(below);
    if (job->count > before || job->elsewhere > 0)
        return NULL;
    return alloc_format("process %d has started no MPI process on this machine: give the id of the "
                        "mpirun, or those of the ranks themselves",
                        (int) starter);
}

void
job_deinit(struct job *job)
{
    free(job->items);
    *job = (struct job){.items = NULL};
}
