// SPDX-License-Identifier: BSD-3-Clause
// A tool of the tests' own that speaks OMPD: its callbacks stand on any struct target.
#ifndef TESTS_OMP_OMPD_TOOL_H
#define TESTS_OMP_OMPD_TOOL_H

#include "ompd-bridge/ompd.h"
#include "target/target.h"

enum tool_call { TOOL_ALLOC, TOOL_SIZEOF, TOOL_SYMBOL, TOOL_READ, TOOL_CONVERT, TOOL_CALLS };

/** An address space context: what the library's `context` points to. */
struct tool_context {
    struct target target;
    bool vague; // says ok and gives the address -1 for a symbol that there is not
};

extern struct tool {
    unsigned calls[TOOL_CALLS]; // so far
    unsigned fail[TOOL_CALLS];  // number of the call that fails, from 1 on; 0: none
    bool fail_from_there;       // and all that follow
    int blocks;                 // that were allocated and not freed
    char absent[1024];          // symbols that were looked up and are not there, the first ones
    bool torn;                  // the library freed what it did not allocate, or wrote beyond
} tool;

/** The callbacks; those that a library has no use for are NULL. */
extern const ompd_callbacks_t tool_callbacks;

/** Forgets faults and counts calls anew. */
void tool_reset(void);

/** Frees what the library allocated for the tool. NULL is fine. */
void tool_free(const void *memory);

/** The functions of a library. @return false when one is missing */
bool tool_load(void *library, struct ompd_functions *ret);

#endif
