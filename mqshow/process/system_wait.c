// SPDX-License-Identifier: BSD-3-Clause
// What a thread waits for in the system, from /proc.
#include "mqshow/process/system_wait.h"

#include "mqshow/base/alloc.h"
#include "mqshow/process/bytes.h"
#include "mqshow/process/debuggee.h"
#include "mqshow/process/procfs.h"
#include "mqshow/process/sockets.h"
#include "mqshow/process/system_call.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

enum { RETURN_TRIES = 4, RETURN_NS = 500000 };

/** The call that a thread waits in. @return NULL: it runs, or waits in none that is known */
static const struct call_kind *
find_call(pid_t pid, pid_t tid, struct made_call *ret)
{
    bool is_in_call = procfs_thread_call(pid, tid, ret);
    // One that was stopped goes back into its call.
    for (int i = 0; i < RETURN_TRIES && !is_in_call; i++) {
        nanosleep(&(struct timespec){.tv_nsec = RETURN_NS}, NULL);
        is_in_call = procfs_thread_call(pid, tid, ret);
    }
    return is_in_call ? call_kind_of(ret) : NULL;
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
 * @param file number of the file; 0: of any file
 * @return of how many files they are
 */
static size_t
take_lock_holders(struct system_wait *wait, pid_t pid, uint64_t file)
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
            held.pid == pid || (file != 0 && line.file != file))
            continue;
        n_files += n_files == 0 || line.file != last;
        last = line.file;
        pid_list_add(&wait->holders, (pid_t) held.pid);
    }
    free(text);
    return n_files;
}

/** Takes the holder of the lock that a thread waits for. Threads of one process may wait for
 * several files, which their numbers tell apart, but not on each file system.
 */
static void
find_lock_holder(struct system_wait *wait, pid_t pid, const struct open_file *file)
{
    if (take_lock_holders(wait, pid, 0) < 2)
        return;
    wait->holders.count = 0;
    if (file->inode != 0)
        take_lock_holders(wait, pid, file->inode);
}

/** What is at the other end of a pipe or socket. @param access with which it must be open */
static void
find_other_end(struct system_wait *wait, pid_t pid, const struct open_file *file, int access)
{
    struct endpoint endpoint;
    unsigned long long inode;
    if (sscanf(file->link, "socket:[%llu]", &inode) == 1) {
        if (!endpoint_find(&endpoint, pid, inode))
            return;
        wait->endpoint = endpoint.text;
        struct open_file other = {alloc_format("socket:[%" PRIu64 "]", endpoint.other), -1, -1, 0};
        if (endpoint.other != 0)
            open_files_find(&wait->holders, pid, &other, -1);
        free(other.link);
    } else if (access >= 0 && (strncmp(file->link, "pipe:", 5) == 0 || *file->link == '/')) {
        open_files_find(&wait->holders, pid, file, access);
    }
}

/** Whether the file is a FIFO; not known of those whose file system may not answer. */
static bool
is_fifo(const struct system_wait *wait, pid_t pid, int number)
{
    char path[48];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int) pid, number);
    return wait->mount.type && mount_is_local(wait->mount.type) && stat(path, &status) == 0 &&
           S_ISFIFO(status.st_mode);
}

/** Whether no space is left for the process in the file system of one of its files. */
static bool
is_full(pid_t pid, int number, const struct mount *mount)
{
    char path[48];
    struct statvfs status;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int) pid, number);
    if (!mount->type || !mount_is_local(mount->type) || statvfs(path, &status) != 0 ||
        status.f_blocks == 0)
        return false;
    return (procfs_user(pid) == 0 ? status.f_bfree : status.f_bavail) == 0;
}

static void
take_file(struct system_wait *wait, pid_t pid, int number, enum call_about about)
{
    struct open_file file;
    if (!open_file_read(&file, pid, number))
        return;
    wait->file = alloc_text(file.link);
    mount_find(&wait->mount, pid, file.mount);
    if (about == ABOUT_LOCK)
        find_lock_holder(wait, pid, &file);
    else if (*file.link != '/' || is_fifo(wait, pid, number))
        find_other_end(wait, pid, &file,
                       about == ABOUT_READ    ? O_WRONLY
                       : about == ABOUT_WRITE ? O_RDONLY
                                              : -1);
    if (about == ABOUT_CONTROL)
        wait->driver = driver_of_file(file.link);
    open_file_deinit(&file);
}

/** The one file that poll() waits for; of several nothing is known. */
static void
take_polled(struct system_wait *wait, pid_t pid, const struct made_call *call)
{
    struct pollfd one;
    if (call->arguments[1] != 1 || !bytes_read_process(pid, call->arguments[0], sizeof one, &one) ||
        one.fd < 0)
        return;
    take_file(wait, pid, one.fd,
              (one.events & POLLOUT) == 0  ? ABOUT_READ
              : (one.events & POLLIN) == 0 ? ABOUT_WRITE
                                           : ABOUT_FILE);
}

/** Likewise of epoll_wait(): "tfd:       12 events:       19 data: ..." */
static void
take_epolled(struct system_wait *wait, pid_t pid, int number)
{
    char *text = procfs_read(NULL, "/proc/%d/fdinfo/%d", (int) pid, number), *rest = NULL;
    int count = 0, fd = -1;
    unsigned events = 0;
    for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest))
        count += sscanf(line, "tfd: %d events: %x", &fd, &events) == 2;
    free(text);
    if (count == 1)
        take_file(wait, pid, fd, (events & POLLOUT) == 0 ? ABOUT_READ : ABOUT_FILE);
}

