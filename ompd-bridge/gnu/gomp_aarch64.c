// SPDX-License-Identifier: BSD-3-Clause
// The instructions of 64-bit Arm that short functions are made of. Each has four bytes.
#include "ompd-bridge/gnu/gomp_code.h"

#define TO   \
    {        \
        0, 5 \
    }
#define FROM \
    {        \
        5, 5 \
    }
#define SECOND \
    {          \
        16, 5  \
    }
#define NUMBER \
    {          \
        10, 12 \
    }

#define FORM(act, val, msk, ...)                                                         \
    {                                                                                    \
        .action = (act), .size = 4, .value = (val), .mask = (msk), .to = TO, __VA_ARGS__ \
    }
#define MEMORY(act, val, sc, w) \
    FORM(act, val, 0xffc00000, .from = FROM, .number = NUMBER, .scale = (sc), .width = (w))

static const struct code_form forms[] = {
    // Addresses: adrp, add, and the thread pointer.
    FORM(DO_PAGE, 0x90000000, 0x9f000000, .number = {5, 19}, .is_signed = true, .scale = 2,
         .second = {29, 2}),
    FORM(DO_ADD, 0x91000000, 0xffc00000, .from = FROM, .number = NUMBER),
    FORM(DO_ADD_VALUE, 0x8b000000, 0xffe0fc00, .from = FROM, .second = SECOND),
    FORM(DO_THREAD, 0xd53bd040, 0xffffffe0),
    // ldr, ldrb, ldrsb, str.
    MEMORY(DO_LOAD, 0xf9400000, 3, 8),
    MEMORY(DO_LOAD, 0xb9400000, 2, 4),
    MEMORY(DO_LOAD, 0x39400000, 0, 1),
    MEMORY(DO_LOAD, 0x39c00000, 0, 1),
    MEMORY(DO_STORE, 0xb9000000, 2, 4),
    MEMORY(DO_STORE, 0xf9000000, 3, 8),
    // csel, mov.
    FORM(DO_CHOOSE, 0x1a800000, 0x7fe00c00, .from = FROM, .second = SECOND),
    FORM(DO_MOVE, 0x2a0003e0, 0x7fe0ffe0, .second = SECOND),
    FORM(DO_CONSTANT, 0x52800000, 0x7f800000),
    FORM(DO_CONSTANT, 0x12800000, 0x7f800000),
    FORM(DO_CONSTANT, 0x320003e0, 0x7f8003e0),
    FORM(DO_ADD, 0x11000000, 0xffc00000, .from = FROM, .number = NUMBER),
    FORM(DO_SUBTRACT, 0x51000000, 0x7fc00000, .from = FROM, .number = NUMBER),
    // Arithmetic that gives no address: sub, subs, cmp.
    FORM(DO_LOSE, 0x71000000, 0x7f800000),
    FORM(DO_LOSE, 0x6b000000, 0x7f200000),
    FORM(DO_LOSE, 0x4b000000, 0x7f200000),
    // Saving and restoring the frame: stp, ldp of x29 and x30.
    FORM(DO_NOTHING, 0xa9807bfd, 0xffc07fff),
    FORM(DO_NOTHING, 0xa8c07bfd, 0xffc07fff),
    // Jumps: cbz, cbnz, tbz, tbnz, b.cond are not followed.
    FORM(DO_NOTHING, 0x34000000, 0x7e000000),
    FORM(DO_NOTHING, 0x36000000, 0x7e000000),
    FORM(DO_NOTHING, 0x54000000, 0xff000010),
    FORM(DO_JUMP, 0x14000000, 0xfc000000),
    FORM(DO_RETURN, 0xd65f03c0, 0xffffffff),
    // nop, bti, paciasp, autiasp.
    FORM(DO_NOTHING, 0xd503201f, 0xfffff01f),
};

// An instruction within a longer function; the offset is what counts.
#define MARK(val, msk, sc)                                                \
    {                                                                     \
        {.value = (val), .mask = (msk), .number = NUMBER, .scale = (sc)}, \
        {                                                                 \
            .mask = 0                                                     \
        }                                                                 \
    }

static const struct code_mark marks[TRACE_KINDS][CODE_MARKS] = {
    [TRACE_TEST_POINTER] = MARK(0xf9400000, 0xffc00000, 3), // ldr
    [TRACE_LOAD_SMALL] = MARK(0xf9400000, 0xffc00000, 3),   // ldr
    [TRACE_STORE_SMALL] = MARK(0xf9000000, 0xffc00000, 3),  // str
    [TRACE_CLEAR_16] = MARK(0x7900001f, 0xffc0001f, 1),     // strh wzr
    [TRACE_FUNCTION] = {{.value = 0xa9400000, .mask = 0xffc00000, .number = {15, 7}, .scale = 3},
                        {.mask = 0}},                     // ldp
    [TRACE_LOAD] = MARK(0xf9400000, 0xffc00000, 3),       // ldr
    [TRACE_IS_WAITING] = MARK(0xb9400000, 0xffc00000, 2), // ldr
    [TRACE_ADDRESS] = MARK(0x91000000, 0xffc00000, 0),    // add
    [TRACE_COUNT_DOWN] = MARK(0xb9000000, 0xffc00000, 2), // str
    [TRACE_SUBTRACT] = MARK(0xb9400000, 0xffc00000, 2),   // ldr
    [TRACE_CALL] = {{.value = 0x94000000, .mask = 0xfc000000, .number = {0, 26}, .scale = 2}},
    [TRACE_ALLOCATE] = {{.value = 0xd2800000, .mask = 0xffe0001f, .number = {5, 16}}}, // mov x0
};

const struct code_machine code_aarch64 = {
    .name = "aarch64",
    .forms = forms,
    .n_forms = sizeof(forms) / sizeof(forms[0]),
    .result = 0,
    .arguments = {0, 1},
    .alignment = 4,
    .thread_behind = true,
    .marks = marks,
};
