// SPDX-License-Identifier: BSD-3-Clause
// Which ranks of a job have ended, where nothing lists them.
#include "mqshow/job/roll.h"

#include "mqshow/base/alloc.h"
#include "mqshow/job/starter.h"
#include "mqshow/process/procfs.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/** Seconds since a process was started; 0: not known. */
static long long
age_of(pid_t pid)
{
    struct procfs_stat stat;
    struct timespec now;
    return procfs_stat(pid, 0, &stat) && clock_gettime(CLOCK_BOOTTIME, &now) == 0
               ? now.tv_sec - stat.start / sysconf(_SC_CLK_TCK)
               : 0;
}

bool
roll_call(const struct job *job, size_t first, roll_size_ft size_of, struct roll *ret)
{
    // All ranks are started in a row: none comes this long after the others.
    enum { ROLL_MAX = 1 << 20, PAUSE_S = 2 };
    bool old = true;
    *ret = (struct roll){.size = 0};
    for (size_t i = first; i < job->count; i++) {
        const struct job_process *process = &job->items[i];
        int size = size_of(process->pid);
        if (size <= 0 || size > ROLL_MAX || process->rank < 0 || process->rank >= size ||
            process->world != job->items[first].world || (ret->size != 0 && ret->size != size))
            return false;
        if (ret->seen == NULL)
            ret->seen = alloc_zeroed((size_t) size, sizeof *ret->seen);
        ret->size = size;
        ret->seen[process->rank] = true;
        ret->started = process->rank >= ret->started ? process->rank + 1 : ret->started;
        old &= age_of(process->pid) > PAUSE_S;
    }
    ret->started = old ? ret->size : ret->started;
    for (int rank = 0; rank < ret->started; rank++)
        ret->missing += !ret->seen[rank];
    return ret->size > 0;
}

void
roll_deinit(struct roll *roll)
{
    free(roll->seen);
}

static int
openmpi_size(pid_t pid)
{
    int size = procfs_environment_number(pid, "OMPI_COMM_WORLD_SIZE");
    return size == procfs_environment_number(pid, "OMPI_COMM_WORLD_LOCAL_SIZE") ? size : -1;
}

/** One without may be a rank that has lost its environment. */
static bool
have_all_ranks(const pid_t *pids, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (starter_rank(&(struct debuggee){.pid = pids[i]}) < 0)
            return false;
    return true;
}

void
roll_add_ended(struct job *job, size_t first, const pid_t *below, size_t n_below)
{
    struct roll roll;
    bool known = roll_call(job, first, openmpi_size, &roll) && have_all_ranks(below, n_below);
    for (int rank = 0; rank < roll.started && known; rank++)
        if (!roll.seen[rank])
            job_add_ended(job, 0, rank, job->items[first].world);
    roll_deinit(&roll);
}
