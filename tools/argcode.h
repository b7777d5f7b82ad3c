// SPDX-License-Identifier: BSD-3-Clause
// What the instructions before a call put into a register, on x86-64.
//
// Only a few instructions are known, those that unoptimized code has there; jumps are not, so what
// is understood was executed from the first to the last.
#ifndef TOOLS_ARGCODE_H
#define TOOLS_ARGCODE_H

#include "tools/expression.h"

/** Follows instructions up to the call that they end with.
 * @param addr     where the code lies
 * @param in       the frame, whose known registers must be those that a call keeps
 * @param number   of the register, as debug information counts
 * @param can_copy whether nothing jumps to any but the first instruction; else a register that was
 * copied from another one is not known, as who set that one is not certain
 */
bool argcode_find(const struct surroundings *in, const unsigned char *code, size_t size,
                  uint64_t addr, int number, bool can_copy, uint64_t *ret);

#endif
