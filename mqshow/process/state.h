// SPDX-License-Identifier: BSD-3-Clause
// What a process does by /proc: whether it can go on, who holds it, and how it ended.
#ifndef MQSHOW_PROCESS_STATE_H
#define MQSHOW_PROCESS_STATE_H

#include <stdbool.h>
#include <sys/types.h>

enum state_kind {
    STATE_UNKNOWN,
    STATE_RUNNING,
    STATE_SLEEPING,
    STATE_DISK_SLEEP,
    STATE_STOPPED,
    STATE_TRACED,
    STATE_ZOMBIE,
    STATE_GONE,
    STATES
};

struct state {
    int kind;          // enum state_kind
    pid_t tracer;      // the debugger that holds it; 0: none
    char *tracer_name; // escaped; NULL: not known
    int signal;        // that stopped it, or that it died of; 0: not known
    bool has_exit;     // it ended by itself, and how is known
    int exit;          // its status then
};

/** Reads the state of a process, which must not be held by this program. state_deinit() frees it.
 */
struct state state_read(pid_t pid);

void state_deinit(struct state *state);

/** Name of a kind of state, and of a signal; NULL: it has none. */
const char *state_name(int kind);
const char *state_signal_name(int signal);

/** What keeps a process from going on, in words, to free(); NULL: nothing that is known. */
char *state_describe(const struct state *state);

#endif
