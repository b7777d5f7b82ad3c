// SPDX-License-Identifier: BSD-3-Clause
// The machines of a job that MPICH's process manager, hydra, has started.
//
// Its mpiexec may be stripped: then no MPIR_proctable lists the processes. But it runs
// one launcher (ssh) for each machine, which names that and the proxy to start there, and to all
// proxies of a job it gives the same address to call it back.
#ifndef MQSHOW_JOB_HYDRA_H
#define MQSHOW_JOB_HYDRA_H

#include "mqshow/job/job.h"

/** Finds the machines among the processes below an mpiexec; sets job->nodes. */
void hydra_find_nodes(struct job *job, const pid_t *below, size_t count);

/** Adds the ranks of a job of one machine that have ended: those that the proxies have started and
 * that no longer have an environment with their rank, or no longer exist.
 * @param first the job's first process that this mpiexec has started
 */
void hydra_add_ended(struct job *job, size_t first, const pid_t *below, size_t count);

/** Adds the processes of this machine below the proxies with that address. */
void hydra_add_processes(struct job *job, const char *control);

/** Whether this is such an address: HOST:PORT. */
bool hydra_control_is_good(const char *control);

#endif
