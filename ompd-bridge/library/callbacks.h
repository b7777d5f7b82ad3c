// SPDX-License-Identifier: BSD-3-Clause
// What an OMPD library asks of its tool, answered from an inferior.
//
// The callbacks keep the library from doing harm: what it allocates and loses is freed; sizes that
// the process publishes are checked before the library uses them; an answer
// that it gives after a read or look-up had failed becomes an error.
#ifndef OMPD_BRIDGE_LIBRARY_CALLBACKS_H
#define OMPD_BRIDGE_LIBRARY_CALLBACKS_H

#include "ompd-bridge/nptl.h"
#include "ompd-bridge/ompd.h"
#include "target/inferior.h"

enum { SYNTH_COPIES = 256 };

/** Variables of the runtime that are read at other places than they stand, or not at all. */
struct synth_symbols {
    struct synth_copy {
        taddr addr; // where the process has it
        uint64_t value;
    } copies[SYNTH_COPIES];
    unsigned n_copies;
    uint32_t last_found; // place of the thread that was found last
};

/** One process, for the library. */
struct ompd_context {
    struct inferior *inf;
    struct nptl nptl;
    struct nptl_heads heads;
    uintptr_t id; // what the library gets for a pointer; never used twice
    struct synth_symbols synth;
    struct ompd_block *blocks; // the library's memory, that of the last call first
    uint64_t call;             // number of the last call
    // What the last call asked for.
    bool missing;    // something that the runtime does not name
    bool unreadable; // memory that could not be read
};

/** The callbacks, for ompd_initialize(). They serve the context that was entered. */
extern const ompd_callbacks_t ompd_bridge_callbacks;

/** Makes the context of a process. @return STATUS_ABSENT and others when the C library does not
 * describe its threads */
CHECKED enum status ompd_context_init(struct ompd_context *context, struct inferior *inf);

/** Frees all memory that the library has of this context; fine when there is none. */
void ompd_context_deinit(struct ompd_context *context);

/** What to hand the library as the context of the address space. */
ompd_address_space_context_t *ompd_context_handle(const struct ompd_context *context);

/** Surround each call into the library: its callbacks then work on this context. Not nested.
 *
 * Memory of a call that failed is freed.
 * @param rc what the call returned
 * @return the same, but ompd_rc_unavailable when a variable was missing,
 * ompd_rc_device_read_error when something could not be read, ompd_rc_error for what is no result
 */
void ompd_context_enter(struct ompd_context *context);
ompd_rc_t ompd_context_leave(struct ompd_context *context, ompd_rc_t rc);

/** Frees the memory of the last call: a text of the library's, say, after it was copied. */
void ompd_context_drop(struct ompd_context *context);

#endif
