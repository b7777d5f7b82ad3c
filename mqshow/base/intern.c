// SPDX-License-Identifier: BSD-3-Clause
// Equal pieces of bytes, each kept once and known by a number.
#include "mqshow/base/intern.h"

#include "mqshow/base/alloc.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_TABLE = 32 };

/** FNV-1a. */
static uint64_t
hash_of(const void *bytes, size_t size)
{
    uint64_t hash = 14695981039346656037u;
    for (const unsigned char *s = bytes; size > 0; s++, size--)
        hash = (hash ^ *s) * 1099511628211u;
    return hash ^ hash >> 32;
}

static size_t
place_of(const struct intern *intern, const void *bytes, size_t size, uint64_t hash)
{
    size_t i = hash & (intern->table_size - 1);
    for (; intern->table[i] != 0; i = (i + 1) & (intern->table_size - 1)) {
        const struct interned *item = &intern->items[intern->table[i] - 1];
        if (item->hash == hash && item->size == size &&
            (size == 0 || memcmp(item->bytes, bytes, size) == 0))
            break;
    }
    return i;
}

/** Keeps the table at most half full. */
static void
make_room(struct intern *intern)
{
    if (2 * (intern->count + 1) <= intern->table_size)
        return;
    free(intern->table);
    intern->table_size = intern->table_size > 0 ? 2 * intern->table_size : FIRST_TABLE;
    intern->table = alloc_zeroed(intern->table_size, sizeof *intern->table);
    for (size_t i = 0; i < intern->count; i++) {
        const struct interned *item = &intern->items[i];
        intern->table[place_of(intern, item->bytes, item->size, item->hash)] = (uint32_t) i + 1;
    }
}

uint32_t
intern_bytes(struct intern *intern, const void *bytes, size_t size)
{
    make_room(intern);
    uint64_t hash = hash_of(bytes, size);
    size_t place = place_of(intern, bytes, size, hash);
    if (intern->table[place] != 0)
        return intern->table[place] - 1;
    char *copy = alloc_zeroed(size + 1, 1);
    if (size > 0)
        memcpy(copy, bytes, size);
    *ALLOC_ADD(intern->items, intern->count, intern->capacity) =
        (struct interned){copy, size, hash};
    intern->table[place] = (uint32_t) intern->count;
    return intern->table[place] - 1;
}

uint32_t
intern_text(struct intern *intern, const char *text)
{
    return intern_bytes(intern, text, strlen(text));
}

const char *
intern_get_text(const struct intern *intern, uint32_t number)
{
    return intern->items[number].bytes;
}

const char *
intern_keep(struct intern *intern, const char *text)
{
    return intern_get_text(intern, intern_text(intern, text));
}

void
intern_deinit(struct intern *intern)
{
    for (size_t i = 0; i < intern->count; i++)
        free(intern->items[i].bytes);
    free(intern->items);
    free(intern->table);
    *intern = (struct intern){.items = NULL};
}
