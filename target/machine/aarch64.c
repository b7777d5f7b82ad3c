// SPDX-License-Identifier: BSD-3-Clause
// Takes the instructions of aarch64 apart, as the Arm Architecture Reference Manual, chapter C4,
// and the rows of aarch64.def say. Scalable vectors are not known.
#include "target/machine/machine.h"

#include <elf.h>

enum { INSN_SIZE = 4, PAGE = 4096, SP = 31 };

enum operands {
    TO = 1 << 0,
    TO_SP = 1 << 1,
    FROM_T = 1 << 2,
    FROM_N = 1 << 3,
    FROM_SP = 1 << 4,
    FROM_M = 1 << 5,
    SECOND_M = 1 << 6,
    PAIR = 1 << 7,
    BASE = 1 << 8,
    BASE_T = 1 << 9,
    ALSO_M = 1 << 10,
    ALSO_M1 = 1 << 11, // the register behind it
    ALSO_N = 1 << 12,
    ALSO_T2 = 1 << 13,
    TO_0 = 1 << 14,
    TO_17 = 1 << 15,
    TO_30 = 1 << 16,
    MEMORY = 1 << 17,
    WRITES = 1 << 18,
    PRE = 1 << 19,
    POST = 1 << 20,
    INEXACT = 1 << 21,
    SIGNED = 1 << 22,
    NEG = 1 << 23,
    INVERT = 1 << 24,
    SPLIT = 1 << 25, // two more bits of the number are bits 29 and 30
    BITMASK = 1 << 26,
    PC = 1 << 27,
    PAGE_PC = 1 << 28,
    TARGET = 1 << 29,
    LOADS = TO | BASE | MEMORY,
    STORES = FROM_T | BASE | MEMORY | WRITES,
    VECTOR_LOADS = BASE | MEMORY,
    VECTOR_STORES = BASE | MEMORY | WRITES,
};

