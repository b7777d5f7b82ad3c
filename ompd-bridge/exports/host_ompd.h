// SPDX-License-Identifier: BSD-3-Clause
// The callbacks of an OMPD tool as a target.
#ifndef OMPD_BRIDGE_EXPORTS_HOST_OMPD_H
#define OMPD_BRIDGE_EXPORTS_HOST_OMPD_H

#include "ompd-bridge/ompd.h"
#include "target/target.h"

/** One process as the tool's callbacks know it. */
struct ompd_host {
    ompd_address_space_context_t *context;
    ompd_rc_t failure; // what the callbacks returned when they could not describe the process
};

/** The target that a host is. The host must outlive it. There are no types: OMPD has no questions
 * for debug information. */
struct target ompd_host_target(struct ompd_host *host);

/** Allocates through the tool. @return NULL when there is no memory */
void *ompd_host_alloc(size_t size);

/** Frees what ompd_host_alloc() gave; NULL is fine. */
void ompd_host_free(void *memory);

/** Address of a thread's own variable. @param id of `size` bytes @return false when the tool cannot
 * say it */
bool ompd_host_thread_variable(const struct ompd_host *host, ompd_thread_id_t kind,
                               ompd_size_t size, const void *id, const char *name, taddr *ret);

#endif
