// SPDX-License-Identifier: BSD-3-Clause
// The memory of a fake process: pages of which each byte is there or not.
#include "tests/script/memory.h"

#include "tests/script/source.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 64 };

struct page {
    uint64_t number;
    uint8_t bytes[MEMORY_PAGE];
    bool there[MEMORY_PAGE];
};

/** The part of a range that lies in one page. */
struct part {
    uint64_t number;
    size_t offset;
    size_t size;
};

static struct part
first_part(uint64_t addr, uint64_t size)
{
    size_t offset = (size_t) (addr % MEMORY_PAGE);
    size_t room = MEMORY_PAGE - offset;

    return (struct part){addr / MEMORY_PAGE, offset, size < room ? (size_t) size : room};
}

static struct page **
find_slot(const struct memory *memory, uint64_t number)
{
    size_t slot = (size_t) (number * 0x9e3779b97f4a7c15 >> 20) & (memory->n_slots - 1);
    while (memory->slots[slot] && memory->slots[slot]->number != number)
        slot = (slot + 1) & (memory->n_slots - 1);
    return &memory->slots[slot];
}

static void
grow(struct memory *memory)
{
    struct memory larger = {.n_slots = memory->n_slots ? 2 * memory->n_slots : FIRST_SLOTS,
                            .n_pages = memory->n_pages};

    larger.slots = need_alloc(larger.n_slots * sizeof(struct page *));
    for (size_t i = 0; i < memory->n_slots; i++) {
        if (memory->slots[i])
            *find_slot(&larger, memory->slots[i]->number) = memory->slots[i];
    }
    free(memory->slots);
    *memory = larger;
}

static struct page *
need_page(struct memory *memory, uint64_t number)
{
    if (2 * (memory->n_pages + 1) > memory->n_slots)
        grow(memory);
    struct page **slot = find_slot(memory, number);
    if (!*slot) {
        *slot = need_alloc(sizeof(**slot));
        (*slot)->number = number;
        memory->n_pages++;
    }
    return *slot;
}

void
memory_deinit(struct memory *memory)
{
    for (size_t i = 0; i < memory->n_slots; i++)
        free(memory->slots[i]);
    free(memory->slots);
    *memory = (struct memory){0};
}

struct memory
memory_copy(const struct memory *memory)
{
    struct memory copy = *memory;

    copy.slots = need_alloc(copy.n_slots * sizeof(struct page *));
    for (size_t i = 0; i < copy.n_slots; i++) {
        if (!memory->slots[i])
            continue;
        copy.slots[i] = need_alloc(sizeof(**copy.slots));
        *copy.slots[i] = *memory->slots[i];
    }
    return copy;
}

void
memory_map(struct memory *memory, uint64_t addr, uint64_t size, uint8_t fill)
{
    for (struct part part; size; addr += part.size, size -= part.size) {
        part = first_part(addr, size);
        struct page *page = need_page(memory, part.number);
        for (size_t i = part.offset; i < part.offset + part.size; i++) {
            if (!page->there[i])
                page->bytes[i] = fill;
            page->there[i] = true;
        }
    }
}

void
memory_unmap(struct memory *memory, uint64_t addr, uint64_t size)
{
    for (struct part part; size; addr += part.size, size -= part.size) {
        part = first_part(addr, size);
        memset(need_page(memory, part.number)->there + part.offset, 0, part.size);
    }
}

void
memory_write(struct memory *memory, uint64_t addr, const void *bytes, size_t size)
{
    const uint8_t *from = bytes;

    for (struct part part; size; addr += part.size, from += part.size, size -= part.size) {
        part = first_part(addr, size);
        struct page *page = need_page(memory, part.number);
        memcpy(page->bytes + part.offset, from, part.size);
        memset(page->there + part.offset, 1, part.size);
    }
}

void
memory_fill(struct memory *memory, uint64_t addr, uint64_t size, uint8_t byte)
{
    for (struct part part; size; addr += part.size, size -= part.size) {
        part = first_part(addr, size);
        struct page *page = need_page(memory, part.number);
        memset(page->bytes + part.offset, byte, part.size);
        memset(page->there + part.offset, 1, part.size);
    }
}

bool
memory_read(const struct memory *memory, uint64_t addr, size_t size, void *ret)
{
    uint8_t *to = ret;

    for (struct part part; size; addr += part.size, to += part.size, size -= part.size) {
        part = first_part(addr, size);
        const struct page *page = memory->n_slots ? *find_slot(memory, part.number) : NULL;
        if (!page || memchr(page->there + part.offset, 0, part.size))
            return false;
        memcpy(to, page->bytes + part.offset, part.size);
    }
    return true;
}

static int
compare_pages(const void *a, const void *b)
{
    const struct page *const *left = a, *const *right = b;
    return ((*left)->number > (*right)->number) - ((*left)->number < (*right)->number);
}

static void
each_run_of_page(const struct page *page, memory_run_fn *take, void *context)
{
    for (size_t i = 0, end; i < MEMORY_PAGE; i = end) {
        for (end = i + 1; end < MEMORY_PAGE && page->there[end] == page->there[i];)
            end++;
        if (page->there[i])
            take(context, page->number * MEMORY_PAGE + i, end - i, page->bytes + i);
    }
}

void
memory_each_run(const struct memory *memory, memory_run_fn *take, void *context)
{
    const struct page **pages = need_array(NULL, memory->n_pages + 1, sizeof(const struct page *));
    size_t n = 0;

    for (size_t i = 0; i < memory->n_slots; i++) {
        if (memory->slots[i])
            pages[n++] = memory->slots[i];
    }
    qsort(pages, n, sizeof(const struct page *), compare_pages);
    for (size_t i = 0; i < n; i++)
        each_run_of_page(pages[i], take, context);
    free(pages);
}

void
memory_flip(struct memory *memory, uint64_t addr, uint8_t mask)
{
    uint8_t byte;

    if (memory_read(memory, addr, 1, &byte)) {
        byte ^= mask;
        memory_write(memory, addr, &byte, 1);
    }
}