static const struct row {
    uint32_t value, mask, operands;
    uint8_t width, shift, bits, scale, kind;
} rows[] = {
#define ROW(value, mask, operands, width, shift, bits, scale, kind) \
    {value, mask, operands, width, shift, bits, scale, INSN_##kind},
#include "target/machine/aarch64.def"
#undef ROW
};

/** A register whose number begins at a bit. @param zero 31 is no register, else the stack pointer
 */
static int8_t
reg_at(uint32_t word, unsigned bit, bool zero)
{
    int8_t number = (int8_t) (word >> bit & 31);
    return number == SP && zero ? INSN_NO_REGISTER : number;
}

static uint32_t
bit_of(int8_t reg)
{
    return reg >= 0 ? UINT32_C(1) << reg : 0;
}

/** The number that an immediate of a logical instruction means: ones, turned and repeated. */
static uint64_t
bitmask(uint32_t word, uint32_t field)
{
    unsigned n = field >> 12 & 1, turn = field >> 6 & 63, ones = field & 63;
    unsigned size = 64;
    while (size > 2 && ((n << 6 | (~ones & 63)) & size) == 0)
        size /= 2;
    ones = (ones & (size - 1)) + 1;
    turn &= size - 1;
    uint64_t element = ones < 64 ? (UINT64_C(1) << ones) - 1 : UINT64_MAX, number = 0;
    for (unsigned i = 0; i < size; i++)
        if ((element >> i & 1) != 0)
            for (unsigned at = (i + size - turn) % size; at < 64; at += size)
                number |= UINT64_C(1) << at;
    return word >> 31 != 0 ? number : number & UINT32_MAX;
}

/** The number that an instruction names. */
static int64_t
number_in(const struct row *row, uint32_t word, uint64_t addr)
{
    uint64_t number = word >> row->shift & ((UINT64_C(1) << row->bits) - 1);
    if ((row->operands & BITMASK) != 0)
        return (int64_t) bitmask(word, (uint32_t) number);
    if ((row->operands & SIGNED) != 0 && (number >> (row->bits - 1) & 1) != 0)
        number -= UINT64_C(1) << row->bits;
    number <<= row->scale;
    if ((row->operands & SPLIT) != 0)
        number |= word >> 29 & 3;
    if ((row->operands & PAGE_PC) != 0)
        number = (addr & ~(uint64_t) (PAGE - 1)) + number * PAGE;
    if ((row->operands & PC) != 0)
        number += addr;
    if ((row->operands & INVERT) != 0)
        number = row->width == 4 ? ~number & UINT32_MAX : ~number;
    return (int64_t) ((row->operands & NEG) != 0 ? -number : number);
}

static void
set_registers(const struct row *row, uint32_t word, struct insn *ret)
{
    static const struct {
        uint32_t operand;
        uint8_t bit;
    } also[] = {{ALSO_M, 16}, {ALSO_N, 5}, {ALSO_T2, 10}};
    uint32_t is = row->operands;
    int8_t to = (is & (TO | TO_SP)) != 0 ? reg_at(word, 0, (is & TO) != 0) : INSN_NO_REGISTER;
    if (row->kind == INSN_OTHER)
        ret->clobbers |= bit_of(to);
    else
        ret->to = to;
    if ((is & FROM_T) != 0)
        ret->from = reg_at(word, 0, true);
    if ((is & (FROM_N | FROM_SP)) != 0)
        ret->from = reg_at(word, 5, (is & FROM_N) != 0);
    if ((is & FROM_M) != 0)
        ret->from = reg_at(word, 16, true);
    if ((is & SECOND_M) != 0)
        ret->second = reg_at(word, 16, true);
    if ((is & PAIR) != 0 && (row->kind == INSN_LOAD || row->kind == INSN_STORE))
        ret->second = reg_at(word, 10, true);
    for (size_t i = 0; i < sizeof also / sizeof *also; i++)
        if ((is & also[i].operand) != 0)
            ret->clobbers |= bit_of(reg_at(word, also[i].bit, also[i].operand != ALSO_N));
    if ((is & ALSO_M1) != 0)
        ret->clobbers |= bit_of((int8_t) ((word >> 16 & 31) | 1));
    ret->clobbers |= ((is & TO_0) != 0 ? UINT32_C(1) : 0) | ((is & TO_17) != 0 ? 1 << 17 : 0) |
                     ((is & TO_30) != 0 ? 1 << 30 : 0);
}

static void
set_memory(const struct row *row, uint32_t word, struct insn *ret)
{
    uint32_t is = row->operands;
    ret->memory = (is & MEMORY) != 0;
    ret->inexact = (is & INEXACT) != 0;
    if ((is & (BASE | BASE_T)) != 0)
        ret->base = reg_at(word, (is & BASE) != 0 ? 5 : 0, (is & BASE) == 0);
    if ((is & (PC | PAGE_PC)) != 0 && (is & TARGET) == 0)
        ret->base = INSN_ABSOLUTE;
    if ((is & BASE) != 0 && (is & (PRE | POST)) != 0)
        ret->change = (int32_t) ret->offset;
    if ((is & POST) != 0)
        ret->offset = 0;
    if ((is & WRITES) != 0)
        ret->written = (uint16_t) (row->width << ((is & PAIR) != 0));
}

static bool
decode(const uint8_t *code, size_t size, uint64_t addr, struct insn *ret)
{
    if (size < INSN_SIZE)
        return false;
    uint32_t word =
        code[0] | (uint32_t) code[1] << 8 | (uint32_t) code[2] << 16 | (uint32_t) code[3] << 24;
    ret->length = INSN_SIZE;
    const struct row *row = rows, *end = rows + sizeof rows / sizeof *rows;
    while (row < end && (word & row->mask) != row->value)
        row++;
    if (row == end)
        return true;
    ret->kind = (enum insn_kind) row->kind;
    ret->width = row->width;
    ret->number = ret->offset = number_in(row, word, addr);
    if ((row->operands & TARGET) != 0)
        ret->target = (uint64_t) ret->number;
    set_registers(row, word, ret);
    set_memory(row, word, ret);
    // Of a register that is always 0.
    if (ret->kind == INSN_COPY && ret->from == INSN_NO_REGISTER)
        ret->kind = INSN_NUMBER;
    // What is loaded from a place that is not exact.
    if (ret->kind == INSN_LOAD && ret->inexact) {
        ret->clobbers |= bit_of(ret->to);
        ret->kind = INSN_OTHER;
        ret->to = INSN_NO_REGISTER;
    }
    return true;
}

const struct machine machine_aarch64 = {
    .name = "aarch64",
    .elf = EM_AARCH64,
    .alignment = INSN_SIZE,
    .call_bytes = INSN_SIZE,
    .n_arguments = 8,
    .arguments = {0, 1, 2, 3, 4, 5, 6, 7},
    .result = 0,
    .stack = SP,
    .thread_behind = true,
    .kept = 0xbff80000,
    .decode = decode,
};
