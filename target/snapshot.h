// SPDX-License-Identifier: BSD-3-Clause
// The pages of a target that were read since the last refresh.
#ifndef TARGET_SNAPSHOT_H
#define TARGET_SNAPSHOT_H

#include "target/status.h"
#include "target/target.h"

enum {
    SNAPSHOT_PAGE = 4096,             // bytes; the unit of the cache
    SNAPSHOT_FIRST_RUN = 4,           // pages of a read where nothing near was read before
    SNAPSHOT_LAST_RUN = 64,           // pages of a read after long sequential access
    SNAPSHOT_LIMIT = 8 * 1024 * 1024, // bytes of pages kept; the oldest make room
};

/** Reads a target in aligned runs of pages, because a read may be a network round trip.
 *
 * A run starts with SNAPSHOT_FIRST_RUN pages. Access within as many pages as the next run would
 * have, above or below, reads that run, which is twice as long; it ends before a page that is there
 * already. A run that cannot be read is quartered down to one page (the edge of a mapping), and
 * then exactly the wanted bytes are read (a host that knows less than a page). Memory for pages
 * comes from the target's alloc() as it is needed; when there is none, the oldest pages make room,
 * and without any, reads go straight to the host.
 */
struct snapshot;

/** @param pointer_size bytes; no address that needs more is ever read
 * @return NULL when there is no memory
 */
struct snapshot *snapshot_create(struct target target, unsigned pointer_size);

/** Frees all; NULL is fine. */
void snapshot_destroy(struct snapshot *snapshot);

/** Forgets all bytes (the target may have run). Keeps the memory. */
void snapshot_forget(struct snapshot *snapshot);

/** Copies `size` bytes at `addr`; size 0 is fine and reads nothing.
 * @return STATUS_OK, or STATUS_UNREADABLE and `ret` means nothing
 */
CHECKED enum status snapshot_read(struct snapshot *snapshot, taddr addr, size_t size, void *ret);

#endif
