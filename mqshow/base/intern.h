// SPDX-License-Identifier: BSD-3-Clause
// Equal pieces of bytes, each kept once and known by a number.
#ifndef MQSHOW_BASE_INTERN_H
#define MQSHOW_BASE_INTERN_H

#include <stddef.h>
#include <stdint.h>

struct interned {
    void *bytes; // with a NUL behind them
    size_t size;
    uint64_t hash;
};

struct intern {
    struct interned *items;
    size_t count, capacity;
    uint32_t *table; // number + 1 of an item, 0: free
    size_t table_size;
};

/** Number of the piece of bytes, from 0 in the order of first sight. */
uint32_t intern_bytes(struct intern *intern, const void *bytes, size_t size);

/** Likewise of a text. */
uint32_t intern_text(struct intern *intern, const char *text);

/** The text with this number; valid until intern_deinit(). */
const char *intern_get_text(const struct intern *intern, uint32_t number);

/** The same text, once; valid until intern_deinit(). */
const char *intern_keep(struct intern *intern, const char *text);

void intern_deinit(struct intern *intern);

#endif
