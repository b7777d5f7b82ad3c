// SPDX-License-Identifier: BSD-3-Clause
// The memory of a fake process: pages of which each byte is there or not.
#ifndef TESTS_SCRIPT_MEMORY_H
#define TESTS_SCRIPT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MEMORY_PAGE = 4096,
    MEMORY_UNKNOWN = 0xa5, // what a byte holds of which nothing was said
};

struct page;

struct memory {
    struct page **slots; // open hash by page number
    size_t n_slots;      // a power of 2, or 0
    size_t n_pages;
};

void memory_deinit(struct memory *memory);

/** A copy of its own, for memory_deinit(). */
struct memory memory_copy(const struct memory *memory);

/** Makes the bytes of [addr, addr + size) exist; new ones hold `fill`. */
void memory_map(struct memory *memory, uint64_t addr, uint64_t size, uint8_t fill);

/** Takes bytes away. */
void memory_unmap(struct memory *memory, uint64_t addr, uint64_t size);

/** Makes bytes exist and sets them. */
void memory_write(struct memory *memory, uint64_t addr, const void *bytes, size_t size);

/** Makes bytes exist and sets all of them to `byte`. */
void memory_fill(struct memory *memory, uint64_t addr, uint64_t size, uint8_t byte);

/** @return false if one of the bytes is not there; what is in `ret` means nothing then */
bool memory_read(const struct memory *memory, uint64_t addr, size_t size, void *ret);

/** A run of bytes that are there, all in one page. @param bytes valid until the memory changes */
typedef void memory_run_fn(void *context, uint64_t addr, size_t size, const uint8_t *bytes);

/** Hands on all that is there, by address; runs end at the end of a page. */
void memory_each_run(const struct memory *memory, memory_run_fn *take, void *context);

/** Changes the byte at `addr` if it is there. */
void memory_flip(struct memory *memory, uint64_t addr, uint8_t mask);

#endif
