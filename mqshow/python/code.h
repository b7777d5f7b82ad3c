// SPDX-License-Identifier: BSD-3-Clause
// What code objects say: the name, file and lines of a function.
#ifndef MQSHOW_PYTHON_CODE_H
#define MQSHOW_PYTHON_CODE_H

#include "mqshow/python/objects.h"

struct python_frame;

/** The code object of a frame. */
bool code_of_frame(struct objects *objects, uint64_t frame, uint64_t *ret);

/** Reads a code object: the function, which the caller frees, without a line.
 * @return false: it is none
 */
bool code_read(struct objects *objects, uint64_t code, struct python_frame *ret);

/** Which line an instruction is of. @param at bytes from the first one; negative: before it
 * @return 0: not known */
int code_line(struct objects *objects, uint64_t code, int64_t at);

#endif
