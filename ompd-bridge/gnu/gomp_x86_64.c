// SPDX-License-Identifier: BSD-3-Clause
// The instructions of x86-64 that short functions are made of.
//
// Instructions are compared as little-endian numbers: the first byte is the lowest. Behind the `n`
// bytes of the opcode a byte tells the operands: a mode (2 bits), a register, and the register that
// addresses memory, or a second one. Registers from r8 on are left out.
#include "ompd-bridge/gnu/gomp_code.h"

// The fields behind an opcode of n bytes.
#define REG(n)         \
    {                  \
        8 * (n) + 3, 3 \
    }
#define RM(n)      \
    {              \
        8 * (n), 3 \
    }

// The opcode, and what of the byte behind it is compared.
#define OPCODE(n, op, operands, compared)               \
    .value = (op) | (uint64_t) (operands) << (8 * (n)), \
    .mask = (((uint64_t) 1 << (8 * (n))) - 1) | (uint64_t) (compared) << (8 * (n))

// With an offset of so many bits.
#define ON_MEMORY(act, n, op, operands, compared, offset_bits, w)                                \
    {                                                                                            \
        .action = (act), .size = (n) + 1 + (offset_bits) / 8, OPCODE(n, op, operands, compared), \
        .to = REG(n), .from = RM(n), .number = {8 * (n) + 8, offset_bits}, .width = (w),         \
        .is_signed = true                                                                        \
    }

// Register 4 stands for a more complex address.
#define MEMORY(act, n, op, w)                                                                    \
    ON_MEMORY(DO_GIVE_UP, n, op, 0x04, 0xc7, 0, w),                                              \
        ON_MEMORY(DO_GIVE_UP, n, op, 0x44, 0xc7, 0, w),                                          \
        ON_MEMORY(DO_GIVE_UP, n, op, 0x84, 0xc7, 0, w), ON_MEMORY(act, n, op, 0x40, 0xc0, 8, w), \
        ON_MEMORY(act, n, op, 0x80, 0xc0, 32, w)

// Without an offset, register 5 stands for the end of the instruction.
#define MEMORY_OR_IMAGE(act, image, n, op, w)                          \
    ON_MEMORY(image, n, op, 0x05, 0xc7, 32, w), MEMORY(act, n, op, w), \
        ON_MEMORY(act, n, op, 0x00, 0xc0, 0, w)

// On two registers, of which the first is changed.
#define REGISTERS(act, n, op)                                                                    \
    {                                                                                            \
        .action = (act), .size = (n) + 1, OPCODE(n, op, 0xc0, 0xc0), .to = RM(n), .from = RM(n), \
        .second = REG(n)                                                                         \
    }

// With a constant of so many bits; `kind` tells the operation.
#define IMMEDIATE(act, n, op, kind, number_bits)                             \
    {                                                                        \
        .action = (act), .size = (n) + 1 + (number_bits) / 8,                \
        OPCODE(n, op, 0xc0 | (kind) << 3, 0xf8), .to = RM(n), .from = RM(n), \
        .number = {8 * (n) + 8, number_bits}, .is_signed = true              \
    }

// Operands do not matter.
#define PLAIN(act, length, val, msk)                                     \
    {                                                                    \
        .action = (act), .size = (length), .value = (val), .mask = (msk) \
    }

#define BYTES(n) (UINT64_MAX >> (64 - 8 * (n)))

