// SPDX-License-Identifier: BSD-3-Clause
// Running launchers and sorting their lines by machine.
#include "mqshow/remote/remote.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/clock.h"
#include "mqshow/base/signals.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/diag.h"
#include "mqshow/process/procfs.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CALLS_AT_ONCE = 128, LABEL_MAX = 300, NOBODY = -1 };
enum { END_ROUNDS = 200 };     // of 10 ms, for what launchers have left to end
enum { PARTIAL_US = 5000000 }; // for which answers may be late before a part of them is shown

/** The node that a label means; NOBODY: it is none. */
static int
find_label(const struct remote *remote, const struct subprocess *subprocess, const char *label)
{
    char *end;
    if (!remote->launcher.kind->is_srun)
        return nodes_find(&remote->job->nodes, label);
    unsigned long number = strtoul(label, &end, 10);
    if (end == label || *end != '\0')
        return NOBODY;
    for (size_t i = subprocess->first; i < subprocess->first + subprocess->count; i++)
        if (!remote->outputs[i].skipped && number-- == 0)
            return (int) i;
    return NOBODY;
}

/** The node that a line comes from. @param line moved behind its label */
static int
find_source(const struct remote *remote, const struct subprocess *subprocess, char **line)
{
    if (!remote->launcher.kind->many)
        return (int) subprocess->first;
    char *rest = *line;
    // The launcher's own name may precede that of the machine.
    for (int i = 0; i < 2; i++) {
        char label[LABEL_MAX];
        char *colon = strstr(rest, ":");
        // A machine's address may have colons itself.
        while (colon != NULL && colon[1] != ' ' && colon[1] != '\0')
            colon = strstr(colon + 1, ":");
        if (colon == NULL || (size_t) (colon - rest) >= sizeof label)
            return NOBODY;
        memcpy(label, rest, (size_t) (colon - rest));
        label[colon - rest] = '\0';
        rest = colon + 1 + (colon[1] == ' ');
        int node = find_label(remote, subprocess, label);
        if (node != NOBODY) {
            *line = rest;
            return node;
        }
    }
    return NOBODY;
}

static void
take_line(void *context, const struct subprocess *subprocess, bool is_error, char *line)
{
    struct remote *remote = context;
    int node = find_source(remote, subprocess, &line);
    if (node == NOBODY) {
        if (is_error && remote->complaint == NULL)
            remote->complaint = escape_text(line, LABEL_MAX);
        return;
    }
    struct host_output *output = &remote->outputs[node];
    if (is_error) {
        host_output_complain(output, line);
    } else if (host_output_add(output, line, &remote->memory)) {
        json_t *document = host_output_document(output, remote->jobs);
        if (document != NULL)
            remote->take(remote, (size_t) node, document);
        else
            nodes_fail(
                &remote->job->nodes, (size_t) node,
                alloc_text(output->too_long ? "its output is too long" : "its output is invalid"));
        json_decref(document);
    }
}

static size_t
count_running(const struct remote *remote)
{
    size_t running = 0;
    for (size_t i = 0; i < remote->begun; i++)
        running += remote->subprocesses[i].pid != 0;
    return running;
}

void
remote_start(struct remote *remote)
{
    for (size_t running = count_running(remote);
         running < CALLS_AT_ONCE && remote->begun < remote->n_subprocesses; running++) {
        size_t i = remote->begun++;
        if (subprocess_start(&remote->subprocesses[i], remote->commands[i].items))
            continue;
        for (size_t k = 0; k < remote->subprocesses[i].count; k++)
            nodes_fail(&remote->job->nodes, remote->subprocesses[i].first + k,
                       alloc_format("%s: %s", remote->launcher.name, strerror(errno)));
    }
}

