// SPDX-License-Identifier: BSD-3-Clause
// What a thread waits for in the system, from /proc.
#include "mqshow/process/system_wait.h"

#include "mqshow/base/alloc.h"
#include "mqshow/process/debuggee.h"
#include "mqshow/process/procfs.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    LINKS_MAX = 1 << 18, // files of processes that are looked at for the other end of a pipe
    HOLDERS_MAX = 64
};

enum about { ABOUT_FILE, ABOUT_LOCK, ABOUT_READ, ABOUT_WRITE };

/** Calls whose first argument is the number of an open file. */
static const struct call {
    long number;
    enum about about;
} calls[] = {
    {SYS_flock, ABOUT_LOCK},     {SYS_fcntl, ABOUT_LOCK},      {SYS_read, ABOUT_READ},
    {SYS_readv, ABOUT_READ},     {SYS_pread64, ABOUT_READ},    {SYS_write, ABOUT_WRITE},
    {SYS_writev, ABOUT_WRITE},   {SYS_pwrite64, ABOUT_WRITE},  {SYS_fsync, ABOUT_FILE},
    {SYS_fdatasync, ABOUT_FILE}, {SYS_recvfrom, ABOUT_FILE},   {SYS_recvmsg, ABOUT_FILE},
    {SYS_sendto, ABOUT_FILE},    {SYS_sendmsg, ABOUT_FILE},    {SYS_accept4, ABOUT_FILE},
    {SYS_connect, ABOUT_FILE},   {SYS_ioctl, ABOUT_FILE},      {SYS_ftruncate, ABOUT_FILE},
    {SYS_fallocate, ABOUT_FILE}, {SYS_getdents64, ABOUT_FILE},
#ifdef SYS_accept // s390x has only the other one
    {SYS_accept, ABOUT_FILE},
#endif
};

/** The call that a thread waits in. @return NULL: it runs, or waits in no call of the table */
static const struct call *
find_call(pid_t pid, pid_t tid, uint64_t *ret_file)
{
    char *text = procfs_read(NULL, "/proc/%d/task/%d/syscall", (int) pid, (int) tid);
    long number;
    uint64_t command;
    const struct call *found = NULL;
    if (text && sscanf(text, "%ld %" SCNx64 " %" SCNx64, &number, ret_file, &command) == 3)
        for (size_t i = 0; i < sizeof calls / sizeof *calls && !found; i++)
            if (calls[i].number == number)
                found = &calls[i];
    // Of fcntl only what waits: F_SETLKW and F_OFD_SETLKW.
    if (found && found->number == SYS_fcntl && command != F_SETLKW && command != 38)
        found = NULL;
    free(text);
    return found;
}

static void
add_holder(struct system_wait *wait, pid_t pid)
{
    for (size_t i = 0; i < wait->n_holders; i++)
        if (wait->holders[i] == pid)
            return;
    if (wait->n_holders < HOLDERS_MAX)
        *ALLOC_ADD(wait->holders, wait->n_holders, wait->capacity) = pid;
}

/** A line of /proc/locks: number, "->" of one that waits, kind, mode, access, pid, device and file,
 * range. Those that wait for a lock follow it and have its number.
 */
struct lock_line {
    long number, pid; // 0: a process of another PID namespace; -1: whoever shares an open file
    unsigned long file;
    bool waits;
};

static bool
read_lock_line(const char *line, struct lock_line *ret)
{
    ret->waits = strstr(line, "->") != NULL;
    return sscanf(line,
                  ret->waits ? "%ld: -> %*s %*s %*s %ld %*x:%*x:%lu"
                             : "%ld: %*s %*s %*s %ld %*x:%*x:%lu",
                  &ret->number, &ret->pid, &ret->file) == 3;
}

/** Takes the holders of the locks that a process waits for.
 * @param file NULL: of any file
 * @return of how many files they are
 */
