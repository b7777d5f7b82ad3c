// SPDX-License-Identifier: BSD-3-Clause
// Stopping a process while it is read, letting it go on, and why one cannot be stopped.
#include "mqshow/process/stop.h"

#include "mqshow/base/clock.h"
#include "mqshow/process/procfs.h"
#include "mqshow/process/state.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    STOP_PATIENCE_MS = 5000, // for threads that wait for a processor
    KERNEL_PATIENCE_MS =
        500,                // for threads that sleep in the kernel, from where none can be fetched
    STOP_MAX_ROUNDS = 1000, // of looking for new threads
    FEW_LEFT = 8,           // threads that have not stopped
    RETURN_PATIENCE_MS = 1000, // for threads on their way back to where a signal had stopped them
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

/** Polls whether a thread has stopped, without taking the event from the kernel: a signal that
 * stopped it would otherwise be lost if this program died before it handed it back.
 * @return false while it still runs
 */
static bool
poll_thread(struct stopped_thread *thread, int *ret_status)
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
resume(struct stopped_thread *thread)
{
    int status = 0;
    if (!poll_thread(thread, &status))
        return false;
    thread->by_signal = status >> 8 == PTRACE_EVENT_STOP && (status & 0x7f) != SIGTRAP;
    if (!thread->gone)
        request(PTRACE_DETACH, thread->tid, pending_signal(status));
    return true;
}

/** Whether a thread that a signal had stopped has left the processor: for /proc it runs until then.
 */
static bool
has_returned(struct stopped_thread *thread)
{
    struct procfs_stat stat;
    return !thread->by_signal || !procfs_stat(thread->tid, 0, &stat) || stat.letter != 'R';
}

/** Waits for an eighth of what was waited, between 50 us and 10 ms. Of the last threads SIGCHLD
 * tells that one has stopped; that of many would have all asked about at each.
 */
static void
wait_longer(int64_t waited_us, size_t left, const sigset_t *sigchld)
{
    sigset_t none;
    int64_t us = waited_us / 8;
    struct timespec pause = {.tv_nsec = (us < 50 ? 50 : us > 10000 ? 10000 : us) * 1000};
    sigemptyset(&none);
    sigtimedwait(left > FEW_LEFT ? &none : sigchld, NULL, &pause);
}

/** Whether every thread that has not stopped sleeps in the kernel. */
static bool
only_sleepers_left(const struct stop *stop)
{
    struct procfs_stat stat;
    for (size_t i = 0; i < stop->count; i++)
        if (!stop->threads[i].halted && procfs_stat(stop->pid, stop->threads[i].tid, &stat) &&
            stat.letter != 'D')
            return false;
    return true;
}

/** Does `step` with each thread that is not done yet, until all are done or patience is over.
 * @return number of threads left
 */
