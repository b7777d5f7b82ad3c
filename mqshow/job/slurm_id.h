// SPDX-License-Identifier: BSD-3-Clause
// The ids of Slurm's jobs and steps as its commands write them: "1234", "1234.0", "1234.batch",
// "1234_5" (an array's task), "1234+1" (a component of a heterogeneous job), "1234.0+1".
#ifndef MQSHOW_JOB_SLURM_ID_H
#define MQSHOW_JOB_SLURM_ID_H

#include <stdbool.h>

struct slurm_id {
    char *job;  // "1234", "1234_5", "1234+1"
    char *step; // "0", "0+1", "batch"; NULL: all of them
};

/** @return whether the text is one; else `ret` is left alone */
bool slurm_id_read(const char *text, struct slurm_id *ret);

void slurm_id_deinit(struct slurm_id *id);

/** Whether a step, as Slurm writes it, is meant by `wanted`: "0" means "0+1" too; NULL: all. */
bool slurm_id_means_step(const char *wanted, const char *step);

#endif
