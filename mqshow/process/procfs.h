// SPDX-License-Identifier: BSD-3-Clause
// What /proc says about processes.
#ifndef MQSHOW_PROCESS_PROCFS_H
#define MQSHOW_PROCESS_PROCFS_H

#include "mqshow/base/alloc.h"
#include "mqshow/process/system_call.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** The whole of a file, at most 64 MiB, with a NUL behind it, to free(); NULL: it cannot be opened.
 * @param ret_size bytes of it; may be NULL
 * @param format   of the file's path
 */
char *procfs_read(size_t *ret_size, const char *format, ...) PRINTF(2, 3);

/** What is behind `key` in the first line that begins with it, to free(); NULL: no line does.
 * @param text of a file, which is taken over; may be NULL
 */
char *procfs_line(char *text, const char *key);

/** The number there; -1: none. */
long procfs_number(char *text, const char *key);

/** Value of a variable in the environment that a process started with, to free(); NULL: none. */
char *procfs_environment(pid_t pid, const char *name);

/** Whether the numbers in /proc are those that this program must use: /proc may be of another PID
 * namespace.
 */
bool procfs_is_ours(void);

/** Whether the environment of a process can be read; it has none any more when it has ended. */
bool procfs_has_environment(pid_t pid);

/** The number that a variable has, which is taken over; -1: none. @param text may be NULL */
int procfs_take_number(char *text);

/** A number in the environment of a process; -1: none. */
int procfs_environment_number(pid_t pid, const char *name);

/** Whether a process is in the same namespace as this one. @param kind "net", "pid", ... */
bool procfs_shares(pid_t pid, const char *kind);

/** Whether a process is in another mount namespace: its files may have other names here, or none.
 */
bool procfs_has_other_mounts(pid_t pid);

/** The path by which this program finds a file of such a process, for free().
 * @param path as its map names it: from the root of the namespace, which its own root may be below
 */
char *procfs_other_path(pid_t pid, const char *path);

/** Whether a process exists. */
bool procfs_exists(pid_t pid);

/** Whether we may look into a process. @return 0 or an errno, ESRCH when there is no such process
 */
int procfs_check_access(pid_t pid);

/** The user of a process; -1: there is no such process, or it can act for several users. */
long procfs_user(pid_t pid);

/** Path of the program that a process runs, to free(); NULL: not known. @param pid 0: this one */
char *procfs_program(pid_t pid);

/** Parent of a process; 0: none. */
pid_t procfs_parent(pid_t pid);

/** The argument behind the argument `name` in the command line of a process, to free(); NULL: none.
 */
char *procfs_argument(pid_t pid, const char *name);

/** The arguments of a process, each ended by a NUL, to free(); NULL: none are known.
 * @param ret_size bytes of all of them
 */
char *procfs_arguments(pid_t pid, size_t *ret_size);

/** All processes below `root`, parents before their children.
 * @param ret set to an array to free()
 * @return their number
 */
size_t procfs_descendants(pid_t root, pid_t **ret);

/** The files of a folder that are named by numbers, such as the threads in /proc/PID/task.
 * @param ret set to an array to free()
 * @return their number; -1 with errno set when the folder cannot be read
 */
ssize_t procfs_numbers(const char *folder, pid_t **ret);

/** All processes, like procfs_descendants(). */
size_t procfs_all(pid_t **ret);

/** What /proc/PID/schedstat says of a thread. */
struct procfs_time {
    uint64_t ns;         // on a processor
    uint64_t starved_ns; // waiting for one
    uint64_t turns;      // that it was given one
};

/** @return false: not known */
bool procfs_thread_time(pid_t pid, pid_t tid, struct procfs_time *ret);

/** The call to the system that a thread is in.
 * @return false: it runs, is in none, or that is not known */
bool procfs_thread_call(pid_t pid, pid_t tid, struct made_call *ret);

/** Of the kernel's flags of a process (PF_FORKNOEXEC): it was forked and runs no program of its own
 * since. */
enum { PROCFS_FORKED = 0x40 };

/** What /proc/PID/stat says of a process or thread. */
struct procfs_stat {
    char letter; // its state
    pid_t parent;
    bool forked;     // as PROCFS_FORKED
    long threads;    // of the process
    long long start; // clock ticks from the start of the machine
    bool has_code;
    int code; // as of waitpid(): it ended or was stopped with that
};

/** Reads it. @param tid a thread; 0: the process @return false: there is none */
bool procfs_stat(pid_t pid, pid_t tid, struct procfs_stat *ret);

/** Whether a thread sleeps until something happens. */
bool procfs_thread_sleeps(pid_t pid, pid_t tid);

/** Name of a thread, to free(); NULL: none. */
char *procfs_thread_name(pid_t pid, pid_t tid);

#endif
