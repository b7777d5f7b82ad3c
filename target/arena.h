// SPDX-License-Identifier: BSD-3-Clause
// Memory that is freed as one.
#ifndef TARGET_ARENA_H
#define TARGET_ARENA_H

#include "target/target.h"

struct arena_chunk;

struct arena {
    const struct target_ops *ops;
    struct arena_chunk *chunks; // newest first
};

/** Prepares an empty arena; allocates nothing. */
void arena_init(struct arena *arena, struct target target);

/** Frees all of it; the arena can be used again. */
void arena_deinit(struct arena *arena);

/** Zeroed memory, aligned for any type, until arena_deinit(). @return NULL when there is none, or
 * when count * size overflows */
void *arena_alloc(struct arena *arena, size_t count, size_t size);

#endif
