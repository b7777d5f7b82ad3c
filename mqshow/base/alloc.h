// SPDX-License-Identifier: BSD-3-Clause
// Allocation for the tool: it ends the program when there is no memory.
#ifndef MQSHOW_BASE_ALLOC_H
#define MQSHOW_BASE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

#define PRINTF(f, a) __attribute__((format(printf, f, a)))

/** The memory that something else has allocated; NULL ends the program. */
void *alloc_or_die(void *memory);

/** As malloc(). */
void *alloc_bytes(size_t size);

/** Zeroed memory for `count` items; free() frees it. */
void *alloc_zeroed(size_t count, size_t size);

/** Remembers that a call found no memory or could not read a file, which errno says; it must be 0
 * before. Not the end of the program: what a damaged file asks for may be more than there is.
 * @return whether this call did
 */
bool alloc_check_errno(void);

/** The first errno of these since this was asked last; 0: none. What was found out with a library
 * or a file may be incomplete. */
int alloc_first_errno(void);

/** A copy of a text; NULL of NULL. */
char *alloc_text(const char *text);

/** A formatted text. */
char *alloc_format(const char *format, ...) PRINTF(1, 2);

/** Makes room for one more item in a growing array.
 * @param items    the array, NULL at first
 * @param count    items in use
 * @param capacity items there is room for; updated
 * @return the array, perhaps moved
 */
void *alloc_grow(void *items, size_t count, size_t *capacity, size_t item_size);

/** Frees what a growing array has room for and does not use. @return the array, perhaps moved */
void *alloc_shrink(void *items, size_t count, size_t *capacity, size_t item_size);

/** A new item at the end of a growing array, which it counts; to be assigned to. The arguments are
 * evaluated several times. */
#define ALLOC_ADD(items, count, capacity) \
    ((items) = alloc_grow((items), (count), &(capacity), sizeof *(items)), &(items)[(count)++])

/** Appends bytes to a growing piece of memory.
 * @param bytes    NULL at first
 * @param size     bytes in use; updated
 * @param capacity bytes there is room for; updated
 * @return the piece, perhaps moved
 */
char *alloc_append(char *bytes, size_t *size, size_t *capacity, const void *more, size_t count);

#endif