static size_t
until_done(struct stop *stop, bool (*step)(struct stopped_thread *), int patience_ms)
{
    int64_t start = clock_us(), kernel_us = KERNEL_PATIENCE_MS * INT64_C(1000);
    sigset_t sigchld, before;
    size_t left;
    sigemptyset(&sigchld);
    sigaddset(&sigchld, SIGCHLD);
    sigprocmask(SIG_BLOCK, &sigchld, &before);
    for (;;) {
        left = 0;
        for (size_t i = 0; i < stop->count; i++)
            left += !step(&stop->threads[i]);
        int64_t waited = clock_us() - start;
        if (left == 0 || waited >= patience_ms * INT64_C(1000) ||
            (waited >= kernel_us && only_sleepers_left(stop)))
            break;
        wait_longer(waited, left, &sigchld);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return left;
}

/** Whether a thread is one of the first `count`. They are asked about in their order nearly always.
 * @param next number of the one that is to be asked about next, if so */
static bool
is_held(const struct stop *stop, size_t count, pid_t tid, size_t *next)
{
    for (size_t i = 0; i < count; i++) {
        size_t number = (*next + i) % count;
        if (stop->threads[number].tid == tid) {
            *next = number + 1;
            return true;
        }
    }
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

/** Whether this program holds a thread still, which did not stop when it was to be let go. */
static bool
is_held_still(pid_t tid)
{
    return procfs_number(procfs_read(NULL, "/proc/%d/status", (int) tid), "TracerPid:") == getpid();
}

static int
seize(struct stop *stop, pid_t tid)
{
    if (request(PTRACE_SEIZE, tid, 0) != 0) {
        int error = errno;
        if (error == ESRCH || is_dead(stop->pid, tid))
            return 0;
        if (!is_held_still(tid))
            return error;
    }
    *ALLOC_ADD(stop->threads, stop->count, stop->capacity) = (struct stopped_thread){.tid = tid};
    request(PTRACE_INTERRUPT, tid, 0);
    return 0;
}

/** Seizes the threads that are not held yet; *ret_new is set to how many there were. */
static int
seize_new(struct stop *stop, size_t *ret_new)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/task", (int) stop->pid);
    pid_t *tids;
    ssize_t n_tids = procfs_numbers(path, &tids);
    if (n_tids < 0)
        return errno == ENOENT ? ESRCH : errno;
    size_t before = stop->count, next = 0;
    int error = 0;
    for (ssize_t i = 0; i < n_tids && error == 0; i++)
        if (!is_held(stop, before, tids[i], &next))
            error = seize(stop, tids[i]);
    free(tids);
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
    thread->halted = thread->halted || poll_thread(thread, &status);
    return thread->halted;
}

size_t
stop_wait(struct stop *stop)
{
    size_t found = 1;
    int64_t end = clock_us() + STOP_PATIENCE_MS * INT64_C(1000);
    // A thread that still ran may have made others; when all have stopped, none can.
    for (int round = 0; found > 0 && stop->left == 0 && round < STOP_MAX_ROUNDS; round++) {
        int64_t rest = end - clock_us();
        stop->left = until_done(stop, has_halted, rest > 0 ? (int) (rest / 1000) : 0);
        if (seize_new(stop, &found) != 0)
            break;
    }
    return stop->left;
}

void
stop_end(struct stop *stop)
{
    // A thread that does not even stop now is detached by the kernel when this program ends.
    until_done(stop, resume, stop->left == 0 ? STOP_PATIENCE_MS : 0);
    until_done(stop, has_returned, RETURN_PATIENCE_MS);
    free(stop->threads);
    *stop = (struct stop){.pid = 0};
}

static char *
explain_refusal(const char *folder)
{
    struct stat st;
    if (geteuid() != 0 && stat(folder, &st) == 0 && st.st_uid != geteuid())
        return alloc_format("may not be read: it belongs to user %u; run as that user or as root",
                            (unsigned) st.st_uid);
    long scope = procfs_number(procfs_read(NULL, "/proc/sys/kernel/yama/ptrace_scope"), "");
    if (geteuid() != 0 && scope > 0)
        return alloc_format("may not be read: operation not permitted "
                            "(kernel.yama.ptrace_scope is %ld): run as root, or set it to 0",
                            scope);
    return alloc_text("may not be read: operation not permitted: run as root; in a container the "
                      "capability SYS_PTRACE is needed");
}

char *
stop_explain(pid_t pid, int error)
{
    char folder[32];
    snprintf(folder, sizeof folder, "/proc/%d", (int) pid);
    struct state state = state_read(pid);
    char *reason = state_describe(&state), *text;
    bool refused = error == EPERM || error == EACCES;
    if (error == ESRCH && reason != NULL)
        text = alloc_format("cannot be read: the process is %s", reason);
    else if (refused && state.tracer > 0)
        text = alloc_format("cannot be read: %s; detach that debugger first", reason);
    else
        text =
            refused ? explain_refusal(folder) : alloc_format("cannot be read: %s", strerror(error));
    state_deinit(&state);
    free(reason);
    return text;
}

/** "disk sleep in NAME of the kernel", or another state, to free(). */
static char *
describe_sleep(pid_t pid, pid_t tid)
{
    struct procfs_stat stat;
    char where[64] = "";
    if (!procfs_stat(pid, tid, &stat) || stat.letter != 'D')
        return alloc_text("it got no CPU time");
    char *text = procfs_read(NULL, "/proc/%d/task/%d/wchan", (int) pid, (int) tid);
    if (text == NULL || sscanf(text, "%63[A-Za-z0-9_]", where) != 1 || strcmp(where, "0") == 0)
        *where = '\0';
    free(text);
    return alloc_format(*where != '\0' ? "it sleeps in the kernel (%s)" : "it sleeps in the kernel",
                        where);
}

char *
stop_explain_left(const struct stop *stop)
{
    pid_t first = 0;
    for (size_t i = 0; i < stop->count && first == 0 && stop->left > 0; i++)
        first = stop->threads[i].halted ? 0 : stop->threads[i].tid;
    if (first == 0)
        return NULL;
    char *sleep = describe_sleep(stop->pid, first);
    char *others = stop->left > 1 ? alloc_format(" (and %zu more)", stop->left - 1) : NULL;
    char *text = alloc_format("thread %d%s does not stop: %s; its stack cannot be read",
                              (int) first, others != NULL ? others : "", sleep);
    free(others);
    free(sleep);
    return text;
}
