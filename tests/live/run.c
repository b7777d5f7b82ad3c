// SPDX-License-Identifier: BSD-3-Clause
// Running other programs: with their output captured and a deadline, or in the background.
#include "run.h"

#include "tests/fork.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

double
run_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec + (double) now.tv_nsec / 1e9;
}

void
run_sleep_ms(long milliseconds)
{
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}

char *
run_text(const char *format, ...)
{
    char *ret;
    va_list args;
    va_start(args, format);
    int length = vasprintf(&ret, format, args);
    va_end(args);
    if (length < 0)
        abort();
    return ret;
}

void
command_add(struct command *command, ...)
{
    const char *word;
    va_list args;
    va_start(args, command);
    while ((word = va_arg(args, const char *)) != NULL) {
        if (command->count == RUN_MAX_ARGS)
            abort();
        command->words[command->count++] = word;
    }
    va_end(args);
}

void
command_add_text(struct command *command, char *text)
{
    char *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest))
        command_add(command, word, NULL);
}

static FILE *
temporary_file(void)
{
    FILE *file = tmpfile();
    if (file == NULL) {
        perror("tmpfile");
        abort();
    }
    return file;
}

static char *
take_content(FILE *file)
{
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    char *ret = calloc((size_t) size + 1, 1);
    if (ret == NULL)
        abort();
    rewind(file);
    if (fread(ret, 1, (size_t) size, file) != (size_t) size)
        abort();
    fclose(file);
    return ret;
}

static void
become(const struct command *command, int out, int err)
{
    int null = open("/dev/null", O_RDONLY);
    dup2(null, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    execvp(command->words[0], (char *const *) command->words);
    fprintf(stderr, "%s: %s\n", command->words[0], strerror(errno));
    _exit(127);
}

// Waits for a child, and kills it at the deadline.
static bool
wait_or_kill(pid_t child, double deadline, int *ret_status)
{
    while (waitpid(child, ret_status, WNOHANG) == 0) {
        if (run_clock() > deadline) {
            kill(child, SIGKILL);
            waitpid(child, ret_status, 0);
            return false;
        }
        run_sleep_ms(5);
    }
    return true;
}

struct outcome
run(const struct command *command, int seconds)
{
    struct outcome outcome;
    FILE *out = temporary_file(), *err = temporary_file();
    pid_t child = fork_plainly();
    if (child == 0)
        become(command, fileno(out), fileno(err));
    outcome.timed_out = !wait_or_kill(child, run_clock() + seconds, &outcome.status);
    outcome.out = take_content(out);
    outcome.err = take_content(err);
    return outcome;
}

void
outcome_deinit(struct outcome *outcome)
{
    free(outcome->out);
    free(outcome->err);
}

pid_t
run_in_background(const struct command *command, char *const *variables, const char *output)
{
    pid_t child = fork_plainly();
    if (child != 0)
        return child;
    // Not a session of its own: to the kernel's autogroups a niced job there weighs as much as all
    // else of the machine.
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    for (; *variables != NULL; variables++)
        putenv(*variables);
    int file = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    become(command, file, file);
    return -1;
}

void
run_adopt_orphans(void)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

// Kills the direct children; their own children then become ours.
static bool
kill_children(void)
{
    char *path = run_text("/proc/%d/task/%d/children", (int) getpid(), (int) getpid());
    char *children = run_read_file(path), *rest = children;
    bool any = false;
    for (char *end; rest != NULL; rest = end) {
        pid_t child = (pid_t) strtol(rest, &end, 10);
        if (end == rest || child <= 0) // 0: of another name space
            break;
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        any = true;
    }
    free(children);
    free(path);
    return any;
}

void
run_kill_all(void)
{
    while (kill_children())
        continue;
}

char *
run_read_file(const char *path)
{
    char *ret = NULL;
    size_t room = 0;
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return NULL;
    if (getdelim(&ret, &room, '\0', file) < 0) {
        free(ret);
        ret = strdup("");
    }
    fclose(file);
    return ret;
}
