// SPDX-License-Identifier: BSD-3-Clause
// What a thread waits for in the system, outside of MPI and OpenMP, from /proc: a file lock, a
// pipe, a socket, a file system, a driver. No file of the process is touched but on file systems of
// this machine: others may not answer.
#ifndef MQSHOW_PROCESS_SYSTEM_WAIT_H
#define MQSHOW_PROCESS_SYSTEM_WAIT_H

#include "mqshow/process/kernel_wait.h"
#include "mqshow/process/mounts.h"
#include "mqshow/process/open_files.h"

struct debuggee;

struct system_wait {
    const char *call;        // name of the system call; NULL: none of those that are known
    char *file;              // that it is about, as the system names it; NULL: not known
    char *endpoint;          // what a socket is; NULL: it is none, or that is not known
    bool times_out;          // whether the call ends after a time
    struct pid_list holders; // processes of which one must act before the call ends
    struct mount mount;      // that the file is on; point NULL: not known
    char *full; // a file open for writing of whose file system no space is left; NULL: not known
    const char *driver; // that the call waits for; NULL: none is known
    struct kernel_wait kernel;
};

/** Whether anything is known beyond that it is in a call. */
bool system_wait_is_known(const struct system_wait *wait);

/** Finds out what the call to the system is about that a thread of a running process is in: its
 * file, and for a lock (flock, fcntl, lockf) who holds it, for a pipe or socket who has its other
 * end open. A process that cannot be seen, of another user or PID namespace, is left out.
 * system_wait_deinit() frees it.
 */
struct system_wait system_wait_read(const struct debuggee *process, pid_t tid);

void system_wait_deinit(struct system_wait *wait);

#endif
