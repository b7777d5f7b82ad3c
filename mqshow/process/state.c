// SPDX-License-Identifier: BSD-3-Clause
// What a process does by /proc: whether it can go on, who holds it, and how it ended.
#include "mqshow/process/state.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/process/procfs.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
    const char *name;
    const char *letters; // of /proc/PID/stat
} kinds[STATES] = {
    [STATE_UNKNOWN] = {NULL, ""},          [STATE_RUNNING] = {"running", "R"},
    [STATE_SLEEPING] = {"sleeping", "SI"}, [STATE_DISK_SLEEP] = {"disk sleep", "D"},
    [STATE_STOPPED] = {"stopped", "T"},    [STATE_TRACED] = {"traced", "t"},
    [STATE_ZOMBIE] = {"zombie", "ZXx"},    [STATE_GONE] = {"gone", ""},
};

#define SIGNAL(name) [name] = #name

static const char *const signals[] = {
    SIGNAL(SIGHUP),  SIGNAL(SIGINT),   SIGNAL(SIGQUIT), SIGNAL(SIGILL),  SIGNAL(SIGTRAP),
    SIGNAL(SIGABRT), SIGNAL(SIGBUS),   SIGNAL(SIGFPE),  SIGNAL(SIGKILL), SIGNAL(SIGUSR1),
    SIGNAL(SIGSEGV), SIGNAL(SIGUSR2),  SIGNAL(SIGPIPE), SIGNAL(SIGALRM), SIGNAL(SIGTERM),
    SIGNAL(SIGCHLD), SIGNAL(SIGCONT),  SIGNAL(SIGSTOP), SIGNAL(SIGTSTP), SIGNAL(SIGTTIN),
    SIGNAL(SIGTTOU), SIGNAL(SIGURG),   SIGNAL(SIGXCPU), SIGNAL(SIGXFSZ), SIGNAL(SIGVTALRM),
    SIGNAL(SIGPROF), SIGNAL(SIGWINCH), SIGNAL(SIGIO),   SIGNAL(SIGPWR),  SIGNAL(SIGSYS),
};

const char *
state_name(int kind)
{
    return kind >= 0 && kind < STATES ? kinds[kind].name : NULL;
}

const char *
state_signal_name(int signal)
{
    return signal > 0 && (size_t) signal < sizeof signals / sizeof *signals ? signals[signal]
                                                                            : NULL;
}

static int
find_kind(char letter)
{
    for (int i = 0; i < STATES; i++)
        if (letter != '\0' && strchr(kinds[i].letters, letter) != NULL)
            return i;
    return STATE_UNKNOWN;
}

/** Takes the status that a process ended with, or that it was stopped with. */
static void
take_code(struct state *state, int code)
{
    if (state->kind == STATE_STOPPED)
        state->signal = code & 0x7f;
    if (state->kind != STATE_ZOMBIE)
        return;
    state->has_exit = WIFEXITED(code);
    state->exit = WEXITSTATUS(code);
    state->signal = WIFSIGNALED(code) ? WTERMSIG(code) : 0;
}

static void
take_tracer(struct state *state, pid_t pid)
{
    long tracer = procfs_number(procfs_read(NULL, "/proc/%d/status", (int) pid), "TracerPid:");
    if (tracer <= 0 || tracer == getpid())
        return;
    char *name = procfs_thread_name((pid_t) tracer, (pid_t) tracer);
    state->tracer = (pid_t) tracer;
    state->tracer_name = name != NULL ? escape_text(name, SIZE_MAX) : NULL;
    free(name);
}

struct state
state_read(pid_t pid)
{
    struct procfs_stat stat;
    struct state state = {.kind = STATE_GONE};
    if (!procfs_exists(pid))
        return state;
    state.kind = STATE_UNKNOWN;
    if (!procfs_stat(pid, 0, &stat))
        return state;
    // Other threads outlive a first one that ended alone.
    bool first_ended = find_kind(stat.letter) == STATE_ZOMBIE && stat.threads > 1;
    state.kind = first_ended ? STATE_UNKNOWN : find_kind(stat.letter);
    if (stat.has_code)
        take_code(&state, stat.code);
    take_tracer(&state, pid);
    return state;
}

void
state_deinit(struct state *state)
{
    free(state->tracer_name);
    *state = (struct state){.kind = STATE_UNKNOWN};
}

/** A form with the signal as "SIGKILL", or as its number, to free(). */
static char *
with_signal(const char *form, int signal)
{
    const char *name = state_signal_name(signal);
    char *number = alloc_format("signal %d", signal);
    char *text = alloc_format(form, name != NULL ? name : number);
    free(number);
    return text;
}

char *
state_describe(const struct state *state)
{
    if (state->kind == STATE_GONE)
        return alloc_text("gone");
    if (state->kind == STATE_ZOMBIE && state->has_exit)
        return alloc_format("dead (exit status %d)", state->exit);
    if (state->kind == STATE_ZOMBIE)
        return state->signal == 0 ? alloc_text("dead")
                                  : with_signal("dead (killed by %s)", state->signal);
    if (state->tracer > 0)
        return alloc_format("held by %s (pid %d)",
                            state->tracer_name != NULL ? state->tracer_name : "a debugger",
                            (int) state->tracer);
    if (state->kind == STATE_TRACED)
        return alloc_text("held by a debugger");
    if (state->kind != STATE_STOPPED)
        return NULL;
    return state->signal == 0 ? alloc_text("stopped by a signal")
                              : with_signal("stopped (%s)", state->signal);
}
