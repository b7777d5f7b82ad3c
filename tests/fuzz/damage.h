// SPDX-License-Identifier: BSD-3-Clause
// A file in memory that is damaged as the bytes of an input say, and mended afterwards.
#ifndef TESTS_FUZZ_DAMAGE_H
#define TESTS_FUZZ_DAMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DAMAGE_BYTES = 8, DAMAGE_PATH = 32 };

/** Bytes of the file that are of one kind. */
struct damage_region {
    uint64_t offset, size;
};

/** A file, and what of it is worth to be damaged. */
struct damage {
    int fd;
    char path[DAMAGE_PATH]; // by which it can be opened
    uint64_t size;
    struct damage_region *regions;
    size_t n_regions, capacity;
    struct damage_kept *kept; // what was there before
    size_t n_kept, kept_capacity;
};

/** Copies a file, for damage_deinit(). @return false: it cannot be read */
bool damage_init(struct damage *damage, const char *path);

/** Adds a region. What lies outside of the file is left out. */
void damage_add_region(struct damage *damage, uint64_t offset, uint64_t size);

/** Damages the file, each DAMAGE_BYTES of the input being one number somewhere in a region, or the
 * length of the file. */
void damage_do(struct damage *damage, const uint8_t *data, size_t size);

/** Makes the file what it was. */
void damage_mend(struct damage *damage);

void damage_deinit(struct damage *damage);

#endif
