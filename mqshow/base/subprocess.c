// SPDX-License-Identifier: BSD-3-Clause
// A program that runs for us, and whose lines are read as they come.
#include "mqshow/base/subprocess.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 1 << 24, CHUNK = 1 << 16, END_PATIENCE_US = 2000000 };

void
arguments_add(struct arguments *arguments, ...)
{
    va_list args;
    va_start(args, arguments);
    for (const char *word; (word = va_arg(args, const char *)) != NULL;) {
        arguments->items = alloc_grow(arguments->items, arguments->count + 1, &arguments->capacity,
                                      sizeof *arguments->items);
        arguments->items[arguments->count++] = alloc_text(word);
        arguments->items[arguments->count] = NULL;
    }
    va_end(args);
}

void
arguments_deinit(struct arguments *arguments)
{
    for (size_t i = 0; i < arguments->count; i++)
        free(arguments->items[i]);
    free(arguments->items);
    *arguments = (struct arguments){.items = NULL};
}

/** Takes back what this program does about signals, and leaves what it was started to ignore. */
static void
handle_no_signal(const sigset_t *mask)
{
    struct sigaction action;
    for (int number = 1; number < SIGRTMIN; number++)
        if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            signal(number, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, mask, NULL);
}

static _Noreturn void
exec_program(char *const *argv, int end_signal, pid_t parent, const int *out, const sigset_t *mask)
{
    // A group of its own: what it has started can be ended with it.
    setpgid(0, 0);
    handle_no_signal(mask);
    prctl(PR_SET_PDEATHSIG, end_signal);
    int null = open("/dev/null", O_RDONLY);
    if (getppid() != parent || null < 0 || dup2(null, STDIN_FILENO) < 0 ||
        dup2(out[0], STDOUT_FILENO) < 0 || dup2(out[1], STDERR_FILENO) < 0)
        _exit(127);
    execvp(argv[0], argv);
    dprintf(STDERR_FILENO, "%s: %s\n", argv[0], strerror(errno));
    _exit(127);
}

bool
subprocess_start(struct subprocess *subprocess, char *const *argv)
{
    int out[2], err[2];
    if (pipe2(out, O_CLOEXEC) != 0)
        return false;
    if (pipe2(err, O_CLOEXEC) != 0) {
        close(out[0]);
        close(out[1]);
        return false;
    }
    // Whoever ends this program meanwhile must not find a child that makes nothing of it.
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t parent = getpid(), child = fork();
    if (child == 0)
        exec_program(argv, subprocess->end_signal, parent, (int[]){out[1], err[1]}, &before);
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(out[1]);
    close(err[1]);
    if (child < 0) {
        close(out[0]);
        close(err[0]);
        return false;
    }
    setpgid(child, child);
    subprocess->pid = child;
    subprocess->streams[0] = (struct subprocess_stream){.fd = out[0]};
    subprocess->streams[1] = (struct subprocess_stream){.fd = err[0]};
    return true;
}

/** Hands over the lines that are complete. */
static void
split(struct subprocess *subprocess, int number, subprocess_line_ft take, void *context, bool all)
{
    struct subprocess_stream *stream = &subprocess->streams[number];
    char *begin = stream->line, *end;
    size_t left = stream->length;
    while (left > 0 && (end = memchr(begin, '\n', left)) != NULL) {
        *end = '\0';
        take(context, subprocess, number == 1, begin);
        left -= (size_t) (end + 1 - begin);
        begin = end + 1;
    }
    if (left > 0 && (all || left >= LINE_MAX_BYTES)) {
        begin[left] = '\0';
        take(context, subprocess, number == 1, begin);
        left = 0;
    }
    if (left > 0)
        memmove(stream->line, begin, left);
    stream->length = left;
}

void
subprocess_receive(struct subprocess *subprocess, int number, subprocess_line_ft take,
                   void *context)
{
    struct subprocess_stream *stream = &subprocess->streams[number];
    if (stream->capacity < stream->length + CHUNK + 1) {
        stream->capacity = 2 * (stream->length + CHUNK) + 1;
        char *room = alloc_zeroed(stream->capacity, 1);
        if (stream->length > 0)
            memcpy(room, stream->line, stream->length);
        free(stream->line);
        stream->line = room;
    }
    ssize_t n = read(stream->fd, stream->line + stream->length, CHUNK);
    if (n < 0 && errno == EINTR)
        return;
    if (n > 0)
        stream->length += (size_t) n;
    split(subprocess, number, take, context, n <= 0);
    if (n > 0)
        return;
    close(stream->fd);
    stream->fd = -1;
}

bool
subprocess_is_over(const struct subprocess *subprocess)
{
    return subprocess->streams[0].fd < 0 && subprocess->streams[1].fd < 0;
}

/** Whether a child has ended; it stays a child, so that its number is no other's. */
static bool
has_ended(pid_t pid)
{
    siginfo_t info = {.si_pid = 0};
    return waitid(P_PID, (id_t) pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
}

/** Waits for the end of a child, until that time at most. */
static void
wait_for_end(pid_t pid, int64_t until)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    while (clock_us() < until && !has_ended(pid))
        nanosleep(&pause, NULL);
}

void
subprocess_terminate(struct subprocess *subprocess)
{
    if (subprocess->pid == 0 || subprocess->patience != 0)
        return;
    // In a way that it can pass on to what runs elsewhere.
    if (!has_ended(subprocess->pid))
        kill(-subprocess->pid, subprocess->end_signal);
    subprocess->patience = clock_us() + END_PATIENCE_US;
}

void
subprocess_end(struct subprocess *subprocess)
{
    if (subprocess->pid == 0)
        return;
    subprocess_terminate(subprocess);
    for (int i = 0; i < 2; i++) {
        if (subprocess->streams[i].fd >= 0)
            close(subprocess->streams[i].fd);
        free(subprocess->streams[i].line);
    }
    wait_for_end(subprocess->pid, subprocess->patience);
    kill(-subprocess->pid, SIGKILL);
    wait_for_end(subprocess->pid, clock_us() + END_PATIENCE_US);
    waitpid(subprocess->pid, NULL, WNOHANG);
    *subprocess = (struct subprocess){.pid = 0};
}
