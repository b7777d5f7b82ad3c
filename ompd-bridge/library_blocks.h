// SPDX-License-Identifier: BSD-3-Clause
// The memory that an OMPD library has been given, so that nothing of it gets lost.
#ifndef OMPD_BRIDGE_LIBRARY_BLOCKS_H
#define OMPD_BRIDGE_LIBRARY_BLOCKS_H

#include "target/inferior.h"

/** A block; the memory for the library follows. */
struct ompd_block;

struct ompd_blocks {
    struct ompd_block *first; // NULL: there are none
};

/** Allocates, and fills the memory with what is neither zero nor an address.
 * @return NULL when there is no memory
 */
void *ompd_blocks_alloc(struct ompd_blocks *blocks, struct inferior *inf, size_t size);

/** Frees what ompd_blocks_alloc() gave, in whichever list it is now; NULL is fine. */
void ompd_blocks_free(struct inferior *inf, void *memory);

/** Frees all of a list. */
void ompd_blocks_clear(struct ompd_blocks *blocks, struct inferior *inf);

/** Moves all of `from` to `to`. */
void ompd_blocks_move(struct ompd_blocks *from, struct ompd_blocks *to);

#endif