static void
listen_once(struct remote *remote)
{
    struct pollfd polls[2 * CALLS_AT_ONCE];
    struct subprocess *subprocesses[CALLS_AT_ONCE];
    size_t count = 0;
    for (size_t i = 0; i < remote->begun; i++) {
        struct subprocess *subprocess = &remote->subprocesses[i];
        if (subprocess->pid == 0)
            continue;
        for (size_t k = 0; k < 2; k++)
            polls[2 * count + k] =
                (struct pollfd){.fd = subprocess->streams[k].fd, .events = POLLIN};
        subprocesses[count++] = subprocess;
    }
    int64_t left = (remote->deadline - clock_us()) / 1000 + 1;
    if (poll(polls, 2 * count, left < 1000 ? (int) left : 1000) <= 0)
        return;
    for (size_t i = 0; i < 2 * count; i++)
        if (polls[i].revents != 0)
            subprocess_receive(subprocesses[i / 2], (int) (i % 2), take_line, remote);
    for (size_t i = 0; i < count; i++)
        if (subprocess_is_over(subprocesses[i]))
            subprocess_end(subprocesses[i]);
}

static size_t
count_complete(const struct remote *remote)
{
    size_t count = 0;
    for (size_t i = 0; i < remote->job->nodes.count; i++)
        count += remote->outputs[i].complete;
    return count;
}

/** Ends what launchers that were ended have left: a subreaper is the parent of these. This
 * program's own processes run the same file. @return whether there was any */
static bool
end_orphans(void)
{
    pid_t *below;
    size_t count = procfs_descendants(getpid(), &below), ended = 0;
    char *own = procfs_program(0);
    for (size_t i = 0; i < count; i++) {
        char *program = procfs_parent(below[i]) == getpid() ? procfs_program(below[i]) : NULL;
        if (program != NULL && own != NULL && strcmp(program, own) != 0) {
            kill(below[i], SIGKILL);
            waitpid(below[i], NULL, WNOHANG);
            ended++;
        }
        free(program);
    }
    free(own);
    free(below);
    return ended > 0;
}

static void
end_subprocesses(struct remote *remote)
{
    bool any = count_running(remote) > 0;
    for (size_t i = 0; i < remote->begun; i++)
        subprocess_terminate(&remote->subprocesses[i]);
    for (size_t i = 0; i < remote->begun; i++)
        subprocess_end(&remote->subprocesses[i]);
    const struct timespec pause = {.tv_nsec = 10000000};
    for (int i = 0; any && i < END_ROUNDS && end_orphans(); i++)
        nanosleep(&pause, NULL);
}

static size_t
count_asked(const struct remote *remote)
{
    size_t count = 0;
    for (size_t i = 0; i < remote->job->nodes.count; i++)
        count += !remote->outputs[i].skipped;
    return count;
}

void
remote_run(struct remote *remote)
{
    size_t asked = count_asked(remote), shown = 0;
    int64_t pause = PARTIAL_US, next = clock_us() + pause;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    remote_start(remote);
    while (count_running(remote) > 0 && clock_us() < remote->deadline && !signals_pending()) {
        size_t answered = count_complete(remote);
        diag_progress("%zu of %zu machines have answered", answered, asked);
        listen_once(remote);
        remote_start(remote);
        if (remote->partial == NULL || clock_us() < next || answered == shown)
            continue;
        remote->partial(remote->document, answered, asked);
        shown = answered;
        pause *= 2;
        next = clock_us() + pause;
    }
    diag_progress_clear();
    end_subprocesses(remote);
}

void
remote_deinit(struct remote *remote)
{
    end_subprocesses(remote);
    for (size_t i = 0; i < remote->n_subprocesses; i++)
        arguments_deinit(&remote->commands[i]);
    for (size_t i = 0; remote->outputs != NULL && i < remote->job->nodes.count; i++)
        host_output_deinit(&remote->outputs[i]);
    free(remote->subprocesses);
    free(remote->commands);
    free(remote->outputs);
    free(remote->places);
    free(remote->has_answered);
    free(remote->complaint);
    launcher_deinit(&remote->launcher);
    signals_unblock();
}
