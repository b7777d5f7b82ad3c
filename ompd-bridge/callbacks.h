// SPDX-License-Identifier: BSD-3-Clause
// What an OMPD library asks of its tool, answered from a runtime in an inferior.
#ifndef OMPD_BRIDGE_CALLBACKS_H
#define OMPD_BRIDGE_CALLBACKS_H

#include "ompd-bridge/kmp.h"
#include "ompd-bridge/library_blocks.h"
#include "ompd-bridge/ompd.h"

/** One process as the library sees it. */
struct ompd_context {
    const struct kmp *kmp;
    uintptr_t id;            // what the library gets for a pointer; never used twice
    uint32_t last_found;     // place of the thread that was found last
    bool always_tracks;      // answer that states are tracked, whether they are or not
    struct ompd_blocks kept; // the library's memory, from earlier calls
    struct ompd_blocks last; // and from the last call
    // What the last call asked for.
    bool missing;    // something that the runtime does not name
    bool unreadable; // memory that could not be read, or makes no sense
    taddr last_read; // address in the process; 0: none
};

/** The callbacks, for ompd_initialize(). They serve the context that was entered. */
extern const ompd_callbacks_t ompd_bridge_callbacks;

/** Makes the context of a process. `kmp` must outlive it. */
void ompd_context_init(struct ompd_context *context, const struct kmp *kmp);

/** Frees all memory that the library has of this context. */
void ompd_context_deinit(struct ompd_context *context);

/** What to hand the library as the context of the address space. */
ompd_address_space_context_t *ompd_context_handle(const struct ompd_context *context);

/** Surround each call into the library: its callbacks then work on this context. Not nested.
 *
 * libompd goes on with what it has when a part of an answer cannot be read; what it says then means
 * nothing. Memory of a call that failed is freed.
 * @param rc what the call returned
 * @return the same, but ompd_rc_unavailable when a variable was missing,
 * ompd_rc_device_read_error when something could not be read, ompd_rc_error for what is no result
 */
void ompd_context_enter(struct ompd_context *context);
ompd_rc_t ompd_context_leave(struct ompd_context *context, ompd_rc_t rc);

/** Frees the memory of the last call: a text of the library's, say, after it was copied. */
void ompd_context_drop(struct ompd_context *context);

#endif
