// SPDX-License-Identifier: BSD-3-Clause
// A heap that knows every block, and notices what is written around it.
#ifndef TESTS_SCRIPT_HEAP_H
#define TESTS_SCRIPT_HEAP_H

#include <stddef.h>

/** Memory filled with a pattern; NULL for a size of 0 bytes. */
void *heap_alloc(size_t size);

/** Frees a block. One that heap_alloc() did not give, or that was written around, is noted as
 * a violation (host_violation()). NULL is fine. */
void heap_free(void *memory);

/** Number of blocks that are not freed. */
size_t heap_blocks(void);

/** Sum of their sizes, and the most that it ever was since heap_forget_peak(). */
size_t heap_bytes(void);
size_t heap_peak(void);
void heap_forget_peak(void);

#endif
