// SPDX-License-Identifier: BSD-3-Clause
// A short list of messages for the user.
#ifndef OMPD_BRIDGE_DIAGNOSTICS_H
#define OMPD_BRIDGE_DIAGNOSTICS_H

#include "target/status.h"

enum { DIAGNOSTICS_MAX = 8, DIAGNOSTIC_SIZE = 320 }; // messages; bytes of each with the NUL

struct diagnostics {
    unsigned count;
    char texts[DIAGNOSTICS_MAX][DIAGNOSTIC_SIZE];
};

/** Empties the list; also its initialisation. */
void diagnostics_reset(struct diagnostics *diagnostics);

/** Adds a message, unless it is there already or the list is full. Cuts what is too long; control
 * characters and '%' of the arguments become '?'. */
void diagnostics_add(struct diagnostics *diagnostics, const char *format, ...) PRINTF(2, 3);

/** Replaces what must not reach a terminal, and '%', by '?'. */
void text_make_harmless(char *text);

#endif
