// SPDX-License-Identifier: BSD-3-Clause
// Why a process cannot be stopped, in words that say what to do next.
#include "mqshow/process/stop.h"

#include "mqshow/base/alloc.h"
#include "mqshow/process/procfs.h"
#include "mqshow/process/state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *
explain_refusal(const char *folder)
{
    struct stat st;
    if (geteuid() != 0 && stat(folder, &st) == 0 && st.st_uid != geteuid())
        return alloc_format("may not be read: it belongs to user %u; run as that user or as root",
                            (unsigned) st.st_uid);
    long scope = procfs_number("/proc/sys/kernel/yama/ptrace_scope", "");
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
    char path[64], where[64] = "";
    if (!procfs_stat(pid, tid, &stat) || stat.letter != 'D')
        return alloc_text("it got no CPU time");
    snprintf(path, sizeof path, "/proc/%d/task/%d/wchan", (int) pid, (int) tid);
    FILE *file = fopen(path, "re");
    if (file == NULL || fscanf(file, "%63[A-Za-z0-9_]", where) != 1 || strcmp(where, "0") == 0)
        *where = '\0';
    if (file != NULL)
        fclose(file);
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
