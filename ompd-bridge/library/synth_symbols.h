// SPDX-License-Identifier: BSD-3-Clause
// Variables of a runtime as its OMPD library is given them: those that are read at other places
// than they stand, or not at all.
//
// Libraries of LLVM's make use sizes that the runtime publishes without a check, to copy so many
// bytes into their own variables. So these are read and checked once, and the library reads that
// copy: the process could change its own.
#ifndef OMPD_BRIDGE_LIBRARY_SYNTH_SYMBOLS_H
#define OMPD_BRIDGE_LIBRARY_SYNTH_SYMBOLS_H

#include "target/inferior.h"

enum { SYNTH_COPIES = 256 };

/** All zeros is what it begins with. */
struct synth_symbols {
    struct synth_copy {
        taddr addr; // where the process has it
        uint64_t value;
    } copies[SYNTH_COPIES];
    unsigned n_copies;
    uint32_t last_found; // place of the thread that was found last
};

/** Address of a variable.
 * @param pthread the thread whose copy it is; 0: it is not thread-local
 * @return false: there is no such variable, or it makes no sense
 */
bool synth_find(struct synth_symbols *synth, struct inferior *inf, const char *name, taddr pthread,
                taddr *ret);

/** Reads what does not stand in the process. @return false: it does, at most */
bool synth_read(const struct synth_symbols *synth, taddr addr, uint64_t size, void *buffer);

#endif
