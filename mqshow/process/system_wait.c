// SPDX-License-Identifier: BSD-3-Clause
// What a thread waits for in the system, from /proc.
#include "mqshow/process/system_wait.h"

#include "mqshow/base/alloc.h"
#include "mqshow/process/bytes.h"
#include "mqshow/process/debuggee.h"
#include "mqshow/process/procfs.h"
#include "mqshow/process/sockets.h"

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
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/** What a call is about: the file of its first argument, or what is behind that. */
enum about {
    ABOUT_FILE,
    ABOUT_LOCK,
    ABOUT_READ,
    ABOUT_WRITE,
    ABOUT_CONTROL, // a device
    ABOUT_POLL,    // files in an array
    ABOUT_EPOLL,   // files in a file
    ABOUT_PATH,    // a path
    ABOUT_PATH_AT, // a path from a folder
    ABOUT_MUTEX,
    ABOUT_TIME
};

static const struct call {
    long number;
    enum about about;
    const char *name;
} calls[] = {
#define CALL(name, about)        \
    {                            \
        SYS_##name, about, #name \
    }
    CALL(flock, ABOUT_LOCK),
    CALL(fcntl, ABOUT_LOCK),
    CALL(read, ABOUT_READ),
    CALL(readv, ABOUT_READ),
    CALL(pread64, ABOUT_READ),
    CALL(preadv, ABOUT_READ),
    CALL(write, ABOUT_WRITE),
    CALL(writev, ABOUT_WRITE),
    CALL(pwrite64, ABOUT_WRITE),
    CALL(pwritev, ABOUT_WRITE),
    CALL(recvfrom, ABOUT_READ),
    CALL(recvmsg, ABOUT_READ),
    CALL(sendto, ABOUT_WRITE),
    CALL(sendmsg, ABOUT_WRITE),
    CALL(fsync, ABOUT_FILE),
    CALL(fdatasync, ABOUT_FILE),
    CALL(accept4, ABOUT_FILE),
    CALL(connect, ABOUT_FILE),
    CALL(ftruncate, ABOUT_FILE),
    CALL(fallocate, ABOUT_FILE),
    CALL(getdents64, ABOUT_FILE),
    CALL(fstat, ABOUT_FILE),
    CALL(close, ABOUT_FILE),
    CALL(ioctl, ABOUT_CONTROL),
    CALL(ppoll, ABOUT_POLL),
    CALL(epoll_pwait, ABOUT_EPOLL),
    CALL(openat, ABOUT_PATH_AT),
    CALL(newfstatat, ABOUT_PATH_AT),
    CALL(statx, ABOUT_PATH_AT),
    CALL(faccessat, ABOUT_PATH_AT),
    CALL(unlinkat, ABOUT_PATH_AT),
    CALL(mkdirat, ABOUT_PATH_AT),
    CALL(statfs, ABOUT_PATH),
    CALL(futex, ABOUT_MUTEX),
    CALL(nanosleep, ABOUT_TIME),
    CALL(clock_nanosleep, ABOUT_TIME),
// Newer machines have only the others.
#ifdef SYS_accept
    CALL(accept, ABOUT_FILE),
#endif
#ifdef SYS_poll
    CALL(poll, ABOUT_POLL),
#endif
#ifdef SYS_epoll_wait
    CALL(epoll_wait, ABOUT_EPOLL),
#endif
#ifdef SYS_open
    CALL(open, ABOUT_PATH),
    CALL(stat, ABOUT_PATH),
    CALL(lstat, ABOUT_PATH),
    CALL(access, ABOUT_PATH),
    CALL(unlink, ABOUT_PATH),
    CALL(mkdir, ABOUT_PATH),
    CALL(rename, ABOUT_PATH),
#endif
#ifdef SYS_restart_syscall
    // A call with a time limit that a signal or a debugger has interrupted, with its arguments.
    {SYS_restart_syscall, ABOUT_POLL, NULL},
#endif
#undef CALL
};

enum { RETURN_TRIES = 4, RETURN_NS = 500000 };
enum { F_OFD_WAIT = 38 /* F_OFD_SETLKW */, F_LOCK_WAIT = F_SETLKW };

