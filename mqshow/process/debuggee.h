// SPDX-License-Identifier: BSD-3-Clause
// A process that is read, or its core.
#ifndef MQSHOW_PROCESS_DEBUGGEE_H
#define MQSHOW_PROCESS_DEBUGGEE_H

#include <sys/types.h>

struct copy;
struct core;

struct debuggee {
    pid_t pid;
    const struct core *core; // NULL: the process runs
    const struct copy *copy; // of its stacks; NULL: none
    int pointer_size;        // bytes
};

#endif
