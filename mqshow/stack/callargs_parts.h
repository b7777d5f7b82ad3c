// SPDX-License-Identifier: BSD-3-Clause
// What the parts of the search for arguments share.
#ifndef MQSHOW_STACK_CALLARGS_PARTS_H
#define MQSHOW_STACK_CALLARGS_PARTS_H

#include "mqshow/stack/callargs.h"
#include "mqshow/symbols/expression.h"

struct frame;

/** A frame and the debug information around its code. */
struct frame_context {
    const struct frame *frame;
    Dwarf_Die *unit;
    Dwarf_Die *scopes; // of mqshow/symbols/srcloc.h, for free()
    int n_scopes;
    Dwarf_Addr pc, after; // as the debug information counts
    struct registers registers;
    struct eval_context in;
};

/** What the code of the function that a frame called says. */
bool callargs_in_code(const struct image *image, const struct thread *thread, size_t caller,
                      const struct parameter *parameter, uint64_t *ret);

#endif
