// SPDX-License-Identifier: BSD-3-Clause
// The instructions of a machine, reduced to what they do to registers and memory, and how functions
// are called there. Which encoding means what is listed in x86_64.def and aarch64.def.
//
// What is said of an instruction is what every execution of it does. An instruction of which only
// the length is known is INSN_UNKNOWN: it may do anything.
#ifndef TARGET_MACHINE_MACHINE_H
#define TARGET_MACHINE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MACHINE_REGISTERS = 32,
    INSN_BYTES = 15, // of the longest instruction of any machine
};

/** Registers have their numbers in debug information; these are none of them. */
enum {
    INSN_NO_REGISTER = -1,
    INSN_ABSOLUTE = -2, // as `base`: `offset` is the address itself
};

enum insn_kind {
    INSN_UNKNOWN,
    INSN_OTHER,   // what it computes is not said
    INSN_COPY,    // the lower `width` bytes of `from` into `to`
    INSN_NUMBER,  // `number` into `to`
    INSN_ADDRESS, // `base` + `offset` into `to`, of which `width` bytes are kept
    INSN_PAGE,    // likewise, of a page that a later instruction names a place of
    INSN_SUM,     // `from` + `second`, or `from` + what is in memory, into `to`
    INSN_CHOOSE,  // `from` or `second` into `to`
    INSN_THREAD,  // the thread pointer into `to`
    INSN_LOAD,    // memory into `to`; the `width` bytes behind it into `second`, if there is one
    INSN_STORE,   // `from` into memory, and `second` behind it where 2 * `width` bytes are written
    INSN_LEAVE,   // the stack pointer becomes `to`, which is popped from there
    INSN_CALL,
    INSN_JUMP,
    INSN_BRANCH, // a jump under a condition
    INSN_RETURN,
    INSN_STOP, // goes nowhere
};

struct insn {
    enum insn_kind kind;
    uint8_t length;                // bytes
    uint8_t width;                 // bytes, of each register
    int8_t to, from, second, base; // registers
    bool memory;                   // it accesses memory at `base` + `offset`
    bool thread;                   // ... counted from the thread pointer
    bool inexact;                  // ... or anywhere around
    bool falls;                    // the next instruction may be executed after it
    uint16_t written;              // bytes of that memory that it writes; 0: none
    int32_t change;                // is added to `base` after the access
    uint32_t clobbers;             // 1 << register: all that change otherwise than by `change`
    int64_t offset;                // bytes
    int64_t number;
    uint64_t target; // of a call, jump or branch; 0: a register or memory says it
};

/** A machine and its calling convention for integers and pointers. */
struct machine {
    const char *name;
    uint16_t elf;                      // EM_*
    uint8_t alignment;                 // bytes, of instructions
    uint8_t call_bytes;                // of the longest call that names its target or its slot
    uint8_t n_arguments, arguments[8]; // registers
    uint8_t result, stack;             // registers
    uint8_t pushed;                    // bytes that a call leaves on the stack
    bool thread_behind;                // thread-local variables lie behind the thread pointer
    uint32_t kept;                     // 1 << register, of those that are the same after a call
    bool (*decode)(const uint8_t *code, size_t size, uint64_t addr, struct insn *ret);
};

extern const struct machine machine_x86_64, machine_aarch64;

/** @return NULL when nothing is known of a machine */
const struct machine *machine_of(uint16_t elf);

/** Reads an instruction.
 * @param code its bytes and those behind it, `size` of them
 * @param addr its address
 * @return false when there is none, or it is cut off
 */
bool machine_decode(const struct machine *machine, const uint8_t *code, size_t size, uint64_t addr,
                    struct insn *ret);

/** Reads one instruction after the other from the beginning of some code, over bytes that are none.
 * @param at where to go on, from 0; set to what is behind the instruction
 * @return false at the end of the code
 */
bool machine_sweep(const struct machine *machine, const uint8_t *code, size_t size, uint64_t addr,
                   size_t *at, struct insn *ret);

/** The addresses that instructions compute from numbers in them; all 0 to begin with. */
struct insn_refs {
    uint64_t addresses[MACHINE_REGISTERS]; // that registers hold; 0: not known
    uint64_t slots[MACHINE_REGISTERS];     // of the memory that they were loaded from; 0: not known
};

/** The address that an instruction computes or accesses. @return 0 when it is not known */
uint64_t insn_refs_address(const struct insn_refs *refs, const struct insn *insn);

/** Notes what an instruction changes. */
void insn_refs_apply(struct insn_refs *refs, const struct insn *insn);

#endif
