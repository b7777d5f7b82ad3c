// SPDX-License-Identifier: BSD-3-Clause
// Chunks of memory that are filled from the front and freed together.
#include "target/arena.h"

#include <stdalign.h>
#include <string.h>

enum { CHUNK = 64 * 1024 }; // bytes of an ordinary chunk, with its header

struct arena_chunk {
    struct arena_chunk *next;
    size_t used;
    size_t size; // of `bytes`
    alignas(max_align_t) uint8_t bytes[];
};

void
arena_init(struct arena *arena, struct target target)
{
    arena->ops = target.ops;
    arena->chunks = NULL;
}

void
arena_deinit(struct arena *arena)
{
    while (arena->chunks) {
        struct arena_chunk *chunk = arena->chunks;
        arena->chunks = chunk->next;
        arena->ops->free(chunk);
    }
}

static struct arena_chunk *
chunk_create(struct arena *arena, size_t size)
{
    if (size > SIZE_MAX - sizeof(struct arena_chunk))
        return NULL;
    struct arena_chunk *chunk = arena->ops->alloc(sizeof(*chunk) + size);
    if (!chunk)
        return NULL;
    chunk->used = 0;
    chunk->size = size;
    return chunk;
}

// A chunk with room for `size` bytes. A large request gets one of its own, which goes behind the
// newest, so that the rest of that one stays in use.
static struct arena_chunk *
chunk_for(struct arena *arena, size_t size)
{
    enum { ORDINARY = CHUNK - sizeof(struct arena_chunk) };
    struct arena_chunk *newest = arena->chunks;
    if (newest && size <= newest->size - newest->used)
        return newest;
    bool large = size > ORDINARY / 4;
    struct arena_chunk *chunk = chunk_create(arena, large ? size : ORDINARY);
    if (!chunk)
        return NULL;
    struct arena_chunk **place = large && newest ? &newest->next : &arena->chunks;
    chunk->next = *place;
    *place = chunk;
    return chunk;
}

void *
arena_alloc(struct arena *arena, size_t count, size_t size)
{
    const size_t unit = alignof(max_align_t);
    if (size != 0 && count > (SIZE_MAX - unit) / size)
        return NULL;
    size_t bytes = count * size;
    bytes = bytes == 0 ? unit : (bytes + unit - 1) / unit * unit;
    struct arena_chunk *chunk = chunk_for(arena, bytes);
    if (!chunk)
        return NULL;
    void *memory = chunk->bytes + chunk->used;
    chunk->used += bytes;
    return memset(memory, 0, bytes);
}
