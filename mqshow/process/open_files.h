// SPDX-License-Identifier: BSD-3-Clause
// The open files of processes, from /proc. Nothing here touches the files themselves: that could
// last for ever on a file system that does not answer.
#ifndef MQSHOW_PROCESS_OPEN_FILES_H
#define MQSHOW_PROCESS_OPEN_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct open_file {
    char *link;     // as the system names it: a path, "pipe:[4711]", "socket:[4711]"
    int access;     // O_RDONLY, O_WRONLY, O_RDWR; -1: not known
    int mount;      // number of the mount that it is on; -1: not known
    uint64_t inode; // 0: not known
};

/** Reads about one. @return false: it is not open, or may not be seen; nothing is to be freed */
bool open_file_read(struct open_file *file, pid_t pid, int number);

void open_file_deinit(struct open_file *file);

/** The numbers of the files that a process has open, to free(). @return how many; -1: not known */
ssize_t open_files_list(pid_t pid, int **ret);

/** The sockets that a process has open. */
struct socket_list {
    uint64_t *inodes; // to free()
    size_t count, capacity;
};

struct socket_list socket_list_read(pid_t pid);
bool socket_list_has(const struct socket_list *list, uint64_t inode);

/** A list of processes. */
struct pid_list {
    pid_t *items;
    size_t count, capacity;
};

enum { PID_LIST_MAX = 64 };

/** Adds one, if it is not there and the list is not full. */
void pid_list_add(struct pid_list *list, pid_t pid);

/** Adds the other processes that have an end of a pipe, FIFO or socket open; none when there are
 * too many files to be sure of all.
 * @param pid    which has `file` open
 * @param access of the end: O_RDONLY, O_WRONLY; -1: any
 */
void open_files_find(struct pid_list *list, pid_t pid, const struct open_file *file, int access);

#endif