static size_t
take_lock_holders(struct system_wait *wait, pid_t pid, const struct stat *file)
{
    char *text = procfs_read(NULL, "/proc/locks"), *rest = NULL;
    struct lock_line held = {.number = -1}, line;
    unsigned long last = 0;
    size_t n_files = 0;
    for (char *next = text ? strtok_r(text, "\n", &rest) : NULL; next;
         next = strtok_r(NULL, "\n", &rest)) {
        if (!read_lock_line(next, &line))
            continue;
        if (!line.waits)
            held = line;
        if (!line.waits || line.pid != pid || line.number != held.number || held.pid <= 0 ||
            held.pid == pid || (file && line.file != file->st_ino))
            continue;
        n_files += n_files == 0 || line.file != last;
        last = line.file;
        add_holder(wait, (pid_t) held.pid);
    }
    free(text);
    return n_files;
}

/** Takes the holder of the lock that a thread waits for. Threads of one process may wait for
 * several files, which their numbers tell apart, but not on each file system.
 */
static void
find_lock_holder(struct system_wait *wait, pid_t pid, const char *path)
{
    struct stat file;
    if (take_lock_holders(wait, pid, NULL) < 2)
        return;
    wait->n_holders = 0;
    if (stat(path, &file) == 0)
        take_lock_holders(wait, pid, &file);
}

/** Whether a process has an end of a pipe open. @param end S_IRUSR, S_IWUSR */
static bool
has_end(pid_t pid, const struct stat *pipe, mode_t end, size_t *budget)
{
    char *folder = alloc_format("/proc/%d/fd", (int) pid);
    pid_t *numbers;
    ssize_t count = procfs_numbers(folder, &numbers);
    bool found = false;
    for (ssize_t i = -1; i < count && !found && *budget > 0; i++, --*budget) {
        char *path = alloc_format("%s/%d", folder, i < 0 ? 0 : (int) numbers[i]);
        struct stat of, link;
        found = stat(path, &of) == 0 && of.st_dev == pipe->st_dev && of.st_ino == pipe->st_ino &&
                lstat(path, &link) == 0 && (link.st_mode & end) != 0;
        free(path);
    }
    if (count >= 0)
        free(numbers);
    free(folder);
    return found;
}

/** Takes the processes of the same user that have the other end of a pipe open. */
static void
find_pipe_holders(struct system_wait *wait, pid_t pid, const char *path, mode_t end)
{
    struct stat pipe;
    size_t budget = LINKS_MAX, count;
    pid_t *all;
    if (stat(path, &pipe) != 0 || !S_ISFIFO(pipe.st_mode))
        return;
    long user = procfs_user(pid);
    count = procfs_all(&all);
    for (size_t i = 0; i < count && budget > 0; i++)
        if (all[i] != pid && procfs_user(all[i]) == user && has_end(all[i], &pipe, end, &budget))
            add_holder(wait, all[i]);
    if (budget == 0) // there may be others
        wait->n_holders = 0;
    free(all);
}

struct system_wait
system_wait_read(const struct debuggee *process, pid_t tid)
{
    struct system_wait wait = {.file = NULL};
    uint64_t file;
    // A process of another sort has other numbers of calls, and no /proc where it is not here.
    if (process->core || process->stub || process->pointer_size != (int) sizeof(void *))
        return wait;
    const struct call *call = find_call(process->pid, tid, &file);
    if (!call || file > INT_MAX)
        return wait;
    char *path = alloc_format("/proc/%d/fd/%" PRIu64, (int) process->pid, file);
    char name[PATH_MAX];
    ssize_t length = readlink(path, name, sizeof name - 1);
    if (length > 0) {
        name[length] = '\0';
        wait.file = alloc_text(name);
    }
    if (call->about == ABOUT_LOCK)
        find_lock_holder(&wait, process->pid, path);
    else if (call->about != ABOUT_FILE)
        find_pipe_holders(&wait, process->pid, path, call->about == ABOUT_READ ? S_IWUSR : S_IRUSR);
    free(path);
    return wait;
}

void
system_wait_deinit(struct system_wait *wait)
{
    free(wait->file);
    free(wait->holders);
    *wait = (struct system_wait){.file = NULL};
}
