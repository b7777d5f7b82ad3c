// SPDX-License-Identifier: BSD-3-Clause
// Why a process cannot be stopped, in words that say what to do next.
#include "tools/stop.h"

#include "tools/alloc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/** A number that a file of /proc begins with, or that follows `key` in it; -1 when it does not. */
static long
proc_number(const char *path, const char *key)
{
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return -1;
    long number = -1;
    char line[256];
    while (number < 0 && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, key, strlen(key)) == 0)
            number = strtol(line + strlen(key), NULL, 10);
    fclose(file);
    return number;
}

static char *
explain_refusal(pid_t pid, const char *folder)
{
    char status[40];
    snprintf(status, sizeof status, "%s/status", folder);
    long tracer = proc_number(status, "TracerPid:");
    if (tracer > 0)
        return alloc_format("cannot attach to %d: process %ld traces it already; "
                            "detach that debugger first",
                            (int) pid, tracer);
    struct stat st;
    if (geteuid() != 0 && stat(folder, &st) == 0 && st.st_uid != geteuid())
        return alloc_format(
            "cannot attach to %d: it belongs to user %u; run as that user or as root", (int) pid,
            (unsigned) st.st_uid);
    long scope = proc_number("/proc/sys/kernel/yama/ptrace_scope", "");
    if (geteuid() != 0 && scope > 0)
        return alloc_format("cannot attach to %d: operation not permitted "
                            "(kernel.yama.ptrace_scope is %ld): run as root, or set it to 0",
                            (int) pid, scope);
    return alloc_format("cannot attach to %d: operation not permitted: run as root; in a container "
                        "the capability SYS_PTRACE is needed",
                        (int) pid);
}

char *
stop_explain(pid_t pid, int error)
{
    char folder[32];
    snprintf(folder, sizeof folder, "/proc/%d", (int) pid);
    if (error == ESRCH)
        return alloc_format("no process %d that runs: ranks of other nodes must be read there",
                            (int) pid);
    if (error == EPERM || error == EACCES)
        return explain_refusal(pid, folder);
    return alloc_format("cannot attach to %d: %s", (int) pid, strerror(error));
}