static const struct code_form forms[] = {
    // mov %fs:offset(register), and the thread pointer itself, which is at %fs:0.
    MEMORY(DO_LOAD_THREAD, 3, 0x8b4864, 8),
    MEMORY(DO_LOAD_THREAD, 2, 0x8b64, 4),
    {.action = DO_ADD_THREAD,
     .size = 9,
     .value = 0x2504034864,
     .mask = 0xffffffffc7ffffff,
     .to = REG(3)},
    // mov to and from memory, of 8, 4 and 1 bytes; lea.
    MEMORY_OR_IMAGE(DO_LOAD, DO_LOAD_IMAGE, 2, 0x8b48, 8),
    MEMORY_OR_IMAGE(DO_LOAD, DO_LOAD_IMAGE, 1, 0x8b, 4),
    MEMORY_OR_IMAGE(DO_LOAD, DO_LOAD_IMAGE, 2, 0xb60f, 1),
    MEMORY_OR_IMAGE(DO_LOAD, DO_LOAD_IMAGE, 2, 0xbe0f, 1),
    MEMORY_OR_IMAGE(DO_ADD, DO_ADDRESS, 2, 0x8d48, 0),
    MEMORY_OR_IMAGE(DO_STORE, DO_GIVE_UP, 1, 0x89, 0),
    // cmp of a variable with a constant.
    {.action = DO_NOTHING, .size = 8, .value = 0x3d8348, .mask = BYTES(3)},
    {.action = DO_NOTHING, .size = 7, .value = 0x3d83, .mask = BYTES(2)},
    // mov, cmov, test, cmp, sub, xor between registers.
    REGISTERS(DO_MOVE, 1, 0x89),
    REGISTERS(DO_MOVE, 2, 0x8948),
    {.action = DO_CHOOSE,
     .size = 3,
     .value = 0xc0400f,
     .mask = 0xc0f0ff,
     .to = REG(2),
     .from = REG(2),
     .second = RM(2)},
    {.action = DO_CHOOSE,
     .size = 4,
     .value = 0xc0400f48,
     .mask = 0xc0f0ffff,
     .to = REG(3),
     .from = REG(3),
     .second = RM(3)},
    REGISTERS(DO_NOTHING, 1, 0x85),
    REGISTERS(DO_NOTHING, 2, 0x8548),
    REGISTERS(DO_NOTHING, 1, 0x39),
    REGISTERS(DO_NOTHING, 2, 0x3948),
    REGISTERS(DO_LOSE, 1, 0x29),
    REGISTERS(DO_LOSE, 1, 0x31),
    // add, sub, cmp with a constant.
    IMMEDIATE(DO_ADD, 2, 0x8348, 0, 8),
    IMMEDIATE(DO_SUBTRACT, 2, 0x8348, 5, 8),
    IMMEDIATE(DO_ADD, 2, 0x8148, 0, 32),
    {.action = DO_ADD,
     .size = 6,
     .value = 0x0548,
     .mask = BYTES(2),
     .number = {16, 32},
     .is_signed = true},
    IMMEDIATE(DO_ADD, 1, 0x83, 0, 8),
    IMMEDIATE(DO_SUBTRACT, 1, 0x83, 5, 8),
    IMMEDIATE(DO_NOTHING, 1, 0x83, 7, 8),
    IMMEDIATE(DO_NOTHING, 1, 0x81, 7, 32),
    PLAIN(DO_NOTHING, 5, 0x3d, BYTES(1)),
    {.action = DO_CONSTANT, .size = 5, .value = 0xb8, .mask = 0xf8, .to = {0, 3}},
    // push, pop.
    PLAIN(DO_NOTHING, 1, 0x50, 0xf8),
    {.action = DO_LOSE, .size = 1, .value = 0x58, .mask = 0xf8, .to = {0, 3}},
    // Jumps: conditional ones are not followed.
    PLAIN(DO_NOTHING, 2, 0x70, 0xf0),
    PLAIN(DO_NOTHING, 6, 0x800f, 0xf0ff),
    PLAIN(DO_JUMP, 5, 0xe9, BYTES(1)),
    PLAIN(DO_JUMP, 2, 0xeb, BYTES(1)),
    PLAIN(DO_RETURN, 1, 0xc3, BYTES(1)),
    // endbr64 and fillers.
    PLAIN(DO_NOTHING, 4, 0xfa1e0ff3, BYTES(4)),
    PLAIN(DO_NOTHING, 1, 0x90, BYTES(1)),
    PLAIN(DO_NOTHING, 2, 0x9066, BYTES(2)),
    PLAIN(DO_NOTHING, 3, 0x001f0f, BYTES(3)),
    PLAIN(DO_NOTHING, 4, 0x401f0f, BYTES(3)),
    PLAIN(DO_NOTHING, 5, 0x441f0f, BYTES(3)),
    PLAIN(DO_NOTHING, 7, 0x801f0f, BYTES(3)),
    PLAIN(DO_NOTHING, 8, 0x841f0f, BYTES(3)),
    PLAIN(DO_NOTHING, 6, 0x441f0f66, BYTES(4)),
    PLAIN(DO_NOTHING, 9, 0x841f0f66, BYTES(4)),
    PLAIN(DO_NOTHING, 10, 0x841f0f2e66, BYTES(5)),
    PLAIN(DO_NOTHING, 11, 0x841f0f2e6666, BYTES(6)),
};

