// SPDX-License-Identifier: BSD-3-Clause
// Reading the interpreter's structs and objects. Nothing of them is believed: lengths are limited,
// and so is what is read in all, wherever pointers lead to.
#ifndef MQSHOW_PYTHON_OBJECTS_H
#define MQSHOW_PYTHON_OBJECTS_H

#include "mqshow/python/layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;

/** The memory of an interpreter. */
struct objects {
    const struct image *image;
    struct python_layout layout;
    uint64_t code_type; // address of PyCode_Type
    uint64_t left;      // bytes that may still be read; 0: no more is
};

/** More than any real process needs. */
enum { OBJECTS_BYTES = 1 << 27 };

/** Where each object has its type, in all releases. */
enum { OB_TYPE = 8 };

/** A list of the interpreter's that is followed. */
struct chain {
    size_t max, count;
    uint64_t mark; // an item that was met
};

/** Takes an item. @return false when there were `max`, or the list goes round in a circle: at the
 * latest when twice as many items were taken as it has */
bool chain_take(struct chain *chain, uint64_t addr);

/** Reads an unsigned integer of a struct. @param offset PYTHON_NONE: there is none */
bool objects_uint(struct objects *objects, uint64_t addr, int offset, size_t width, uint64_t *ret);

/** Reads a pointer, or an integer that is as wide, of a struct. */
bool objects_pointer(struct objects *objects, uint64_t addr, int offset, uint64_t *ret);

/** Looks a name up in a dict object that is no object's own.
 * @param name at least 8 bytes, of ASCII
 * @return false: it is not there, or cannot be read
 */
bool objects_item(struct objects *objects, uint64_t dict, const char *name, uint64_t *ret);

/** Reads a str object.
 * @return its text, escaped, of a long one the end, for free(); NULL: it cannot be read
 */
char *objects_text(struct objects *objects, uint64_t addr);

/** Reads a bytes object, for free(); NULL: it cannot be read. */
unsigned char *objects_bytes(struct objects *objects, uint64_t addr, size_t *ret_size);

#endif
