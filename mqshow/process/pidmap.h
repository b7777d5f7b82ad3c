// SPDX-License-Identifier: BSD-3-Clause
// Processes and threads of another PID namespace: their numbers there, and those that /proc has.
#ifndef MQSHOW_PROCESS_PIDMAP_H
#define MQSHOW_PROCESS_PIDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct pidmap_entry {
    pid_t inner, outer;
};

struct pidmap {
    bool is_same;               // the namespace is the one of /proc: numbers are the same
    struct pidmap_entry *items; // else, by their inner numbers
    size_t count, capacity;
};

/** Maps all processes that are in the PID namespace of one of them. */
void pidmap_init_processes(struct pidmap *map, pid_t member);

/** Maps the threads of a process, from the numbers that they have for the process itself. */
void pidmap_init_threads(struct pidmap *map, pid_t pid);

/** The number that /proc has for an inner one; 0: there is no such process or thread. */
pid_t pidmap_find(const struct pidmap *map, pid_t inner);

void pidmap_deinit(struct pidmap *map);

/** Whether this process is in the first PID namespace, whose numbers are those of drivers. */
bool pidmap_is_first(void);

#endif
