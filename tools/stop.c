// SPDX-License-Identifier: BSD-3-Clause
// Stopping a process while it is read, and letting it go on.
#include "tools/stop.h"

#include "tools/alloc.h"
#include "tools/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

enum {
    STOP_PATIENCE_MS = 5000, // for a thread that sleeps in the kernel
    STOP_MAX_ROUNDS = 1000,  // of looking for new threads
};

void
stop_hold(bool hold)
{
    static const int stoppers[] = {SIGTSTP, SIGTTIN, SIGTTOU};
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof stoppers / sizeof *stoppers; i++)
        sigaddset(&set, stoppers[i]);
    sigprocmask(hold ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

static long
request(enum __ptrace_request what, pid_t tid, int signal)
{
    return ptrace(what, tid, NULL, (void *) (long) signal);
}

/** Looks whether a thread has stopped, without taking the event from the kernel: a signal that
 * stopped it would otherwise be lost if this program died before it handed it back.
 * @return false while it still runs
 */
static bool
look(struct stopped_thread *thread, int *ret_status)
{
    siginfo_t info = {.si_pid = 0};
    int options = WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL;
    if (waitid(P_PID, (id_t) thread->tid, &info, options) != 0) {
        thread->gone = errno == ECHILD;
        return thread->gone;
    }
    if (info.si_pid == 0)
        return false;
    if (info.si_code == CLD_EXITED || info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED) {
        waitid(P_PID, (id_t) thread->tid, &info, WEXITED | WNOHANG | __WALL);
        thread->gone = true;
        return true;
    }
    *ret_status = info.si_status;
    return true;
}

/** The signal that stopped a thread; 0 when it stopped for us or together with its process. */
static int
pending_signal(int status)
{
    bool is_event = status >> 8 != 0;
    return is_event ? 0 : status & 0x7f;
}

static bool
let_go(struct stopped_thread *thread)
{
    int status = 0;
    if (!look(thread, &status))
        return false;
    if (!thread->gone)
        request(PTRACE_DETACH, thread->tid, pending_signal(status));
    return true;
}

static void
sleep_ms(long ms)
{
    struct timespec pause = {.tv_nsec = ms * 1000000};
    nanosleep(&pause, NULL);
}

/** Does `step` with each thread that is not done yet, until all are done or patience is over.
 * @return number of threads left
 */
static size_t
until_done(struct stop *stop, bool (*step)(struct stopped_thread *))
{
    for (long waited = 0;; waited++) {
        size_t left = 0;
        for (size_t i = 0; i < stop->count; i++)
            left += !step(&stop->threads[i]);
        if (left == 0 || waited >= STOP_PATIENCE_MS)
            return left;
        sleep_ms(1);
    }
}

static bool
is_held(const struct stop *stop, pid_t tid)
{
    for (size_t i = stop->count; i-- > 0;)
        if (stop->threads[i].tid == tid)
            return true;
    return false;
}

/** Whether a thread has ended and only waits to be collected: it cannot be seized, nor must it be.
 */
static bool
is_dead(pid_t pid, pid_t tid)
{
    struct procfs_stat stat;
    return !procfs_stat(pid, tid, &stat) || strchr("ZXx", stat.letter) != NULL;
}

static int
seize(struct stop *stop, pid_t tid)
{
    if (request(PTRACE_SEIZE, tid, 0) != 0) {
        int error = errno;
        return error == ESRCH || is_dead(stop->pid, tid) ? 0 : error;
    }
    stop->threads = alloc_grow(stop->threads, stop->count, &stop->capacity, sizeof *stop->threads);
    stop->threads[stop->count++] = (struct stopped_thread){.tid = tid};
    request(PTRACE_INTERRUPT, tid, 0);
    return 0;
}

/** Seizes the threads that are not held yet; *ret_new tells how many there were. */
static int
seize_new(struct stop *stop, size_t *ret_new)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/task", (int) stop->pid);
    DIR *tasks = opendir(path);
    if (tasks == NULL)
        return errno == ENOENT ? ESRCH : errno;
    size_t before = stop->count;
    int error = 0;
    for (struct dirent *entry; error == 0 && (entry = readdir(tasks)) != NULL;) {
        pid_t tid = (pid_t) atoi(entry->d_name);
        if (tid > 0 && !is_held(stop, tid))
            error = seize(stop, tid);
    }
    closedir(tasks);
    *ret_new = stop->count - before;
    return error;
}

int
stop_begin(struct stop *stop, pid_t pid)
{
    *stop = (struct stop){.pid = pid};
    size_t found;
    int error = seize_new(stop, &found);
    if (error == 0 && stop->count == 0)
        error = ESRCH;
    if (error != 0)
        stop_end(stop);
    return error;
}

static bool
has_halted(struct stopped_thread *thread)
{
    int status;
    thread->halted = thread->halted || look(thread, &status);
    return thread->halted;
}

size_t
stop_wait(struct stop *stop)
{
    size_t left = 0, found = 1;
    // A thread that still ran may have made others; when all have stopped, none can.
    for (int round = 0; found > 0 && left == 0 && round < STOP_MAX_ROUNDS; round++) {
        left = until_done(stop, has_halted);
        if (seize_new(stop, &found) != 0)
            break;
    }
    return left;
}

void
stop_end(struct stop *stop)
{
    // A thread that does not even stop now is detached by the kernel when this program ends.
    until_done(stop, let_go);
    free(stop->threads);
    *stop = (struct stop){.pid = 0};
}
