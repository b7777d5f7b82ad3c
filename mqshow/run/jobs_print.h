// SPDX-License-Identifier: BSD-3-Clause
// "mqshow" alone: the jobs that run on this machine; those of --hosts.
#ifndef MQSHOW_RUN_JOBS_PRINT_H
#define MQSHOW_RUN_JOBS_PRINT_H

#include "mqshow/base/options.h"
#include "mqshow/job/jobs.h"

/** Finds and prints those of this program's user, for root of all users, or those of --job-user.
 * @return the exit code */
int jobs_print(const struct options *options, FILE *out);

/** Prints those of several machines.
 * @param machines whose nodes are those of the ranks, and why nothing is known of some of them;
 *                 this one is `here` */
void jobs_print_hosts(const struct options *options, FILE *out, const struct jobs *jobs,
                      const struct job *machines);

#endif
