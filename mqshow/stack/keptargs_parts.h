// SPDX-License-Identifier: BSD-3-Clause
// The instructions of a function, reduced to what they do to places that hold arguments.
#ifndef MQSHOW_STACK_KEPTARGS_PARTS_H
#define MQSHOW_STACK_KEPTARGS_PARTS_H

#include "mqshow/stack/keptargs.h"

/** Registers by their numbers in debug information. */
enum { REGISTERS = 16, STACK_POINTER = 7, NO_REGISTER = -1 };

enum step_kind {
    STEP_OTHER,
    STEP_COPY,    // register to register
    STEP_LOAD,    // memory to register
    STEP_STORE,   // register to memory
    STEP_ADDRESS, // register + offset to register
    STEP_PUSH,    // of a register, or of anything else: from is NO_REGISTER
    STEP_POP,
    STEP_LEAVE,
    STEP_CALL,
};

/** What an instruction does. */
struct step {
    enum step_kind kind;
    int8_t to, from, base; // registers
    bool anywhere;         // it may write to any place of the memory at `base`
    uint8_t width;         // bytes that are copied, loaded or stored
    uint16_t written;      // bytes at `base` + `offset`; 0: none
    int32_t offset;        // from `base`
    uint32_t clobbers;     // 1 << register, of those whose value is another one after it
    bool falls;            // the next instruction may be executed after it
    bool leaves;           // it jumps to where a register or the memory says
    uint64_t next;         // address of the next instruction
    uint64_t jump;         // where it may jump to; 0: nowhere
};

struct decoder;

/** @return for decoder_close(); NULL when it cannot be had */
struct decoder *decoder_open(const struct function_code *code);

/** Reads the instruction at an address. @return false when there is none in the code */
bool decoder_step(struct decoder *decoder, uint64_t address, struct step *ret);

void decoder_close(struct decoder *decoder);

#endif
