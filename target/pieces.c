// SPDX-License-Identifier: BSD-3-Clause
// Keeps what was read in one buffer; when that is full, all is forgotten.
#include "target/pieces.h"

#include <limits.h>
#include <string.h>

struct piece {
    taddr addr;
    uint32_t size;
    uint32_t place; // of its bytes
};

struct pieces {
    struct target target;
    taddr last_addr;
    uint32_t count, used; // pieces; bytes of the buffer
    struct piece kept[PIECES_COUNT];
    uint8_t bytes[PIECES_KEPT];
};
_Static_assert(PIECES_PAGE <= PIECES_KEPT, "any read can be kept");

struct pieces *
pieces_create(struct target target, unsigned pointer_size)
{
    struct pieces *pieces = target.ops->alloc(sizeof(*pieces));
    if (!pieces)
        return NULL;
    pieces->target = target;
    pieces->last_addr = pointer_size == 4 ? UINT32_MAX : UINT64_MAX;
    pieces_forget(pieces);
    return pieces;
}

void
pieces_destroy(struct pieces *pieces)
{
    if (pieces)
        pieces->target.ops->free(pieces);
}

void
pieces_forget(struct pieces *pieces)
{
    pieces->count = 0;
    pieces->used = 0;
}

// The bytes, when a former read has them all; NULL when none has.
static const uint8_t *
find(const struct pieces *pieces, taddr addr, size_t size)
{
    for (uint32_t i = pieces->count; i-- > 0;) {
        const struct piece *piece = &pieces->kept[i];
        if (addr >= piece->addr && addr - piece->addr <= piece->size &&
            size <= piece->size - (addr - piece->addr))
            return pieces->bytes + piece->place + (addr - piece->addr);
    }
    return NULL;
}

// Reads bytes of one page and keeps them. @return NULL when they cannot be read
static const uint8_t *
load(struct pieces *pieces, taddr addr, size_t size)
{
    if (pieces->count == PIECES_COUNT || size > PIECES_KEPT - pieces->used)
        pieces_forget(pieces);
    uint8_t *bytes = pieces->bytes + pieces->used;
    if (!pieces->target.ops->read(pieces->target.host, addr, size, bytes))
        return NULL;
    pieces->kept[pieces->count++] = (struct piece){addr, (uint32_t) size, pieces->used};
    pieces->used += (uint32_t) size;
    return bytes;
}

enum status
pieces_read(struct pieces *pieces, taddr addr, size_t size, void *ret)
{
    uint8_t *to = ret;
    if (size > INT_MAX ||
        (size > 0 && (addr > pieces->last_addr || size - 1 > pieces->last_addr - addr)))
        return STATUS_UNREADABLE;
    while (size > 0) {
        size_t rest = (size_t) (PIECES_PAGE - addr % PIECES_PAGE);
        size_t part = size < rest ? size : rest;
        const uint8_t *bytes = find(pieces, addr, part);
        if (!bytes && !(bytes = load(pieces, addr, part)))
            return STATUS_UNREADABLE;
        memcpy(to, bytes, part);
        addr += part;
        to += part;
        size -= part;
    }
    return STATUS_OK;
}
