// SPDX-License-Identifier: BSD-3-Clause
// The mounts of a process, from /proc: none of them is touched, it may not answer.
#ifndef MQSHOW_PROCESS_MOUNTS_H
#define MQSHOW_PROCESS_MOUNTS_H

#include <stdbool.h>
#include <sys/types.h>

struct mount {
    char *point;  // where it is, as the process sees it
    char *type;   // of its file system: "nfs4", "fuse.sshfs"
    char *device; // "0:45"
};

/** Finds one by its number in the process' mount namespace. @return false: it is not known */
bool mount_find(struct mount *mount, pid_t pid, int number);

/** Finds the one that an absolute path is on, if no component of it is a symbolic link. */
bool mount_of_path(struct mount *mount, pid_t pid, const char *path);

void mount_deinit(struct mount *mount);

/** What a type is besides a file system of this machine: "network", "FUSE", "automounter"; NULL:
 * nothing that is known.
 */
const char *mount_sort(const char *type);

/** Whether it is on this machine, so that it always answers. */
bool mount_is_local(const char *type);

#endif
