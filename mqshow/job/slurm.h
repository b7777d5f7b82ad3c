// SPDX-License-Identifier: BSD-3-Clause
// The processes of a job or step of Slurm, by the commands of Slurm.
//
// What these print is bounded, and names from it are used only when nodes_name_is_good().
#ifndef MQSHOW_JOB_SLURM_H
#define MQSHOW_JOB_SLURM_H

#include "mqshow/job/job.h"

/** Adds the processes of a running job or step: those of this machine, and the other machines to
 * job->nodes, whose processes are not known yet.
 * @param id       "1234", "1234.0", ...
 * @param ret_user set to the job's user
 * @return NULL, or why there are none, with what to do, to free()
 */
char *slurm_add_job(struct job *job, const char *id, long *ret_user);

/** Whether a job or step can be waited for: one job of this user or root's that Slurm knows.
 * @return NULL, or why not, with what to do, to free()
 */
char *slurm_check(const char *id);

enum slurm_progress {
    SLURM_NO_ANSWER,
    SLURM_NOT_RUNNING, // the job waits or is suspended, or the step does not run
    SLURM_RUNNING,
    SLURM_ENDED, // the job has
};

/** How a job or step is doing.
 * @param ret_steps set, when something of the job runs, to which of its steps do, to free(): other
 *                  ones are another text
 */
enum slurm_progress slurm_ask_progress(const char *id, char **ret_steps);

/** Whether Slurm knows a job of that number. @param ended whether one counts that has ended */
bool slurm_knows(pid_t number, bool ended);

/** Lets the job know in which one of Slurm's jobs a starter runs, or which one it has made, so that
 * srun reaches the machines; nothing else when it is none.
 */
void slurm_find_starter(struct job *job, pid_t starter);

/** Adds the processes of a step, or of all steps of a job, that run on this machine.
 * @param id whose job is the one that `scontrol listpids` takes here
 * @return NULL, or why there are none, to free()
 */
char *slurm_add_pids(struct job *job, const char *id);

#endif
