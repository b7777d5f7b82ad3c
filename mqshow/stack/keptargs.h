// SPDX-License-Identifier: BSD-3-Clause
// Where the code of a function keeps an argument that it was called with.
//
// A function of an MPI library needs its arguments to the end, for its error messages, and keeps
// them in registers that calls preserve, or in its frame. Which ones, its instructions say, also
// where the library and the program were stripped.
#ifndef MQSHOW_STACK_KEPTARGS_H
#define MQSHOW_STACK_KEPTARGS_H

#include "mqshow/stack/value_flow.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** An argument of the machine's calling convention. */
struct kept_argument {
    unsigned number; // from 0, of those that are integers or pointers
    size_t width;    // bytes: 4 or 8
};

/** Where an argument is kept: any of these. */
struct kept_places {
    uint32_t registers; // 1 << the number of each one in debug information
    int32_t *offsets;   // from the canonical frame address, for free()
    size_t n_offsets;
};

/** Finds the places that hold an argument whichever way an instruction was reached.
 *
 * Code that cannot be followed, such as a jump through a table, has no such places.
 * @param pc address of the instruction that is executed next
 * @return false when there are none
 */
bool keptargs_find(const struct function_code *code, const struct kept_argument *argument,
                   uint64_t pc, struct kept_places *ret);

/** A function that an argument is passed on to. */
struct passed_on {
    uint64_t function; // its address; 0: a register or memory has it
    unsigned number;   // of the argument that it is there, from 0
    bool by_call;      // by the call that returns to `pc`, else by a jump that ends the function
};

enum { PASSED_ON_MAX = 8 };

/** Finds the functions to which code passes an argument on, by a jump that ends it or by the call
 * that returns to an address.
 * @return their number; 0 also where there are more
 */
size_t keptargs_passed_on(const struct function_code *code, const struct kept_argument *argument,
                          uint64_t pc, struct passed_on ret[PASSED_ON_MAX]);

#endif
