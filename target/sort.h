// SPDX-License-Identifier: BSD-3-Clause
// Sorting in place, without allocating (qsort() may).
#ifndef TARGET_SORT_H
#define TARGET_SORT_H

#include <stddef.h>
#include <stdint.h>

/** Sorts `count` numbers; heap sort, not stable: `less` breaks all ties itself.
 * @param less whether the thing numbered `a` comes before the thing numbered `b`
 */
void sort_numbers(uint32_t *numbers, size_t count,
                  int (*less)(void *context, uint32_t a, uint32_t b), void *context);

#endif
