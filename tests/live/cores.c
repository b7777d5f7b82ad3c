// SPDX-License-Identifier: BSD-3-Clause
// Making cores of the ranks of a job.
#include "cores.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GDB_SECONDS = 600, DUMP_MS = 300000, MOVE_SECONDS = 300 };

static const char pattern_file[] = "/proc/sys/kernel/core_pattern";

// Runs a command that must succeed.
static char *
run_well(const struct command *command, int seconds)
{
    struct outcome outcome = run(command, seconds);
    bool good = !outcome.timed_out && WIFEXITED(outcome.status) && WEXITSTATUS(outcome.status) == 0;
    char *ret = good ? NULL : run_text("%s fails: %s", command->words[0], outcome.err);
    outcome_deinit(&outcome);
    return ret;
}

static char *
core_path(const struct job *job, const char *pid)
{
    return run_text("%s/core.%s", job->folder, pid);
}

char *
cores_by_gdb(const struct job *job)
{
    size_t i;
    const json_t *pid;
    char *ret = NULL;
    json_array_foreach (job->pids, i, pid) {
        const char *text = json_string_value(pid);
        char *path = core_path(job, text), *gcore = run_text("gcore %s", path);
        struct command command = {.count = 0};
        command_add(&command, "gdb", "-nx", "-batch", "-p", text, "-ex", gcore, NULL);
        if (ret == NULL)
            ret = run_well(&command, GDB_SECONDS);
        if (ret == NULL && access(path, R_OK) != 0)
            ret = run_text("gdb has not written %s", path);
        free(gcore);
        free(path);
    }
    return ret;
}

// The parent of a process, and its state as /proc has it; 0 and 'X' when there is no such process.
static int
parent_of(pid_t pid, char *ret_state)
{
    char *path = run_text("/proc/%d/stat", (int) pid), *text = run_read_file(path);
    const char *end = text != NULL ? strrchr(text, ')') : NULL;
    int parent = 0;
    *ret_state = 'X';
    if (end != NULL)
        sscanf(end + 1, " %c %d", ret_state, &parent);
    free(text);
    free(path);
    return parent;
}

// Signals what has started a rank, up to the job's starter.
static void
signal_starters(const struct job *job, pid_t rank, int number)
{
    char state;
    // A rank whose starter is gone is this program's child.
    for (pid_t pid = parent_of(rank, &state); pid > 1 && pid != getpid();
         pid = parent_of(pid, &state)) {
        kill(pid, number);
        if (pid == job->starter)
            return;
    }
}

static void
signal_all_starters(const struct job *job, int number)
{
    size_t i;
    const json_t *pid;
    json_array_foreach (job->pids, i, pid)
        signal_starters(job, (pid_t) atoi(json_string_value(pid)), number);
}

// How the kernel names cores, without the line's end; NULL when they go elsewhere.
static char *
plain_pattern(void)
{
    char *pattern = run_read_file(pattern_file);
    if (pattern != NULL)
        pattern[strcspn(pattern, "\n")] = '\0';
    if (pattern != NULL && *pattern != '\0' && strpbrk(pattern, "|/%") == NULL)
        return pattern;
    free(pattern);
    return NULL;
}

static char *
working_folder(const char *pid)
{
    char *link = run_text("/proc/%s/cwd", pid), path[PATH_MAX];
    ssize_t length = readlink(link, path, sizeof path - 1);
    free(link);
    path[length > 0 ? length : 0] = '\0';
    return strdup(path);
}

// Ends a process with a core and waits for it.
static bool
dump(pid_t pid)
{
    const struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
    char state;
    if (prlimit(pid, RLIMIT_CORE, &all, NULL) != 0 || kill(pid, SIGQUIT) != 0)
        return false;
    for (int ms = 0; ms < DUMP_MS; ms += 20) {
        parent_of(pid, &state);
        if (state == 'Z' || state == 'X')
            return true;
        run_sleep_ms(20);
    }
    return false;
}

// Moves what the kernel has written, with or without the process id at its end.
static char *
collect(const struct job *job, const char *pid, const char *folder, const char *pattern)
{
    char *path = core_path(job, pid), *with_pid = run_text("%s/%s.%s", folder, pattern, pid);
    char *plain = run_text("%s/%s", folder, pattern);
    struct command command = {.count = 0};
    command_add(&command, "mv", access(with_pid, F_OK) == 0 ? with_pid : plain, path, NULL);
    char *ret = run_well(&command, MOVE_SECONDS);
    free(plain);
    free(with_pid);
    free(path);
    return ret;
}

static char *
dump_rank(const struct job *job, const char *pid, const char *pattern)
{
    char *folder = working_folder(pid);
    char *ret = dump((pid_t) atoi(pid)) ? collect(job, pid, folder, pattern)
                                        : run_text("process %s does not end with a core", pid);
    free(folder);
    return ret;
}

char *
cores_by_kernel(const struct job *job)
{
    size_t i;
    const json_t *pid;
    char *ret = NULL, *pattern = plain_pattern();
    if (pattern == NULL)
        return run_text("the kernel hands cores to another program: write \"core\" into %s",
                        pattern_file);
    // They end all other ranks when one has ended.
    signal_all_starters(job, SIGSTOP);
    json_array_foreach (job->pids, i, pid) {
        if (ret == NULL)
            ret = dump_rank(job, json_string_value(pid), pattern);
    }
    signal_all_starters(job, SIGCONT);
    free(pattern);
    return ret;
}

void
cores_add(struct command *command, const struct job *job)
{
    size_t i;
    const json_t *pid;
    command_add(command, "--core", NULL);
    json_array_foreach (job->pids, i, pid)
        command_add(command, core_path(job, json_string_value(pid)), NULL);
}
