// SPDX-License-Identifier: BSD-3-Clause
// Which ranks of a job have ended, where nothing lists them: those that its size has and no
// process.
#ifndef MQSHOW_JOB_ROLL_H
#define MQSHOW_JOB_ROLL_H

#include "mqshow/job/job.h"

/** The ranks of one MPI_COMM_WORLD. */
struct roll {
    int size;    // 0: not known
    bool *seen;  // of the ranks; roll_deinit()
    int started; // ranks below this one have been started
    int missing; // of these
};

/** How many ranks a process was started with, all on this machine; -1: not known. */
typedef int (*roll_size_ft)(pid_t pid);

/** @return false when the ranks of the job from `first` on are not of one world, whose size is
 * known
 */
bool roll_call(const struct job *job, size_t first, roll_size_ft size_of, struct roll *ret);
void roll_deinit(struct roll *roll);

/** Adds those that Open MPI's mpirun has started and that have ended. It lists its processes only
 * when all of them have got as far as MPI_Init; each has its rank in its environment.
 * @param below the processes below it
 */
void roll_add_ended(struct job *job, size_t first, const pid_t *below, size_t n_below);

#endif