/** The path of a folder that a process has open or is in, to free(); NULL: not known. */
static char *
folder_of(pid_t pid, int number)
{
    char path[48], name[PATH_MAX];
    snprintf(path, sizeof path, number == AT_FDCWD ? "/proc/%d/cwd" : "/proc/%d/fd/%d", (int) pid,
             number);
    ssize_t length = readlink(path, name, sizeof name - 1);
    name[length > 0 ? length : 0] = '\0';
    return length > 0 ? alloc_text(name) : NULL;
}

/** A text of a process, to free(); NULL: it cannot be read. */
static char *
read_text(pid_t pid, uint64_t address)
{
    char text[PATH_MAX];
    for (size_t i = 0; i < sizeof text; i++) {
        if (!bytes_read_process(pid, address + i, 1, &text[i]))
            return NULL;
        if (text[i] == '\0')
            return alloc_text(text);
    }
    return NULL;
}

/** The file of a path. What is not known to be of another sort than a file system of this machine
 * is left out: a symbolic link may lead elsewhere.
 */
static void
take_path(struct system_wait *wait, pid_t pid, int folder, uint64_t address)
{
    char *path = read_text(pid, address);
    char *start = path && *path != '/' ? folder_of(pid, folder) : NULL;
    if (!path || (*path != '/' && !start)) {
        free(path);
        return;
    }
    wait->file = start ? alloc_format("%s%s%s", start, *path ? "/" : "", path) : alloc_text(path);
    if (mount_of_path(&wait->mount, pid, wait->file) && !mount_sort(wait->mount.type))
        mount_deinit(&wait->mount);
    free(start);
    free(path);
}

/** Who holds a mutex in memory that processes share, as the C library keeps it. */
static void
take_mutex(struct system_wait *wait, pid_t pid, uint64_t word)
{
    enum { SHARED_KIND = 128 };
    struct {
        int32_t lock, count, owner, users, kind;
    } mutex;
    if (word == 0 || !procfs_shares(pid, "pid") ||
        !bytes_read_process(pid, word, sizeof mutex, &mutex) || mutex.lock == 0 ||
        mutex.owner <= 0 || (mutex.kind & SHARED_KIND) == 0)
        return;
    long holder = procfs_number(procfs_read(NULL, "/proc/%d/status", mutex.owner), "Tgid:");
    if (holder <= 0 || holder == pid)
        return;
    wait->endpoint = alloc_text("mutex in shared memory");
    pid_list_add(&wait->holders, (pid_t) holder);
}

static void
take_call(struct system_wait *wait, pid_t pid, const struct call_kind *kind,
          const struct made_call *made)
{
    uint64_t first = made->arguments[0];
    int file = first <= INT_MAX ? (int) first : -1;
    wait->call = kind->name;
    wait->times_out = call_times_out(kind, made);
    switch (kind->about) {
    case ABOUT_POLL:
        take_polled(wait, pid, made);
        break;
    case ABOUT_EPOLL:
        if (file >= 0)
            take_epolled(wait, pid, file);
        break;
    case ABOUT_WORD:
        take_mutex(wait, pid, call_open_word(kind, made));
        break;
    case ABOUT_PATH:
        take_path(wait, pid, AT_FDCWD, first);
        break;
    case ABOUT_PATH_AT:
        take_path(wait, pid, (int) first, made->arguments[1]);
        break;
    case ABOUT_FILES:
    case ABOUT_TIME:
    case ABOUT_SIGNAL:
    case ABOUT_CHILD:
    case ABOUT_OTHERS:
        break;
    default:
        if (file >= 0)
            take_file(wait, pid, file, kind->about);
    }
}

/** Searches what a process has open for writing for a file system without space: who finds none may
 * try again and again.
 */
static void
find_full(struct system_wait *wait, pid_t pid)
{
    enum { FILES_MAX = 1024 };
    int *numbers;
    ssize_t count = open_files_list(pid, &numbers);
    for (ssize_t i = 0; i < count && i < FILES_MAX && !wait->full; i++) {
        struct open_file file;
        struct mount mount;
        if (!open_file_read(&file, pid, numbers[i]))
            continue;
        if (*file.link == '/' && (file.access == O_WRONLY || file.access == O_RDWR)) {
            mount_find(&mount, pid, file.mount);
            if (is_full(pid, numbers[i], &mount))
                wait->full = alloc_text(file.link);
            mount_deinit(&mount);
        }
        open_file_deinit(&file);
    }
    free(numbers);
}

struct system_wait
system_wait_read(const struct debuggee *process, pid_t tid)
{
    struct system_wait wait = {.file = NULL};
    struct made_call made;
    // A process of another sort has other numbers of calls, and no /proc where it is not here.
    if (process->core || process->stub || process->pointer_size != (int) sizeof(void *))
        return wait;
    const struct call_kind *kind = find_call(process->pid, tid, &made);
    if (!kind)
        return wait;
    wait.kernel = kernel_wait_read(process->pid, tid);
    take_call(&wait, process->pid, kind, &made);
    if (!wait.driver && wait.kernel.module)
        wait.driver = driver_of_module(wait.kernel.module);
    if (kind->about == ABOUT_TIME || kind->about == ABOUT_WRITE || kind->about == ABOUT_FILE)
        find_full(&wait, process->pid);
    return wait;
}

bool
system_wait_is_known(const struct system_wait *wait)
{
    return wait->file || wait->endpoint || wait->full || wait->driver ||
           wait->kernel.uninterruptible;
}

void
system_wait_deinit(struct system_wait *wait)
{
    free(wait->file);
    free(wait->endpoint);
    free(wait->holders.items);
    free(wait->full);
    mount_deinit(&wait->mount);
    kernel_wait_deinit(&wait->kernel);
    *wait = (struct system_wait){.file = NULL};
}
