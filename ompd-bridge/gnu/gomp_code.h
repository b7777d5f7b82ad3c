// SPDX-License-Identifier: BSD-3-Clause
// What a short function of a runtime returns, told by its machine code.
//
// Functions such as omp_get_level() do nothing but follow a few offsets. Their instructions are
// stepped through, without conditional jumps, and each register holds where its value comes from:
// the thread-local variable, then the offsets followed. Only the few forms of instructions that
// such functions are made of are known; any other ends the attempt.
#ifndef OMPD_BRIDGE_GNU_GOMP_CODE_H
#define OMPD_BRIDGE_GNU_GOMP_CODE_H

#include "target/inferior.h"

enum {
    CODE_MAX = 192,  // bytes of a function that are looked at
    CODE_STEPS = 48, // instructions of it
    CODE_LOADS = 3,  // offsets followed
    CODE_REGISTERS = 32,
};

/** Where a value comes from. */
struct code_value {
    enum code_base {
        BASE_UNKNOWN,
        BASE_CONSTANT,
        BASE_IMAGE,    // the variable at `addr`
        BASE_THREAD,   // the thread pointer
        BASE_VARIABLE, // the thread-local variable whose offset stands at `addr`
        BASE_ARGUMENT, // argument number `addr`
    } base;
    taddr addr;
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

/** A field of an instruction's bytes, taken as a little-endian number. */
struct code_field {
    uint8_t shift;
    uint8_t bits; // 0: there is none
};

/** One form of instruction. */
struct code_form {
    enum code_action {
        DO_NOTHING,
        DO_LOSE,        // `to` holds something else now
        DO_CONSTANT,    // into `to`
        DO_MOVE,        // `second` into `to`
        DO_GIVE_UP,     // a form that is not known
        DO_ADD,         // `number` to `from`, into `to`
        DO_SUBTRACT,    // `number` from `from`, into `to`
        DO_ADD_VALUE,   // `to` = `from` + `second`; one is the thread pointer
        DO_THREAD,      // the thread pointer into `to`
        DO_ADD_THREAD,  // the thread pointer is added to `to`
        DO_LOAD,        // from `from` + `number`
        DO_LOAD_THREAD, // from the thread pointer + `from` + `number`
        DO_ADDRESS,     // end of the instruction + `number`, into `to`
        DO_PAGE,        // page of the instruction + (`number` + `second`) pages, into `to`
        DO_LOAD_IMAGE,  // from the end of the instruction + `number`
        DO_CHOOSE,      // `from` or `second` into `to`
        DO_STORE,       // `to` at `from` + `number`
        DO_RETURN,
        DO_JUMP,
    } action;
    uint8_t size; // bytes of the instruction
    uint64_t value, mask;
    struct code_field to, from, second, number;
    uint8_t width; // bytes loaded; 0 for none
    bool is_signed;
    uint8_t scale; // the number is shifted left by this
};

/** Traces that the use of a struct's field leaves in longer functions. */
enum code_trace {
    TRACE_TEST_POINTER, // a pointer at a small offset is compared with NULL
    TRACE_LOAD_SMALL,   // a pointer at a small offset is loaded
    TRACE_STORE_SMALL,  // ... is stored
    TRACE_CLEAR_16,     // two bytes at a small offset are cleared
    TRACE_FUNCTION,     // the function to call is loaded
    TRACE_LOAD,         // a pointer is loaded
    TRACE_IS_WAITING,   // an int is looked at, whether it is 2
    TRACE_ADDRESS,      // the address is taken
    TRACE_COUNT_DOWN,   // an int is decremented
    TRACE_SUBTRACT,     // an int is taken off from another
    TRACE_CALL,         // a function is called, so far from `size` bytes on
    TRACE_ALLOCATE,     // a constant number of bytes is the first argument
    TRACE_KINDS
};

/** How one machine shows a trace. */
struct code_mark {
    uint64_t value, mask;
    struct code_field number; // the offset
    uint8_t scale;
    uint8_t size; // bytes of the instruction; told for calls only
};

enum { CODE_MARKS = 2 }; // ways to show one trace; `mask` 0: no further one

/** A machine's instructions and registers. */
struct code_machine {
    const char *name;
    const struct code_form *forms;
    unsigned n_forms;
    uint8_t result;       // register of the result
    uint8_t arguments[2]; // registers of the arguments
    uint8_t alignment;    // of instructions
    bool thread_behind;   // the thread pointer points behind the C library's struct, not to it
    const struct code_mark (*marks)[CODE_MARKS]; // for each trace
};

extern const struct code_machine code_x86_64;
extern const struct code_machine code_aarch64;

/** Steps through a function.
 * @param code its bytes, `size` of them, at most CODE_MAX
 * @param addr its address in the process
 * @return false when it is not made of known forms
 */
bool code_step_through(const struct code_machine *machine, const uint8_t *code, size_t size,
                       taddr addr, struct code_result *ret);

/** Number in a field of the instruction `word`. */
int64_t code_number(uint64_t word, struct code_field field, bool is_signed, unsigned scale);

#endif
