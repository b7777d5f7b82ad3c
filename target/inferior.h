// SPDX-License-Identifier: BSD-3-Clause
// One process being read: its target, data model, symbols, snapshot and trail.
#ifndef TARGET_INFERIOR_H
#define TARGET_INFERIOR_H

#include "target/pieces.h"
#include "target/snapshot.h"
#include "target/status.h"
#include "target/target.h"

enum { INFERIOR_SYMBOLS = 64 };

/** The host's answer about a variable, or what was found otherwise. */
struct symbol {
    const char *name; // a string literal of the caller's: it must live as long as the inferior
    taddr addr;
    bool found;
    bool remembered; // by inferior_remember() or inferior_give_up(), not from the host
};

struct inferior {
    struct target target;
    struct datamodel model;
    struct trail trail;
    struct snapshot *snapshot;               // NULL: the host reads exactly
    struct pieces *pieces;                   // NULL: it does not
    struct symbol symbols[INFERIOR_SYMBOLS]; // asked for so far; when full, the host is asked again
    unsigned n_symbols;
    struct code_memo *code; // see code.h; NULL: nothing yet
};

/** Prepares to read a process.
 * @return STATUS_NOMEM, or STATUS_UNSUPPORTED when the host's data model is not one of C's
 */
CHECKED enum status inferior_init(struct inferior *inf, struct target target);

/** Frees what the inferior holds; also after a failed inferior_init(). */
void inferior_deinit(struct inferior *inf);

/** Forgets all bytes read and all symbols that were not found, and empties the trail. */
void inferior_refresh(struct inferior *inf);

/** Reads exactly `size` bytes; on failure the trail says the address and the size. */
CHECKED enum status inferior_read(struct inferior *inf, taddr addr, size_t size, void *ret);

/** Reads bytes of which several parts will be asked for: one read of a host that reads exactly,
 * none of others. Those that cannot be read fail where they are asked for. */
void inferior_fetch(struct inferior *inf, taddr addr, size_t size);

/** Reads an unsigned integer of `width` bytes, 1, 2, 4 or 8. @return also STATUS_MISUSE */
CHECKED enum status
inferior_read_uint(struct inferior *inf, taddr addr, size_t width, uint64_t *ret);

/** Reads a pointer of the target's width. */
CHECKED enum status inferior_read_pointer(struct inferior *inf, taddr addr, taddr *ret);

/** Reads a NUL-terminated string into `ret`, cut to size - 1 bytes, always terminated and zero
 * filled up to `size`; after a failure it is empty. Needs no byte beyond the terminating NUL to be
 * readable, and asks for none beyond its page. `size` is 1 or more.
 */
CHECKED enum status inferior_read_string(struct inferior *inf, taddr addr, size_t size, char *ret);

/** Address of a variable. @param name a string literal @return STATUS_ABSENT when there is none */
CHECKED enum status inferior_symbol(struct inferior *inf, const char *name, taddr *ret);

/** Notes the address of a variable that the host has no name for but that was found otherwise: from
 * now on inferior_symbol() knows it. @param name a string literal */
void inferior_remember(struct inferior *inf, const char *name, taddr addr);

/** Notes that a variable that the host has no name for was not found otherwise either.
 * @param name a string literal */
void inferior_give_up(struct inferior *inf, const char *name);

/** Whether that was noted, since the last refresh. */
bool inferior_has_given_up(const struct inferior *inf, const char *name);

/** Whether the host itself has a name for a variable. @param name a string literal */
bool inferior_has_name(struct inferior *inf, const char *name);

/** Allocates through the host. @return NULL when there is no memory */
void *inferior_alloc(struct inferior *inf, size_t size);

/** Frees what inferior_alloc() gave; NULL is fine. */
void inferior_free(struct inferior *inf, void *memory);

#endif
