// SPDX-License-Identifier: BSD-3-Clause
// One worker of a crew as its parent sees it.
#include "tools/worker.h"

#include "tools/alloc.h"
#include "tools/confine.h"
#include "tools/crew.h"
#include "tools/ending.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { END_PATIENCE_MS = 1000 }; // for a process that was killed

static const uint64_t reply_max = UINT64_C(1) << 32;

static _Noreturn void
be_worker(const struct worker *all, size_t count, struct show *show, pid_t parent, int requests,
          int replies)
{
    ending_let_in_worker();
    for (size_t i = 0; i < count; i++) {
        if (all[i].pid == 0)
            continue;
        close(all[i].requests);
        close(all[i].replies);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    confine_memory(count);
    const char *servers = getenv("DEBUGINFOD_URLS");
    confine(show->options->record != NULL, servers != NULL && *servers != '\0');
    crew_work(show, requests, replies);
}

bool
worker_start(struct worker *worker, const struct worker *all, size_t count, struct show *show)
{
    int requests[2], replies[2];
    if (pipe2(requests, O_CLOEXEC) != 0)
        return false;
    if (pipe2(replies, O_CLOEXEC) != 0) {
        close(requests[0]);
        close(requests[1]);
        return false;
    }
    pid_t parent = getpid();
    pid_t child = fork();
    if (child == 0) {
        show->phase = worker->phase;
        close(requests[1]);
        close(replies[0]);
        be_worker(all, count, show, parent, requests[0], replies[1]);
    }
    close(requests[0]);
    close(replies[1]);
    worker->requests = requests[1];
    worker->replies = replies[0];
    worker->pid = child > 0 ? child : 0;
    if (child < 0) {
        close(requests[1]);
        close(replies[0]);
    }
    return child > 0;
}

void
worker_give(struct worker *worker, size_t task, int64_t deadline)
{
    worker->task = task;
    worker->deadline = deadline;
    // If it has died meanwhile, the end of its replies tells.
    (void) !write(worker->requests, &task, sizeof task);
}

/** Where the next bytes go, and how many; the reply begins with its size. */
static char *
next_room(struct worker *worker, size_t *ret_room)
{
    if (worker->received < sizeof worker->size) {
        *ret_room = sizeof worker->size - worker->received;
        return (char *) &worker->size + worker->received;
    }
    uint64_t done = worker->received - sizeof worker->size;
    if (worker->reply == NULL)
        worker->reply = alloc_zeroed(worker->size + 1, 1);
    *ret_room = worker->size - done;
    return worker->reply + done;
}

enum worker_event
worker_receive(struct worker *worker)
{
    size_t room;
    char *to = next_room(worker, &room);
    ssize_t n = read(worker->replies, to, room);
    if (n < 0 && errno == EINTR)
        return WORKER_MORE;
    if (n <= 0)
        return WORKER_ENDED;
    worker->received += (uint64_t) n;
    if (worker->received < sizeof worker->size)
        return WORKER_MORE;
    if (worker->size == 0 || worker->size > reply_max)
        return WORKER_ENDED;
    return worker->received == sizeof worker->size + worker->size ? WORKER_REPLIED : WORKER_MORE;
}

void
worker_rest(struct worker *worker)
{
    free(worker->reply);
    worker->reply = NULL;
    worker->size = worker->received = 0;
    worker->task = WORKER_RESTS;
}

static const char *
describe(int status)
{
    if (WIFSIGNALED(status))
        return strsignal(WTERMSIG(status));
    return WEXITSTATUS(status) == 0 ? "early" : "with an error";
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

static void
close_pipes(struct worker *worker)
{
    close(worker->requests);
    close(worker->replies);
}

const char *
worker_kill(struct worker *worker)
{
    if (worker->pid == 0)
        return "early";
    // What is ending by itself keeps its reason.
    kill(worker->pid, SIGKILL);
    close_pipes(worker);
    const char *how = collect(worker->pid);
    worker->pid = 0;
    return how;
}

void
worker_end(struct worker *worker)
{
    worker_rest(worker);
    if (worker->pid == 0)
        return;
    close_pipes(worker);
    collect(worker->pid);
    worker->pid = 0;
}
