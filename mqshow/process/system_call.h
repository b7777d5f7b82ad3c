// SPDX-License-Identifier: BSD-3-Clause
// The calls to the system that threads wait in, and what their numbers and arguments say: what they
// are about, and whether they end after a time.
#ifndef MQSHOW_PROCESS_SYSTEM_CALL_H
#define MQSHOW_PROCESS_SYSTEM_CALL_H

#include <stdbool.h>
#include <stdint.h>

/** A call as this machine's kernel numbers it. */
struct made_call {
    long number; // negative: none
    uint64_t arguments[6];
};

/** What the registers of a thread say of it: the call that it waits in, and which thread it is. */
struct system_state {
    uint64_t pthread;      // its pthread_t; 0: not known
    bool known;            // whether it waits in a call
    struct made_call made; // number -1: in none
    bool shared;           // of a futex: its word may be other processes' too
};

/** What ends a call that waits: something about files, which may be those of devices and networks;
 * a word of memory that is written, the time, a signal, the end of a child, another process. */
enum call_waits {
    CALL_WAITS_FILE,
    CALL_WAITS_MEMORY,
    CALL_WAITS_TIME,
    CALL_WAITS_SIGNAL,
    CALL_WAITS_CHILD,
    CALL_WAITS_PROCESS
};

/** What a call is about: the file of its first argument, or what is behind that. */
enum call_about {
    ABOUT_FILE,
    ABOUT_LOCK,
    ABOUT_READ,
    ABOUT_WRITE,
    ABOUT_CONTROL, // a device
    ABOUT_POLL,    // files in an array
    ABOUT_EPOLL,   // files in a file
    ABOUT_FILES,   // several, or what is done with them: not looked into
    ABOUT_PATH,    // a path
    ABOUT_PATH_AT, // a path from a folder
    ABOUT_WORD,    // a word of memory: a futex
    ABOUT_TIME,
    ABOUT_SIGNAL,
    ABOUT_CHILD,
    ABOUT_OTHERS // messages and semaphores between processes
};

/** A sort of call that may wait. */
struct call_kind {
    long number;
    enum call_about about;
    const char *name;
    enum { LIMIT_NONE, LIMIT_ALWAYS, LIMIT_INT, LIMIT_POINTER } limit; // and of which argument
    unsigned char limit_at;
};

/** That of a call. A call that the kernel begins again after an interruption (restart_syscall) is
 * known by its arguments.
 * @return NULL: it is none of those that are known, or does not wait: fcntl() but for a lock, a
 * futex that wakes others
 */
const struct call_kind *call_kind_of(const struct made_call *made);

enum call_waits call_waits_for(const struct call_kind *kind);

/** Whether the call ends after a time. */
bool call_times_out(const struct call_kind *kind, const struct made_call *made);

/** The word of memory that a futex is about; 0: the call is about none. */
uint64_t call_word(const struct call_kind *kind, const struct made_call *made);

/** Likewise only where the caller does not say that no other process uses it.
 * @param kind NULL: none */
uint64_t call_open_word(const struct call_kind *kind, const struct made_call *made);

#endif
