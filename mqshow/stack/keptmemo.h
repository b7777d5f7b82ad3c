// SPDX-License-Identifier: BSD-3-Clause
// Where functions keep their arguments, remembered: ranks that wait in the same place, and samples
// that follow each other, ask the same.
#ifndef MQSHOW_STACK_KEPTMEMO_H
#define MQSHOW_STACK_KEPTMEMO_H

#include "mqshow/stack/keptargs.h"
#include "mqshow/symbols/image.h"

/** keptargs_find() of the function that begins at an address.
 * @param ret its `offsets` are valid until the next call, and not for free()
 * @return false when there are none, or the code cannot be read
 */
bool keptmemo_find(const struct image *image, uint64_t start, const struct kept_argument *argument,
                   uint64_t pc, struct kept_places *ret);

#endif
