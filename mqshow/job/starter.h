// SPDX-License-Identifier: BSD-3-Clause
// What started a process, from its environment.
#ifndef MQSHOW_JOB_STARTER_H
#define MQSHOW_JOB_STARTER_H

#include "mqshow/process/debuggee.h"
#include "mqshow/report/report.h"

#include <sys/types.h>

/** The rank that the starter gave to a process; -1: none. */
int starter_rank(const struct debuggee *process);

/** What has given it its rank: "torch.distributed"; NULL: MPI, or nothing. */
const char *starter_ranks_of(const struct debuggee *process);

/** How many ranks the starter of a process has started with it, on all machines; -1: not known. */
int starter_size(pid_t pid);

/** Whether a process is a starter, or what starts the ranks of one machine for it, by the name of
 * its program.
 */
bool starter_is_one(pid_t pid);

/** Whether what is right above a process is its starter, whatever that is called: torchrun may be a
 * module that Python runs. */
bool starter_is_above(pid_t pid);

/** Whether it is Slurm's. */
bool starter_is_srun(pid_t pid);

/** Name of the job, that is of one MPI_COMM_WORLD among those of one starter, to free(); "" when
 * there is but one, or it is not known.
 */
char *starter_world(pid_t pid);

/** What distinguishes the job of a rank from all others, on each of its machines, also where
 * several MPI_COMM_WORLDs are in it; to free(); NULL: not known.
 */
char *starter_job(pid_t pid);

/** Adds a problem, with what to do, when starter and MPI library have not found each other:
 * then every process is the only one of a job of its own.
 */
void starter_report_contradiction(struct report *report);

/** Adds a problem when a process was started as a rank of a job, and nothing is known of it. */
void starter_report_missing(struct report *report);

#endif