/** The call that a thread waits in. @return NULL: it runs, or waits in no call of the table */
static const struct call *
find_call(pid_t pid, pid_t tid, struct procfs_call *ret)
{
    const struct call *found = NULL;
    bool is_in_call = procfs_thread_call(pid, tid, ret);
    // One that was stopped goes back into its call.
    for (int i = 0; i < RETURN_TRIES && !is_in_call; i++) {
        nanosleep(&(struct timespec){.tv_nsec = RETURN_NS}, NULL);
        is_in_call = procfs_thread_call(pid, tid, ret);
    }
    if (is_in_call)
        for (size_t i = 0; i < sizeof calls / sizeof *calls && !found; i++)
            if (calls[i].number == ret->number)
                found = &calls[i];
    // Of fcntl only what waits.
    if (found && found->number == SYS_fcntl && ret->arguments[1] != F_LOCK_WAIT &&
        ret->arguments[1] != F_OFD_WAIT)
        found = NULL;
    return found;
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
take_file(struct system_wait *wait, pid_t pid, int number, enum about about)
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
take_polled(struct system_wait *wait, pid_t pid, const struct procfs_call *call)
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
take_mutex(struct system_wait *wait, pid_t pid, const struct procfs_call *call)
{
    enum { PRIVATE = 128, SHARED_KIND = 128, WAIT = 0, WAIT_BITSET = 9, OPERATION = 127 };
    struct {
        int32_t lock, count, owner, users, kind;
    } mutex;
    unsigned long long operation = call->arguments[1];
    if ((operation & PRIVATE) != 0 ||
        ((operation & OPERATION) != WAIT && (operation & OPERATION) != WAIT_BITSET) ||
        !procfs_shares(pid, "pid") ||
        !bytes_read_process(pid, call->arguments[0], sizeof mutex, &mutex) || mutex.lock == 0 ||
        mutex.owner <= 0 || (mutex.kind & SHARED_KIND) == 0)
        return;
    long holder = procfs_number(procfs_read(NULL, "/proc/%d/status", mutex.owner), "Tgid:");
    if (holder <= 0 || holder == pid)
        return;
    wait->endpoint = alloc_text("mutex in shared memory");
    pid_list_add(&wait->holders, (pid_t) holder);
}

/** Whether a call ends after a time. */
static bool
times_out(const struct call *call, const struct procfs_call *made)
{
    if (call->about == ABOUT_TIME || (!call->name && made->arguments[1] != 1))
        return true;
    if (call->about == ABOUT_MUTEX)
        return made->arguments[3] != 0;
    if (call->number == SYS_ppoll)
        return made->arguments[2] != 0;
    if (call->about == ABOUT_POLL)
        return (int) made->arguments[2] >= 0;
    return call->about == ABOUT_EPOLL && (int) made->arguments[3] >= 0;
}

static void
take_call(struct system_wait *wait, pid_t pid, const struct call *call,
          const struct procfs_call *made)
{
    uint64_t first = made->arguments[0];
    wait->call = call->name;
    wait->times_out = times_out(call, made);
    if (call->about == ABOUT_POLL)
        take_polled(wait, pid, made);
    else if (call->about == ABOUT_MUTEX)
        take_mutex(wait, pid, made);
    else if (call->about == ABOUT_PATH)
        take_path(wait, pid, AT_FDCWD, first);
    else if (call->about == ABOUT_PATH_AT)
        take_path(wait, pid, (int) first, made->arguments[1]);
    else if (call->about != ABOUT_TIME && first <= INT_MAX && call->about == ABOUT_EPOLL)
        take_epolled(wait, pid, (int) first);
    else if (call->about != ABOUT_TIME && first <= INT_MAX)
        take_file(wait, pid, (int) first, call->about);
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
        mount_find(&mount, pid, file.mount);
        if (*file.link == '/' && (file.access == O_WRONLY || file.access == O_RDWR) &&
            is_full(pid, numbers[i], &mount))
            wait->full = alloc_text(file.link);
        mount_deinit(&mount);
        open_file_deinit(&file);
    }
    free(numbers);
}

struct system_wait
system_wait_read(const struct debuggee *process, pid_t tid)
{
    struct system_wait wait = {.file = NULL};
    struct procfs_call made;
    // A process of another sort has other numbers of calls, and no /proc where it is not here.
    if (process->core || process->stub || process->pointer_size != (int) sizeof(void *))
        return wait;
    const struct call *call = find_call(process->pid, tid, &made);
    if (!call)
        return wait;
    wait.kernel = kernel_wait_read(process->pid, tid);
    take_call(&wait, process->pid, call, &made);
    if (!wait.driver && wait.kernel.module)
        wait.driver = driver_of_module(wait.kernel.module);
    if (!wait.call && wait.file)
        wait.call = "poll";
    if (call->about == ABOUT_TIME || !wait.call || call->about == ABOUT_WRITE ||
        call->about == ABOUT_FILE)
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
