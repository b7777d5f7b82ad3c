// SPDX-License-Identifier: BSD-3-Clause
// Which processes make a job.
#ifndef MQSHOW_JOB_JOB_H
#define MQSHOW_JOB_JOB_H

#include "mqshow/job/nodes.h"

#include <stdint.h>
#include <sys/types.h>

struct core;
struct stub;

#define JOB_NO_WORLD SIZE_MAX

struct job_process {
    struct core *core;    // NULL: the process runs
    struct stub *stub;    // of the debugger that holds it; NULL: none
    pid_t pid;            // 0: it has gone, and its pid is not known
    int rank;             // in its MPI_COMM_WORLD, -1 when not known
    const char *ranks_of; // starter_ranks_of()
    size_t world;         // number of its MPI_COMM_WORLD: MPI_Comm_spawn makes further ones
                          // JOB_NO_WORLD: not known
    int node;             // number of its machine among the others; -1: this one
    bool is_foreign;      // of another user than its job: it is not touched
};

struct job {
    char **worlds; // their names as the starter gives them, "" when it does not
    size_t n_worlds, worlds_capacity;
    struct job_process *items;
    size_t count;
    size_t capacity;
    struct nodes nodes; // the other machines
    char *here;         // what the starter calls this one; NULL: not known
    char *unlisted;     // why ranks on other machines are not known; NULL: they are
};

/** Adds one process, once; its rank from its environment when `rank` is -1. */
void job_add(struct job *job, pid_t pid, int rank);

/** Adds one process of a world that has ended; its environment is not there any more. */
void job_add_ended(struct job *job, pid_t pid, int rank, size_t world);

/** Lets the process that was added last be in the world of that name, unless its own is known. */
void job_name_last(struct job *job, const char *world);

/** Name of the MPI_COMM_WORLD of a process, when there are several; NULL: there is one, or it is
 * not known.
 */
const char *job_world(const struct job *job, size_t i);

/** Adds the process of a core, taking it over. */
void job_add_core(struct job *job, struct core *core);

/** Adds the process that a debugger holds, taking the stub over. */
void job_add_stub(struct job *job, struct stub *stub);

/** Whether a process is one that runs on this machine, as /proc shows it. */
bool job_is_live(const struct job_process *process);

/** Whether any process of a job is. */
bool job_has_live(const struct job *job);

/** Path of its program, to free(); NULL: not known. */
char *job_program(const struct job_process *process);

/** Whether a line of the map of a process, which ends with a path if it is of a file, is wanted. */
bool job_maps(pid_t pid, bool (*is_wanted)(const char *line));
/** Whether a process has loaded an MPI library or an OpenMP runtime. */
bool job_maps_runtime(pid_t pid);

/** Adds one process of another machine. @param world its name; NULL: the first one */
void job_add_elsewhere(struct job *job, int node, pid_t pid, int rank, const char *world);

/** Adds a process of this machine if it carries a rank. A wrapper script and what it runs carry the
 * same one: the one that has loaded MPI is meant.
 */
void job_add_candidate(struct job *job, pid_t pid);

/** Adds the processes that an mpirun started on this machine: those of its MPIR_proctable, and
 * below it in the tree of processes those of other jobs (MPI_Comm_spawn) or, without a table, all
 * that carry a rank in their environment. The table names those on other machines too; what
 * MPICH's mpiexec runs on others is not known yet, only the machines are, in job->nodes.
 * @return NULL, or why there are none, to free()
 */
char *job_add_started(struct job *job, pid_t starter);

/** Adds what MPIR_proctable of a starter lists. A process of this machine that no longer exists is
 * added as one that has gone, also when another process has its number by now.
 * @param below the processes below the starter
 * @return false when it has none that is filled in
 */
bool job_add_proctable(struct job *job, pid_t starter, const pid_t *below, size_t n_below);

/** Adds what a starter without MPIR_proctable lists by PMIx.
 * @return NULL, or why that is nothing, to free()
 */
char *job_add_pmix(struct job *job, pid_t starter, const pid_t *below, size_t n_below);

/** Marks those from `first` on of this machine that are not of this user: whoever owns the starter
 * can make it list any process.
 */
void job_mark_foreign(struct job *job, size_t first, long user);

/** Lets those whose MPI_COMM_WORLD is not known be in the one of the others, if there is but one.
 */
void job_settle_worlds(struct job *job);

/** Frees the list. */
void job_deinit(struct job *job);

#endif
