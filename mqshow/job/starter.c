// SPDX-License-Identifier: BSD-3-Clause
// What started a process, from its environment.
#include "mqshow/job/starter.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/process/memory.h"
#include "mqshow/process/procfs.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ANCESTORS_MAX = 16 };

/** Starters by the variable in which they give a process its rank; the more special ones first, as
 * a process may have several.
 */
static const struct starter {
    const char *rank, *size; // variables; NULL: none
    const char *name;
    const char *implementation; // the MPI library that it belongs to; NULL: any
    const char *of_torch;       // a variable that is there, too; NULL: its ranks are those of MPI
} starters[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "Open MPI's mpirun", "Open MPI", NULL},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MVAPICH's mpirun_rsh", "MVAPICH", NULL},
    {"PMI_RANK", "PMI_SIZE", "MPICH's mpiexec", "MPICH", NULL},
    {"PMI_ID", "PMI_SIZE", "MPICH's mpiexec", "MPICH", NULL},
    {"PMIX_RANK", NULL, "a starter with PMIx", NULL, NULL},
    {"RANK", "WORLD_SIZE", "torchrun", NULL, "MASTER_PORT"},
};

/** Variables that name an MPI_COMM_WORLD among those of one starter. */
static const char *const world_variables[] = {"PMIX_NAMESPACE", "OMPI_MCA_orte_ess_jobid",
                                              "PMI_JOBID"};

static bool
has_variable(const struct debuggee *process, const char *name)
{
    char *value = memory_environment(process, name);
    free(value);
    return value != NULL;
}

/** The starter whose variable a process has; NULL: none. @param ret_rank set when there is one */
static const struct starter *
find_starter(const struct debuggee *process, int *ret_rank)
{
    for (size_t i = 0; i < sizeof starters / sizeof *starters; i++) {
        int rank = procfs_take_number(memory_environment(process, starters[i].rank));
        if (rank < 0 ||
            (starters[i].of_torch != NULL && !has_variable(process, starters[i].of_torch)))
            continue;
        *ret_rank = rank;
        return &starters[i];
    }
    return NULL;
}

/** The file name of the program that a process runs, to free(); NULL: not known. */
static char *
program_name(pid_t pid)
{
    char *path = procfs_program(pid);
    char *name = path != NULL ? alloc_text(base_name(path)) : NULL;
    free(path);
    return name;
}

bool
starter_is_one(pid_t pid)
{
    // mpirun and mpiexec are links to some of them.
    static const char *const names[] = {
        "srun", "mpirun",     "mpiexec", "orterun", "mpiexec.hydra",   "prterun",
        "prun", "mpirun_rsh", "orted",   "prted",   "hydra_pmi_proxy", "mpispawn"};
    char *name = program_name(pid);
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        found |= text_equals(name, names[i]);
    free(name);
    return found;
}

bool
starter_is_srun(pid_t pid)
{
    char *name = program_name(pid);
    bool ret = text_equals(name, "srun");
    free(name);
    return ret;
}

int
starter_rank(const struct debuggee *process)
{
    int rank = -1;
    find_starter(process, &rank);
    return rank;
}

int
starter_size(pid_t pid)
{
    int rank;
    const struct starter *starter = find_starter(&(struct debuggee){.pid = pid}, &rank);
    const char *variable =
        starter != NULL && starter->size != NULL ? starter->size : "SLURM_NTASKS";
    return procfs_environment_number(pid, variable);
}

/** An argument of the proxy of hydra that is above a process, to free(); NULL: none. */
static char *
hydra_argument(pid_t pid, const char *name)
{
    char *value = NULL;
    for (int i = 0; i < ANCESTORS_MAX && pid > 1 && value == NULL; i++) {
        pid = procfs_parent(pid);
        value = procfs_argument(pid, name);
    }
    return value;
}

/** What MPI_Comm_spawn starts has a proxy of its own. */
static char *
hydra_group(pid_t pid)
{
    char *group = hydra_argument(pid, "--pgid");
    char *name = group != NULL ? alloc_format("process group %s", group) : NULL;
    free(group);
    return name;
}

/** Open MPI's number of a job as its own messages write it, to free(); NULL: it is none. */
static char *
openmpi_job(const char *number)
{
    enum { JOBS_MAX = 1 << 16 }; // of one mpirun
    char *end;
    errno = 0;
    unsigned long value = strtoul(number, &end, 10);
    if (errno != 0 || end == number || *end != '\0' || value < JOBS_MAX || value > UINT32_MAX)
        return NULL;
    return alloc_format("job [%lu,%lu]", value / JOBS_MAX, value % JOBS_MAX);
}

