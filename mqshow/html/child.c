// SPDX-License-Identifier: BSD-3-Clause
// A program that is asked something and answers, within limits.
#include "mqshow/html/child.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/clock.h"
#include "mqshow/base/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { POLL_MS = 500 };

/** A file in memory with the text, at its begin; -1 on failure. */
static int
open_text(const char *text)
{
    int fd = memfd_create("question", MFD_CLOEXEC);
    size_t left = strlen(text);
    while (fd >= 0 && left > 0) {
        ssize_t wrote = write(fd, text, left);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0) {
            close(fd);
            return -1;
        }
        text += wrote;
        left -= (size_t) wrote;
    }
    if (fd >= 0)
        lseek(fd, 0, SEEK_SET);
    return fd;
}

/** Starts the program with these files, and with signals as they are by default.
 * @return 0, or an errno
 */
static int
start(char *const *argv, int in, int out, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t signals;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes, &signals);
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    int code = posix_spawnp(pid, argv[0], &files, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return code;
}

/** What comes out of a pipe until its end.
 * @return false when it is too long, too late or cannot be read, or this program is to end;
 * @p text is freed by the caller
 */
static bool
read_all(int fd, int64_t end, size_t max, char **text, size_t *length)
{
    size_t capacity = 0;
    while (clock_us() < end && *length < max && !signals_pending()) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        if (poll(&ready, 1, POLL_MS) <= 0)
            continue;
        if (capacity - *length < 4096) {
            capacity = 2 * capacity + 65536;
            *text = realloc(*text, capacity);
            if (!*text)
                return false;
        }
        ssize_t got = read(fd, *text + *length, capacity - *length - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got == 0;
        *length += (size_t) got;
    }
    return false;
}

/** Waits for the end of the program, which comes at that time at the latest.
 * @return whether the program says that all went well
 */
static bool
finish(pid_t pid, int64_t end)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    int status = 0;
    while (clock_us() < end && !signals_pending()) {
        if (waitpid(pid, &status, WNOHANG) != 0)
            return WIFEXITED(status) && WEXITSTATUS(status) == 0;
        nanosleep(&pause, NULL);
    }
    kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static char *
ask(char *const *argv, const char *question, struct child_limits limits, char **answer)
{
    int64_t end = clock_us() + (int64_t) limits.milliseconds * 1000;
    int ends[2], in = open_text(question);
    pid_t pid;
    *answer = NULL;
    if (in < 0 || pipe2(ends, O_CLOEXEC) < 0) {
        if (in >= 0)
            close(in);
        return alloc_format("%s cannot be started: %s", argv[0], strerror(errno));
    }
    int code = start(argv, in, ends[1], &pid);
    close(in);
    close(ends[1]);
    char *text = NULL;
    size_t length = 0;
    bool complete = code == 0 && read_all(ends[0], end, limits.bytes, &text, &length);
    close(ends[0]);
    if (code != 0)
        return alloc_format("%s cannot be started: %s", argv[0], strerror(code));
    if (!finish(pid, complete ? end : 0) || !text) {
        free(text);
        return alloc_format("%s %s", argv[0], complete ? "failed" : "took too long");
    }
    text[length] = '\0';
    *answer = text;
    return NULL;
}

char *
child_ask(char *const *argv, const char *question, struct child_limits limits, char **answer)
{
    signals_block();
    char *problem = ask(argv, question, limits, answer);
    signals_unblock();
    return problem;
}
