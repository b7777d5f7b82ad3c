// SPDX-License-Identifier: BSD-3-Clause
// A copy of this program that works for it.
#include "mqshow/process/child.h"

#include "mqshow/base/signals.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { END_PATIENCE_MS = 1000 }; // for a process that was killed

static _Noreturn void
be_child(pid_t parent, child_ft work, void *context, int requests, int replies)
{
    signals_unblock_in_worker();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent)
        work(context, requests, replies);
    _exit(EXIT_FAILURE);
}

bool
child_start(struct child *child, child_ft work, void *context)
{
    int requests[2], replies[2];
    *child = (struct child){.pid = 0};
    if (pipe2(requests, O_CLOEXEC) != 0)
        return false;
    if (pipe2(replies, O_CLOEXEC) != 0) {
        close(requests[0]);
        close(requests[1]);
        return false;
    }
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid == 0) {
        close(requests[1]);
        close(replies[0]);
        be_child(parent, work, context, requests[0], replies[1]);
    }
    close(requests[0]);
    close(replies[1]);
    if (pid < 0) {
        close(requests[1]);
        close(replies[0]);
        return false;
    }
    *child = (struct child){.pid = pid, .requests = requests[1], .replies = replies[0]};
    return true;
}

static const char *
describe(int status)
{
    if (WIFSIGNALED(status))
        return strsignal(WTERMSIG(status));
    return WEXITSTATUS(status) == 0 ? "exited too early" : "exited with an error";
}

/** Waits for the end of a child, but not for ever: it may sleep in the kernel. */
static const char *
collect(pid_t pid)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    int status = 0;
    for (int ms = 0; ms < END_PATIENCE_MS; ms++) {
        if (waitpid(pid, &status, WNOHANG) != 0)
            return describe(status);
        nanosleep(&pause, NULL);
    }
    return "not yet";
}

void
child_leave(const struct child *other)
{
    if (other->pid == 0)
        return;
    close(other->requests);
    close(other->replies);
}

/** Closes what is shared with one that ends, and waits for that. */
static const char *
finish(struct child *child)
{
    child_leave(child);
    packet_forget(&child->packet);
    const char *how = collect(child->pid);
    child->pid = 0;
    return how;
}

const char *
child_kill(struct child *child)
{
    if (child->pid == 0)
        return "exited too early";
    // What is ending by itself keeps its reason.
    kill(child->pid, SIGKILL);
    return finish(child);
}

void
child_end(struct child *child)
{
    if (child->pid != 0)
        finish(child);
}
