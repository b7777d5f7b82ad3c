// SPDX-License-Identifier: BSD-3-Clause
// Whether a process that was looked at goes on as before, as /proc shows it.
#include "aftermath.h"
#include "run.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

enum { SECONDS = 120 };

// The number behind `label` in the text of a status file; 0 if it is not there.
static long
number_after(const char *text, const char *label)
{
    const char *found = strstr(text, label);
    return found != NULL ? strtol(found + strlen(label), NULL, 10) : 0;
}

static char *
task_stopped(const char *path)
{
    char *status = run_read_file(path), *ret = NULL;
    const char *state = status != NULL ? strstr(status, "\nState:\t") : NULL;
    if (state != NULL && strchr("Tt", state[8]) != NULL)
        ret = run_text("%s: the thread is stopped (%.12s)", path, state + 8);
    else if (state != NULL && number_after(status, "\nTracerPid:\t") != 0)
        ret = run_text("%s: the thread is traced", path);
    free(status);
    return ret;
}

static glob_t
tasks(pid_t pid, const char *file)
{
    glob_t ret;
    char *pattern = run_text("/proc/%d/task/*/%s", (int) pid, file);
    glob(pattern, 0, NULL, &ret);
    free(pattern);
    return ret;
}

char *
aftermath_stopped(pid_t pid)
{
    glob_t found = tasks(pid, "status");
    char *ret = found.gl_pathc > 0 ? NULL : run_text("process %d is gone", (int) pid);
    for (size_t i = 0; i < found.gl_pathc && ret == NULL; i++)
        ret = task_stopped(found.gl_pathv[i]);
    globfree(&found);
    return ret;
}

// Grows when a thread sleeps or is made to wait.
static long
count_switches(pid_t pid)
{
    long ret = 0;
    glob_t found = tasks(pid, "status");
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char *status = run_read_file(found.gl_pathv[i]);
        if (status != NULL)
            ret += number_after(status, "\nvoluntary_ctxt_switches:\t") +
                   number_after(status, "\nnonvoluntary_ctxt_switches:\t");
        free(status);
    }
    globfree(&found);
    return ret;
}

// Grows when the process computes.
static long
count_ticks(pid_t pid)
{
    long user = 0, system = 0;
    char *path = run_text("/proc/%d/stat", (int) pid), *stat = run_read_file(path);
    const char *field = stat != NULL ? strrchr(stat, ')') : NULL;
    // Behind the name come the state and ten numbers before user and system time.
    for (int i = 0; i < 12 && field != NULL; i++)
        field = strchr(field + 1, ' ');
    if (field != NULL) {
        char *end;
        user = strtol(field, &end, 10);
        system = strtol(end, NULL, 10);
    }
    free(stat);
    free(path);
    return user + system;
}

char *
aftermath_idle(pid_t pid)
{
    double deadline = run_clock() + SECONDS;
    long switches = count_switches(pid), ticks = count_ticks(pid);
    while (run_clock() < deadline) {
        if (count_switches(pid) != switches || count_ticks(pid) != ticks)
            return NULL;
        run_sleep_ms(10);
    }
    return run_text("process %d does not run", (int) pid);
}
