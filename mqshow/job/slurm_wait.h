// SPDX-License-Identifier: BSD-3-Clause
// Waiting for the end of a job or step of Slurm. Its controller, which has many to answer, is asked
// seldom.
#ifndef MQSHOW_JOB_SLURM_WAIT_H
#define MQSHOW_JOB_SLURM_WAIT_H

#include <stdbool.h>
#include <stdint.h>

struct slurm_wait {
    char *id;         // to be set, and is freed
    int64_t pause_us; // between questions, to be set; it is brought within limits
    bool runs;        // something of it does
    bool has_changed; // other steps of its job run than when this was false
    // Its own.
    bool has_run, has_ended;
    char *steps; // that run; NULL: not known, or none
    int64_t next_us;
};

/** Whether the job has ended, or the step. */
bool slurm_wait_has_ended(struct slurm_wait *wait);

/** Asks again the next time, because a process of the job has ended. */
void slurm_wait_check(struct slurm_wait *wait);

void slurm_wait_deinit(struct slurm_wait *wait);

#endif
