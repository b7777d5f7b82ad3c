// SPDX-License-Identifier: BSD-3-Clause
// Data models of fake processes, C types in them, and integers in memory.
#ifndef TESTS_SCRIPT_MODEL_H
#define TESTS_SCRIPT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MODELS = 4 };

/** Sizes in the order of the type size record, and of the line `sizes`. */
enum size_of {
    SIZE_SHORT,
    SIZE_INT,
    SIZE_LONG,
    SIZE_LONG_LONG,
    SIZE_POINTER,
    SIZE_BOOL,
    SIZE_SIZE_T,
    SIZES
};

struct model {
    const char *name; // "le64"
    bool big_endian;
    int sizes[SIZES]; // bytes
};

/** le64, be64, le32, be32. */
extern const struct model models[MODELS];

/** @return NULL when there is none of that name */
const struct model *model_find(const char *name);

/** Writes the low `width` bytes of a number as the target holds them. */
void model_encode(const struct model *model, uint64_t value, size_t width, uint8_t *ret);

/** Reads `width` (1 to 8) bytes as an unsigned number of the target. */
uint64_t model_decode(const struct model *model, const uint8_t *bytes, size_t width);

#endif
