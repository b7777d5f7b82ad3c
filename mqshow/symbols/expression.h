// SPDX-License-Identifier: BSD-3-Clause
// Values of the expressions in debug information, as far as these are straight: no jumps, no calls.
#ifndef MQSHOW_SYMBOLS_EXPRESSION_H
#define MQSHOW_SYMBOLS_EXPRESSION_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EXPRESSION_REGISTERS = 32 };

/** Registers of a frame by their numbers in debug information. */
struct registers {
    uint64_t values[EXPRESSION_REGISTERS];
    uint32_t known; // 1 << number
};

/** What an expression may refer to: a frame of a stack, and the memory. */
struct eval_context {
    const struct registers *registers;
    uint64_t cfa;         // canonical frame address; 0: not known
    uint64_t bias;        // of the addresses in the expression
    const Dwarf_Op *base; // where the function says its frame is; NULL: not known
    size_t n_base;
    size_t width; // bytes of a pointer
    const void *memory;
    bool (*read)(const void *memory, uint64_t addr, size_t width, uint64_t *ret);
};

/** Computes an expression.
 * @return false, and `*ret` is left alone, when something in it is not known
 */
bool
expression_value(const struct eval_context *in, const Dwarf_Op *ops, size_t count, uint64_t *ret);

/** Reads a variable of `width` bytes whose place an expression computes; likewise. */
bool expression_variable(const struct eval_context *in, const Dwarf_Op *ops, size_t count,
                         size_t width, uint64_t *ret);

#endif
