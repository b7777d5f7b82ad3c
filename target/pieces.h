// SPDX-License-Identifier: BSD-3-Clause
// The bytes of a target that were read since the last refresh, as they were asked for.
#ifndef TARGET_PIECES_H
#define TARGET_PIECES_H

#include "target/status.h"
#include "target/target.h"

enum {
    PIECES_PAGE = 4096,  // bytes; no read of the host crosses a multiple of it
    PIECES_KEPT = 16384, // bytes that are kept
    PIECES_COUNT = 64,   // reads that are kept
};

/** Reads a target whose host pays for each byte: nothing but what is asked for is read, and that
 * once. For hosts that pay for each read there is the snapshot. */
struct pieces;

/** @param pointer_size bytes; no address that needs more is ever read
 * @return NULL when there is no memory
 */
struct pieces *pieces_create(struct target target, unsigned pointer_size);

/** Frees all; NULL is fine. */
void pieces_destroy(struct pieces *pieces);

/** Forgets all bytes (the target may have run). */
void pieces_forget(struct pieces *pieces);

/** Copies `size` bytes at `addr`; size 0 is fine and reads nothing. What lies within a former read
 * is not read again.
 * @return STATUS_OK, or STATUS_UNREADABLE and `ret` means nothing
 */
CHECKED enum status pieces_read(struct pieces *pieces, taddr addr, size_t size, void *ret);

#endif
