// SPDX-License-Identifier: BSD-3-Clause
// A heap that knows every block, and notices what is written around it.
#include "tests/script/heap.h"

#include "tests/script/host.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CANARY = 64, CANARY_BYTE = 0xc9, FRESH = 0xbe, STALE = 0xef };

/** Lies in front of the canary in front of the block. */
struct block {
    struct block *next;
    struct block *prev;
    size_t size;
    size_t spare; // keeps the block aligned for any type
    uint8_t canary[CANARY];
};

static struct block all = {.next = &all, .prev = &all};
static size_t n_blocks;
static size_t n_bytes;
static size_t peak;

void *
heap_alloc(size_t size)
{
    if (size == 0 || size > SIZE_MAX / 2)
        return NULL;
    struct block *block = malloc(sizeof(*block) + size + CANARY);
    if (!block)
        return NULL;

    uint8_t *memory = (uint8_t *) (block + 1);
    block->size = size;
    memset(block->canary, CANARY_BYTE, CANARY);
    memset(memory, FRESH, size);
    memset(memory + size, CANARY_BYTE, CANARY);
    block->next = all.next;
    block->prev = &all;
    all.next->prev = block;
    all.next = block;
    n_blocks++;
    n_bytes += size;
    peak = n_bytes > peak ? n_bytes : peak;
    return memory;
}

static struct block *
find_block(const void *memory)
{
    for (struct block *block = all.next; block != &all; block = block->next) {
        if (block + 1 == memory)
            return block;
    }
    return NULL;
}

static int
intact(const uint8_t *canary)
{
    for (size_t i = 0; i < CANARY; i++) {
        if (canary[i] != CANARY_BYTE)
            return 0;
    }
    return 1;
}

void
heap_free(void *memory)
{
    if (!memory)
        return;
    struct block *block = find_block(memory);
    if (!block) {
        host_violation("freed what was not allocated");
        return;
    }
    if (!intact(block->canary) || !intact((uint8_t *) memory + block->size))
        host_violation("wrote outside a block of %zu bytes", block->size);
    memset(memory, STALE, block->size);
    block->next->prev = block->prev;
    block->prev->next = block->next;
    n_blocks--;
    n_bytes -= block->size;
    free(block);
}

size_t
heap_blocks(void)
{
    return n_blocks;
}

size_t
heap_bytes(void)
{
    return n_bytes;
}

size_t
heap_peak(void)
{
    return peak;
}

void
heap_forget_peak(void)
{
    peak = n_bytes;
}