const char *
starter_ranks_of(const struct debuggee *process)
{
    int rank;
    const struct starter *starter = find_starter(process, &rank);
    return starter != NULL && starter->of_torch != NULL ? "torch.distributed" : NULL;
}

bool
starter_is_above(pid_t pid)
{
    return has_variable(&(struct debuggee){.pid = pid}, "TORCHELASTIC_RUN_ID");
}

static bool
is_torch(pid_t pid)
{
    return starter_ranks_of(&(struct debuggee){.pid = pid}) != NULL;
}

/** Where the ranks of torch.distributed meet, to free(). */
static char *
torch_world(pid_t pid)
{
    char *host = procfs_environment(pid, "MASTER_ADDR"),
         *port = procfs_environment(pid, "MASTER_PORT");
    char *ret = alloc_format("torch %s:%s", host != NULL ? host : "", port != NULL ? port : "");
    free(host);
    free(port);
    return ret;
}

char *
starter_world(pid_t pid)
{
    if (is_torch(pid))
        return torch_world(pid);
    char *name = NULL;
    for (size_t i = 0; name == NULL && i < sizeof world_variables / sizeof *world_variables; i++)
        name = procfs_environment(pid, world_variables[i]);
    char *job = name != NULL ? openmpi_job(name) : hydra_group(pid);
    if (job == NULL)
        return name != NULL ? name : alloc_text("");
    free(name);
    return job;
}

char *
starter_job(pid_t pid)
{
    // Open MPI's starter has an address; one that uses PMIx calls a world NAME@NUMBER.
    char *name = procfs_environment(pid, "OMPI_MCA_orte_hnp_uri");
    if (name != NULL)
        return name;
    name = procfs_environment(pid, "PMIX_NAMESPACE");
    if (name != NULL) {
        name[strcspn(name, "@")] = '\0';
        return name;
    }
    name = hydra_argument(pid, "--control-port");
    char *job = procfs_environment(pid, "SLURM_JOB_ID"),
         *step = procfs_environment(pid, "SLURM_STEP_ID");
    // One that its ranks know by this machine's own address is on no other.
    if (name == NULL && is_torch(pid)) {
        name = torch_world(pid);
        if (fnmatch("torch 127.*", name, 0) == 0 || fnmatch("torch localhost:*", name, 0) == 0) {
            free(name);
            name = NULL;
        }
    }
    // In a step of several components each has a number of its own, and the first one's beside.
    char *leader = procfs_environment(pid, "SLURM_HET_JOB_ID");
    if (name == NULL && job != NULL && step != NULL)
        name = alloc_format("Slurm %s.%s", leader != NULL ? leader : job, step);
    free(leader);
    free(job);
    free(step);
    return name;
}

/** The starter that belongs to an MPI library; NULL: not known. */
static const struct starter *
find_own(const char *implementation)
{
    for (size_t i = 0; i < sizeof starters / sizeof *starters; i++) {
        const char *own = starters[i].implementation;
        if (own != NULL && text_equals(implementation, own))
            return &starters[i];
    }
    return NULL;
}

/** What to do about it, to free(). */
static char *
advise(const struct starter *starter, const char *implementation)
{
    const struct starter *own = find_own(implementation);
    if (own == NULL || strcmp(own->name, starter->name) == 0)
        return alloc_format("its MPI library could not connect to %s", starter->name);
    return alloc_format("it uses %s, but was started by %s; use %s", implementation, starter->name,
                        own->name);
}

void
starter_report_missing(struct report *report)
{
    if (report->rank >= 0 && report->ranks_of == NULL && !report_has_something(report))
        report_problem(report, alloc_text("no supported MPI library is loaded (yet)"));
}

void
starter_report_contradiction(struct report *report)
{
    int rank;
    const struct debuggee process = {.pid = (pid_t) report->pid};
    const struct starter *starter = find_starter(&process, &rank);
    if (starter == NULL || starter->of_torch != NULL || starter->size == NULL ||
        report_world_size(report) != 1)
        return;
    int size = procfs_environment_number(report->pid, starter->size);
    if (size <= 1)
        return;
    char *advice = advise(starter, report->mpi.implementation);
    report_problem(report, alloc_format("alone in its MPI_COMM_WORLD, although started as rank %d "
                                        "of %d: %s",
                                        rank, size, advice));
    free(advice);
}
