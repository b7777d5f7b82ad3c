// SPDX-License-Identifier: BSD-3-Clause
// The values that a frame of a stack has, by the flow of its function's code.
#ifndef MQSHOW_STACK_FRAME_FLOW_H
#define MQSHOW_STACK_FRAME_FLOW_H

#include "mqshow/stack/value_flow.h"

struct image;
struct thread;

struct frame_flow {
    const struct image *image;
    const struct thread *thread;
    size_t number; // of the frame
    struct function_code code;
    struct flow flow;
    struct insn insn;        // that it executes: a call, but in the innermost frame
    struct flow_state state; // before it
};

/** Reads the code of the function that begins at an address, and of those behind it that have no
 * symbols; its bytes are for free(). */
bool function_code_read(const struct image *image, uint64_t start, struct function_code *ret);

/** Follows the code of a frame's function; frame_flow_deinit() is needed where it returns true.
 * @param note_call and its context as in struct flow_question, of calls that have returned
 */
bool frame_flow_init(struct frame_flow *frame, const struct image *image,
                     const struct thread *thread, size_t number,
                     void (*note_call)(void *context, struct flow_state *state,
                                       const struct insn *call, uint64_t after),
                     void *context);

void frame_flow_deinit(struct frame_flow *frame);

/** Finds what a value is, in a register or a place of the frame that has it. */
bool frame_flow_value(const struct frame_flow *frame, struct flow_value value, uint64_t *ret);

#endif
