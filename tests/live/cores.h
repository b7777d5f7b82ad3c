// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * Making cores of the ranks of a job: FOLDER/core.PID of each.
 */
#ifndef MQS_TESTS_LIVE_CORES_H
#define MQS_TESTS_LIVE_CORES_H

#include "job.h"
#include "run.h"

/** By gdb; the job goes on. @return NULL, or what went wrong, on the heap */
char *cores_by_gdb(const struct job *job);

/** By the kernel, which ends the ranks, and so the job. @return likewise */
char *cores_by_kernel(const struct job *job);

/** Makes mqshow read these cores. The words are never released. */
void cores_add(struct command *command, const struct job *job);

#endif
