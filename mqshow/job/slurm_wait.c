// SPDX-License-Identifier: BSD-3-Clause
// Waiting for the end of a job or step of Slurm.
#include "mqshow/job/slurm_wait.h"

#include "mqshow/base/clock.h"
#include "mqshow/base/escape.h"
#include "mqshow/job/slurm.h"

#include <stdlib.h>

enum { PAUSE_MIN_US = 1000000, PAUSE_MAX_US = 30000000 };

/** Asks how it is doing. When there is no answer, what was known before holds. */
static void
ask_again(struct slurm_wait *wait)
{
    char *steps;
    enum slurm_progress progress = slurm_ask_progress(wait->id, &steps);
    wait->next_us = clock_us() + wait->pause_us;
    if (progress == SLURM_NO_ANSWER)
        return;
    bool job_runs = steps != NULL;
    wait->runs = progress == SLURM_RUNNING;
    // A step that has run does not come again, unless its job was put back into the queue.
    wait->has_ended = progress == SLURM_ENDED || (job_runs && wait->has_run && !wait->runs);
    wait->has_run = wait->runs || (wait->has_run && job_runs);
    wait->has_changed |= !text_equals(steps, wait->steps);
    free(wait->steps);
    wait->steps = steps;
}

bool
slurm_wait_has_ended(struct slurm_wait *wait)
{
    if (wait->pause_us < PAUSE_MIN_US)
        wait->pause_us = PAUSE_MIN_US;
    if (wait->pause_us > PAUSE_MAX_US)
        wait->pause_us = PAUSE_MAX_US;
    if (!wait->has_ended && clock_us() >= wait->next_us)
        ask_again(wait);
    return wait->has_ended;
}

void
slurm_wait_check(struct slurm_wait *wait)
{
    wait->has_changed = true;
    wait->next_us = 0;
}

void
slurm_wait_deinit(struct slurm_wait *wait)
{
    free(wait->id);
    free(wait->steps);
    *wait = (struct slurm_wait){.id = NULL};
}
