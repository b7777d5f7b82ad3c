// SPDX-License-Identifier: BSD-3-Clause
// Widths and byte order of a target.
#ifndef TARGET_DATAMODEL_H
#define TARGET_DATAMODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** An address in the target, whatever its width; never a pointer of ours. */
typedef uint64_t taddr;

/** Sizes are bytes. */
struct datamodel {
    bool big_endian;
    uint8_t short_size;
    uint8_t int_size;
    uint8_t long_size;
    uint8_t long_long_size;
    uint8_t pointer_size;
    uint8_t bool_size;
    uint8_t size_t_size;
};

/** Whether all sizes are among those that C implementations have (short 2; int 4; long, size_t and
 * pointer 4 or 8; long long 8; bool 1 or 4).
 */
bool datamodel_valid(const struct datamodel *model);

/** Decodes an unsigned integer of 1, 2, 4 or 8 bytes; 0 for any other width. */
uint64_t datamodel_uint(const struct datamodel *model, const void *bytes, size_t width);

/** Decodes a signed integer of 1, 2, 4 or 8 bytes; 0 for any other width. */
int64_t datamodel_int(const struct datamodel *model, const void *bytes, size_t width);

#endif
