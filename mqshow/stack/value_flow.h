// SPDX-License-Identifier: BSD-3-Clause
// Which values registers and the frame of a function hold before each of its instructions: what is
// the same whichever way an instruction was reached.
//
// Code that cannot be followed, such as a jump through a table, has no flow.
#ifndef MQSHOW_STACK_VALUE_FLOW_H
#define MQSHOW_STACK_VALUE_FLOW_H

#include "target/machine/machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The code of a function. */
struct function_code {
    const struct machine *machine;
    const unsigned char *bytes;
    size_t size;    // bytes
    uint64_t start; // address of the first one
    const void *context;
    /** Whether a function that it calls may return; NULL: any may. */
    bool (*returns)(const void *context, uint64_t function);
};

/** What a value is counted from. */
enum flow_base {
    FLOW_OTHER,    // nothing is known of it
    FLOW_NUMBER,   // 0: it is a number, an address for instance
    FLOW_FRAME,    // the canonical frame address
    FLOW_ARGUMENT, // the argument that is followed, of which the lower bytes count
    FLOW_ENTRY,    // + register: what that held at the entry
    FLOW_RESULT = FLOW_ENTRY + MACHINE_REGISTERS, // + number of an instruction and register: what
                                                  // the instruction left there when it was last
                                                  // executed
};

struct flow_value {
    uint32_t base; // enum flow_base
    int64_t offset;
};

enum { FLOW_SLOTS = 64, FLOW_MARKS = 8, FLOW_ANY_KIND = -1 };

/** A place of the frame, by its offset from the canonical frame address. */
struct flow_slot {
    int32_t offset;
    struct flow_value value;
};

/** A value that something was noted of, as `note_call` does. */
struct flow_mark {
    struct flow_value value;
    int kind;
};

/** What is known before an instruction. */
struct flow_state {
    struct flow_value registers[MACHINE_REGISTERS];
    struct flow_slot slots[FLOW_SLOTS];
    struct flow_mark marks[FLOW_MARKS];
    uint8_t n_slots, n_marks;
};

struct flow_insn {
    uint64_t address;
    struct insn insn;
    struct flow_state state; // before it
    bool waits;              // to be followed
};

/** What is asked of a flow. */
struct flow_question {
    const struct function_code *code;
    bool all;          // all values are followed, not only the argument
    unsigned argument; // else which, from 0, of those that are integers or pointers
    uint8_t width;     // bytes of it that count: 4 or 8
    /** Changes the marks where a call returns; NULL: there are none. @param after its address */
    void (*note_call)(void *context, struct flow_state *state, const struct insn *call,
                      uint64_t after);
    void *context;
};

struct flow {
    struct flow_question question;
    int32_t *numbers; // of the instruction at each byte, from 1
    struct flow_insn *insns;
    size_t count, capacity;
    uint32_t *waiting; // numbers from 0
    size_t n_waiting, waiting_capacity;
    int32_t escaped[FLOW_SLOTS]; // places of the frame that something else may change
    size_t n_escaped;
    bool too_many; // of these
};

/** Follows code; flow_deinit() is needed in either case. @return false: it cannot be followed */
bool flow_init(struct flow *flow, const struct flow_question *question);

void flow_deinit(struct flow *flow);

/** What is known before the instruction at an address; NULL: it is not reached. */
const struct flow_state *flow_at(const struct flow *flow, uint64_t address);

/** Whether nothing but the function itself changes a place of the frame. */
bool flow_keeps(const struct flow *flow, int32_t offset);

/** Whether nothing is left of the function's frame, so that a jump ends the function. */
bool flow_is_as_entered(const struct flow *flow, const struct flow_state *state);

bool flow_equal(struct flow_value a, struct flow_value b);

/** Notes something of a value, where that is known and there is room. */
void flow_mark(struct flow_state *state, int kind, struct flow_value value);

/** Forgets the marks of a kind, or of FLOW_ANY_KIND, of each value that may be this one. */
void flow_forget_marks(struct flow_state *state, int kind, struct flow_value value);

#endif
