// SPDX-License-Identifier: BSD-3-Clause
// Variables of a runtime as an OMPD library is shown them: by name, at real or made-up addresses.
#ifndef OMPD_BRIDGE_MADE_UP_H
#define OMPD_BRIDGE_MADE_UP_H

#include "ompd-bridge/callbacks.h"

/** What the library gets for the thread in that place of the array of threads. */
ompd_thread_context_t *made_up_thread(uint32_t place);

/** Address of a variable.
 * @param thread NULL for what is not thread-local
 * @param ret    set in any case; where there is no such variable, nothing can be read there
 * @return whether the runtime has it
 */
bool made_up_find(const struct ompd_context *context, const char *name,
                  const ompd_thread_context_t *thread, taddr *ret);

/** Reads what is answered from here.
 * @return false for addresses of the process, and for what is not known: then the context says that
 * it is missing
 */
bool made_up_read(struct ompd_context *context, taddr addr, ompd_size_t size, void *buffer);

/** Whether bytes read of the process may be handed on: lengths of lists must be such that libompd's
 * arithmetic has room for them. */
bool made_up_trusts(const struct ompd_context *context, taddr addr, ompd_size_t size,
                    const void *buffer);

#endif
