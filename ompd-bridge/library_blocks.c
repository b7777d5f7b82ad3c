// SPDX-License-Identifier: BSD-3-Clause
// Lists of the memory that an OMPD library has been given.
#include "ompd-bridge/library_blocks.h"

#include <stdalign.h>
#include <stddef.h>
#include <string.h>

enum { FILL = 0x5a }; // of new memory: libompd uses members that it has not set as non-NULL

struct ompd_block {
    struct ompd_block *next;
    struct ompd_block **link; // what points to this block
    alignas(max_align_t) char memory[];
};

static void
insert(struct ompd_blocks *blocks, struct ompd_block *block)
{
    block->next = blocks->first;
    block->link = &blocks->first;
    if (block->next)
        block->next->link = &block->next;
    blocks->first = block;
}

static void
take_out(struct ompd_block *block)
{
    *block->link = block->next;
    if (block->next)
        block->next->link = block->link;
}

void *
ompd_blocks_alloc(struct ompd_blocks *blocks, struct inferior *inf, size_t size)
{
    struct ompd_block *block = inferior_alloc(inf, sizeof(*block) + size);
    if (!block)
        return NULL;
    insert(blocks, block);
    memset(block->memory, FILL, size);
    return block->memory;
}

void
ompd_blocks_free(struct inferior *inf, void *memory)
{
    if (!memory)
        return;
    struct ompd_block *block =
        (struct ompd_block *) ((char *) memory - offsetof(struct ompd_block, memory));
    take_out(block);
    inferior_free(inf, block);
}

void
ompd_blocks_clear(struct ompd_blocks *blocks, struct inferior *inf)
{
    while (blocks->first)
        ompd_blocks_free(inf, blocks->first->memory);
}

void
ompd_blocks_move(struct ompd_blocks *from, struct ompd_blocks *to)
{
    while (from->first) {
        struct ompd_block *block = from->first;
        take_out(block);
        insert(to, block);
    }
}
