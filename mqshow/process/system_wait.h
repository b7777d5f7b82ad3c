// SPDX-License-Identifier: BSD-3-Clause
// What a thread waits for in the system, outside of MPI and OpenMP, from /proc: a file lock, a
// pipe.
#ifndef MQSHOW_PROCESS_SYSTEM_WAIT_H
#define MQSHOW_PROCESS_SYSTEM_WAIT_H

#include <stddef.h>
#include <sys/types.h>

struct debuggee;

struct system_wait {
    char *file;     // that the call is about, as the system names it; NULL: not known
    pid_t *holders; // processes of which one must act before the call ends
    size_t n_holders, capacity;
};

/** Finds out what the call to the system is about that a thread of a running process is in: its
 * file, and for a lock (flock, fcntl, lockf) who holds it, for a pipe who has its other end open.
 * A process that cannot be seen, of another user or PID namespace, is left out: then `holders` is
 * empty. system_wait_deinit() frees it.
 */
struct system_wait system_wait_read(const struct debuggee *process, pid_t tid);

void system_wait_deinit(struct system_wait *wait);

#endif
