// SPDX-License-Identifier: BSD-3-Clause
// A short list of messages for the user.
#ifndef OMPD_BRIDGE_NOTES_H
#define OMPD_BRIDGE_NOTES_H

#include "target/status.h"

enum { NOTES_MAX = 8, NOTE_SIZE = 320 }; // messages; bytes of each with the NUL

struct notes {
    unsigned count;
    char texts[NOTES_MAX][NOTE_SIZE];
};

/** Empties the list; also its initialisation. */
void notes_reset(struct notes *notes);

/** Adds a message, unless it is there already or the list is full. Cuts what is too long; control
 * characters and '%' of the arguments become '?'. */
void notes_add(struct notes *notes, const char *format, ...) PRINTF(2, 3);

/** Replaces what must not reach a terminal, and '%', by '?'. */
void text_make_harmless(char *text);

#endif
