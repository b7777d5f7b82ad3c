// SPDX-License-Identifier: BSD-3-Clause
// Programs that run a command on other machines; none is part of this one.
#ifndef MQSHOW_REMOTE_LAUNCHER_H
#define MQSHOW_REMOTE_LAUNCHER_H

#include "mqshow/base/subprocess.h"
#include "mqshow/job/nodes.h"

/** How a launcher is called. */
struct launcher_kind {
    const char *name;  // NULL: any other command
    const char *words; // its own: %u seconds, %w names of machines, %n their number, %j Slurm's
                       // job, %g group, %f how many of them at a time
    bool many;         // one run serves many machines, and labels their lines
    bool is_srun;      // it labels lines by numbers, and runs within a job of Slurm
    int end_signal;    // the signal after which it ends what it has started, and then itself
};

struct launcher {
    char *name; // of the program, perhaps with arguments
    const struct launcher_kind *kind;
    char *slurm_job; // that srun is to run in; NULL: none
};

/** Chooses the launcher that was asked for, or else the first one that is there of srun
 * (within a job of Slurm), clush, pdsh, ssh.
 * @param wanted one of these names, or a command that takes a host and a command line for a shell
 *               there; NULL: nothing
 * @param slurm_job that has the machines, and that this user may start something in; NULL: none
 * @return NULL, or why there is none, to free()
 */
char *launcher_init(struct launcher *launcher, const char *wanted, const char *slurm_job);

void launcher_deinit(struct launcher *launcher);

/** The command line that runs `command` on machines.
 * @param names   separated by commas
 * @param seconds after which it should give up
 * @param group   of a heterogeneous job of Slurm that has these machines; NULL: it is none
 */
struct arguments
launcher_arguments(const struct launcher *launcher, const char *names, size_t count,
                   const struct arguments *command, int seconds, const char *group);

/** The words in the way in which a shell takes them as they are, for free(). */
char *launcher_quote(const struct arguments *command);

#endif
