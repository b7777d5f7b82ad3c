// SPDX-License-Identifier: BSD-3-Clause
// What the parts of the search for arguments share.
#ifndef TOOLS_CALLARGS_PARTS_H
#define TOOLS_CALLARGS_PARTS_H

#include "tools/callargs.h"
#include "tools/expression.h"

struct frame;

/** A frame and the debug information around its code. */
struct place {
    const struct frame *frame;
    Dwarf_Die *unit;
    Dwarf_Die *scopes; // of tools/code.h, for free()
    int n_scopes;
    Dwarf_Addr pc, after; // as the debug information counts
    struct registers registers;
    struct surroundings in;
};

/** The number of the register that an argument is passed in, in debug information; -1: not known.
 */
int callargs_register(const struct image *image, unsigned number);

/** What the instructions before the call say. */
bool callargs_in_code(const struct image *image, const struct place *place, const char *function,
                      const struct parameter *parameter, uint64_t *ret);

#endif
