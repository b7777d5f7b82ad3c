// SPDX-License-Identifier: BSD-3-Clause
// A reader that makes up what it sees, to test what stands on readers: it takes the place of
// LLVM's in the program that links it.
//
// Four threads; the first three are in region 1, which region 0 encloses, and execute implicit
// tasks of the same numbers. The fourth is idle.
#ifndef TESTS_OMP_MADE_UP_H
#define TESTS_OMP_MADE_UP_H

#include "ompd-bridge/backend.h"

enum {
    MADE_UP_THREADS = 4,
    MADE_UP_TEAM = 3,
    MADE_UP_PTHREAD = 0x7000, // of the first thread; the others have the numbers after it
    MADE_UP_TID = 500,        // likewise
};

/** The process; a tool's context for it is a struct tool_context with this as host. */
struct made_up {
    bool loaded;         // there is a runtime
    bool started;        // it can be read
    bool unknown;        // but not natively
    bool has_library;    // there is a second reader, in the place of the OMPD library
    enum status refresh; // what the next refreshs say
    int objects;         // that were given and not released
    int states;          // open readers
    unsigned refreshs;
    unsigned libraries; // how often the library was opened
};

/** What the tool sees of the process. */
struct target made_up_target(struct made_up *made_up);

#endif
