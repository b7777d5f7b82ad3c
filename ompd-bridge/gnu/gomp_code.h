// SPDX-License-Identifier: BSD-3-Clause
// What a short function of a runtime returns, told by its machine code.
//
// Functions such as omp_get_level() do nothing but follow a few offsets. Their instructions are
// stepped through, without conditional jumps, and each register holds where its value comes from:
// the thread-local variable, then the offsets followed. What else instructions compute is unknown;
// a call ends the attempt.
#ifndef OMPD_BRIDGE_GNU_GOMP_CODE_H
#define OMPD_BRIDGE_GNU_GOMP_CODE_H

#include "target/inferior.h"
#include "target/machine/machine.h"

enum {
    CODE_MAX = 192,  // bytes of a function that are looked at
    CODE_STEPS = 48, // instructions of it
    CODE_LOADS = 3,  // offsets followed
};

/** Where a value comes from. */
struct code_value {
    enum code_base {
        BASE_UNKNOWN,
        BASE_CONSTANT, // the number `addr`
        BASE_IMAGE,    // the variable at `addr`
        BASE_THREAD,   // the thread pointer
        BASE_VARIABLE, // the thread-local variable whose offset stands at `addr`, or is `addr`
        BASE_ARGUMENT, // argument number `addr`
    } base;
    taddr addr;
    // Of BASE_VARIABLE: static linking has put the offset into the code; with an `addr` of 0, the
    // first load counts from the thread pointer.
    bool is_offset;
    unsigned n_loads;
    struct code_load {
        int32_t added; // before the load, by instructions of their own
        int32_t shift; // by the load itself
        uint8_t width; // bytes loaded
    } loads[CODE_LOADS];
    int32_t added;  // since the last load
    taddr fallback; // what is used instead when the last address was NULL; 0: nothing
};

struct code_result {
    struct code_value value;     // returned
    struct code_value stored[2]; // through the first and second argument; BASE_UNKNOWN: nothing
    bool jumps;                  // ends in a jump; then `value` is the first argument of it
};

/** Steps through a function.
 * @param code its bytes, `size` of them, at most CODE_MAX
 * @param addr its address in the process
 * @return false when it is not such a function
 */
bool code_step_through(const struct machine *machine, const uint8_t *code, size_t size, taddr addr,
                       struct code_result *ret);

#endif
