// SPDX-License-Identifier: BSD-3-Clause
// What an OMPD library asks of its tool, answered from a runtime in an inferior.
#ifndef OMPD_BRIDGE_CALLBACKS_H
#define OMPD_BRIDGE_CALLBACKS_H

#include "ompd-bridge/kmp.h"
#include "ompd-bridge/ompd.h"

/** One process as the library sees it. */
struct ompd_context {
    const struct kmp *kmp;
    uintptr_t id;        // what the library gets for a pointer; never used twice
    uint32_t last_found; // place of the thread that was found last
};

/** The callbacks, for ompd_initialize(). They serve the context that was entered. */
extern const ompd_callbacks_t ompd_bridge_callbacks;

/** Makes the context of a process. `kmp` must outlive it. */
void ompd_context_init(struct ompd_context *context, const struct kmp *kmp);

/** What to hand the library as the context of the address space. */
ompd_address_space_context_t *ompd_context_handle(const struct ompd_context *context);

/** Surround all calls into the library: its callbacks then work on this context. Not nested. */
void ompd_context_enter(struct ompd_context *context);
void ompd_context_leave(void);

#endif