// Instructions within longer functions, on memory at register + offset; the offset is what counts.
// `operands` and `compared` leave the address's register open. Register 12 takes one byte more.
#define SMALL_MARK(n, op, operands, compared)                              \
    {                                                                      \
        .value = (op) | (uint64_t) (0x40 | (operands)) << (8 * (n)),       \
        .mask = BYTES(n) | (uint64_t) (compared) << (8 * (n)), .number = { \
            8 * (n) + 8,                                                   \
            8                                                              \
        }                                                                  \
    }
#define LARGE_MARK(n, op, operands, compared)                                  \
    {                                                                          \
        {.value = (op) | (uint64_t) (0x2484 | (operands)) << (8 * (n)),        \
         .mask = BYTES(n) | (uint64_t) (0xff07 | (compared)) << (8 * (n)),     \
         .number = {8 * (n) + 16, 32}},                                        \
        {                                                                      \
            .value = (op) | (uint64_t) (0x80 | (operands)) << (8 * (n)),       \
            .mask = BYTES(n) | (uint64_t) (compared) << (8 * (n)), .number = { \
                8 * (n) + 8,                                                   \
                32                                                             \
            }                                                                  \
        }                                                                      \
    }

static const struct code_mark marks[TRACE_KINDS][CODE_MARKS] = {
    [TRACE_TEST_POINTER] = {SMALL_MARK(1, 0x83, 0x38, 0xf8)}, // cmpq $0
    [TRACE_LOAD_SMALL] = {SMALL_MARK(1, 0x8b, 0x00, 0xc0)},   // mov
    [TRACE_STORE_SMALL] = {SMALL_MARK(1, 0x89, 0x00, 0xc0)},  // mov
    [TRACE_CLEAR_16] = {SMALL_MARK(2, 0xc766, 0x00, 0xf8),    // movw $0
                        SMALL_MARK(2, 0x8966, 0x00, 0xc0)},   // mov
    [TRACE_FUNCTION] = LARGE_MARK(1, 0x8b, 0x00, 0xf8),       // mov to rax
    [TRACE_LOAD] = LARGE_MARK(1, 0x8b, 0x00, 0xc0),           // mov
    [TRACE_IS_WAITING] = LARGE_MARK(1, 0x83, 0x38, 0xf8),     // cmpl
    [TRACE_ADDRESS] = LARGE_MARK(1, 0x8d, 0x00, 0xc0),        // lea
    [TRACE_COUNT_DOWN] = LARGE_MARK(1, 0x83, 0x28, 0xf8),     // subl
    [TRACE_SUBTRACT] = LARGE_MARK(1, 0x2b, 0x00, 0xc0),       // sub
    [TRACE_CALL] = {{.value = 0xe8, .mask = BYTES(1), .number = {8, 32}, .size = 5}},
    [TRACE_ALLOCATE] = {{.value = 0xbf, .mask = BYTES(1), .number = {8, 32}}}, // mov to edi
};

const struct code_machine code_x86_64 = {
    .name = "x86-64",
    .forms = forms,
    .n_forms = sizeof(forms) / sizeof(forms[0]),
    .result = 0,
    .arguments = {7, 6},
    .alignment = 1,
    .thread_behind = false,
    .marks = marks,
};
