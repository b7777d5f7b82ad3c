// SPDX-License-Identifier: BSD-3-Clause
// A process that is read: running, its core, or held by a debugger.
#ifndef MQSHOW_PROCESS_DEBUGGEE_H
#define MQSHOW_PROCESS_DEBUGGEE_H

#include <sys/types.h>

struct copy;
struct core;
struct footprint;
struct stub;

struct debuggee {
    pid_t pid;
    const struct core *core;     // NULL: it is none of a core
    struct stub *stub;           // of the debugger that holds it; NULL: none
    const struct copy *copy;     // of its stacks; NULL: none
    struct footprint *footprint; // where reads of it are noted, and what was copied; NULL: nowhere
    int pointer_size;            // bytes
};

#endif
