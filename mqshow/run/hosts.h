// SPDX-License-Identifier: BSD-3-Clause
// "mqshow --hosts LIST": the job that runs on these machines, or which ones do.
#ifndef MQSHOW_RUN_HOSTS_H
#define MQSHOW_RUN_HOSTS_H

#include "mqshow/job/jobs.h"
#include "mqshow/run/run.h"

#include <jansson.h>
#include <stdio.h>

struct hosts {
    const struct options *options;
    struct job
        machines;     // without processes: its nodes, and this one in `here` if it is of the list
    struct jobs jobs; // the nodes of whose ranks are those of `machines`
    json_t *seen;     // by nodes_identity()
};

/** Asks the machines of the list which jobs they have. One that fails is reported, and is counted
 * in machines.nodes.unreached. Ends the program with EXIT_USAGE when the list is invalid.
 */
void hosts_find(struct hosts *hosts, const struct options *options);

/** Adds what a machine has answered, unless it was named before by another name. */
void hosts_take(struct hosts *hosts, size_t node, const json_t *document);

/** Puts the jobs in order when all have answered. */
void hosts_settle(struct hosts *hosts);

/** The job that was asked for, or the only one of MPI, or the only one. NULL: there is none, or
 * there are several; if that is no answer, it was reported.
 */
struct job_outline *hosts_choose(const struct hosts *hosts);

/** Prepares a run over one of the jobs, which takes the processes and machines over.
 * @return as run_init()
 */
bool hosts_init_run(struct hosts *hosts, struct job_outline *job, struct run *run);

/** Prints which jobs there are. @return the exit code */
int hosts_print(const struct hosts *hosts, FILE *out);

void hosts_deinit(struct hosts *hosts);

#endif
