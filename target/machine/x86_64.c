// SPDX-License-Identifier: BSD-3-Clause
// Takes the instructions of x86-64 apart, as Intel's Software Developer's Manual, volume 2, and the
// rows of x86_64.def say.
#include "target/machine/machine.h"

#include <elf.h>

/** Conditions of rows: what the second column of bits says. */
enum {
#define DIGIT(n) (1 << (n))
    MEM = 1 << 8,
    REG = 1 << 9,
    NP = 1 << 10,
    P66 = 1 << 11,
    F3 = 1 << 12,
    F2 = 1 << 13,
    LEGACY = 1 << 14,
    VEX = 1 << 15,
    EVEX = 1 << 16,
    NO_B = 1 << 17,
    ANY = 0,
};

static const uint32_t sorts[] = {0xff, MEM | REG, NP | P66 | F3 | F2, LEGACY | VEX | EVEX, NO_B};

enum operands {
    M = 1 << 0,
    TO_RM = 1 << 1,
    TO_REG = 1 << 2,
    TO_V = 1 << 3,
    TO_LOW = 1 << 4,
    TO_A = 1 << 5,
    TO_MEM = 1 << 6,
    NEG = 1 << 7,
    EXTENDS = 1 << 8,  // what is copied is made as wide as the operand
    HINT = 1 << 9,     // memory is named, not accessed
    REPEATS = 1 << 10, // rax or rcx counts
    STRING = 1 << 11,  // writes at rdi
    FAR = 1 << 12,     // writes somewhere around
    LOW = 1 << 13,     // the register in the opcode is read
    RM = 1 << 14,      // that of the operands is
};

enum immediate { NONE, I8, I16, I24, IZ, IV, MOFFS, R8, R32 };

/** Rules for widths, which are no widths. */
enum width { OPERAND = 0x1000, VECTOR, SCALAR, HALF, WORD, DOUBLE, MASK };

/** Registers, 1 << the number in debug information; then their numbers. */
enum { RAX = 1 << 0, RDX = 1 << 1, RCX = 1 << 2, RBX = 1 << 3, RSI = 1 << 4, RDI = 1 << 5 };
enum { R11 = 1 << 11, N_RDI = 5, N_RBP = 6, N_RSP = 7 };

/** Kinds that only rows have: the decoder makes a store and a load of them. */
enum { INSN_PUSH = INSN_STORE, INSN_POP = INSN_LOAD };

static const struct row {
    uint8_t map, opcode, mask;
    uint32_t when;
    uint16_t operands;
    uint8_t immediate;
    uint16_t width, implied;
    uint8_t kind;
} rows[] = {
#define ROW(map, opcode, mask, when, operands, immediate, width, implied, kind) \
    {map, opcode, mask, when, operands, immediate, width, implied, INSN_##kind},
#include "target/machine/x86_64.def"
#undef ROW
};

/** Prefixes; those of segments other than the thread's change nothing. */
enum { OPERAND16 = 1 << 0, ADDRESS32 = 1 << 1, REPNE = 1 << 2, REP = 1 << 3, SEGMENT = 1 << 4 };

/** An instruction taken apart. */
struct parts {
    const uint8_t *code;
    size_t size, at; // `at` goes on behind the end
    const struct row *row;
    uint8_t map, opcode, modrm;
    uint32_t is; // its conditions, without digit and mode
    uint8_t prefixes;
    bool rex, w;
    uint8_t r, x, b, v, l; // bits and registers of prefixes; l: of the vector's length
    bool mem;
    int64_t immediate;
};

static uint64_t
take(struct parts *parts, unsigned bytes)
{
    uint64_t number = 0;
    for (unsigned i = 0; i < bytes; i++, parts->at++)
        if (parts->at < parts->size)
            number |= (uint64_t) parts->code[parts->at] << (8 * i);
    return number;
}

static int64_t
take_signed(struct parts *parts, unsigned bytes)
{
    unsigned unused = 64 - 8 * bytes;
    return bytes > 0 ? (int64_t) (take(parts, bytes) << unused) >> unused : 0;
}

static uint8_t
take_byte(struct parts *parts)
{
    return (uint8_t) take(parts, 1);
}

/** What a prefix sets. @return false when a byte is none */
static bool
set_prefix(struct parts *parts, uint8_t byte)
{
    static const struct {
        uint8_t byte, sets;
    } all[] = {
        {0x66, OPERAND16}, {0x67, ADDRESS32}, {0xf2, REPNE}, {0xf3, REP},
        {0x64, SEGMENT},   {0x65, SEGMENT},   {0x26, 0},     {0x2e, 0},
        {0x36, 0},         {0x3e, 0},         {0xf0, 0},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i].byte != byte)
            continue;
        if ((all[i].sets & (REP | REPNE)) != 0) // the last one counts
            parts->prefixes &= (uint8_t) ~(REP | REPNE);
        parts->prefixes |= all[i].sets;
        return true;
    }
    return false;
}

/** Reads the prefixes in any order, and REX behind them. @return the first byte of the opcode */
static uint8_t
take_prefixes(struct parts *parts)
{
    uint8_t byte = take_byte(parts);
    while (parts->at < INSN_BYTES && set_prefix(parts, byte))
        byte = take_byte(parts);
    parts->is = (parts->prefixes & REPNE) != 0       ? F2
                : (parts->prefixes & REP) != 0       ? F3
                : (parts->prefixes & OPERAND16) != 0 ? P66
                                                     : NP;
    if ((byte & 0xf0) != 0x40)
        return byte;
    parts->rex = true;
    parts->w = (byte & 8) != 0;
    parts->r = (uint8_t) (byte << 1 & 8);
    parts->x = (uint8_t) (byte << 2 & 8);
    parts->b = (uint8_t) (byte << 3 & 8);
    return take_byte(parts);
}

/** What the last bytes of VEX and EVEX say. */
static void
set_vector(struct parts *parts, uint32_t encoding, uint8_t map, uint8_t byte)
{
    static const uint32_t prefixes[] = {NP, P66, F3, F2};
    parts->is = encoding | prefixes[byte & 3];
    parts->map = map;
    parts->w = (byte & 0x80) != 0;
    parts->v = ~byte >> 3 & 15;
    parts->rex = true;
}

/** Reads the opcode and says what map it is in. */
static void
take_opcode(struct parts *parts)
{
    uint8_t byte = take_prefixes(parts), first, second;
    parts->opcode = byte;
    switch (byte) {
    case 0xc4:
    case 0x62:
        first = take_byte(parts);
        second = take_byte(parts);
        set_vector(parts, byte == 0xc4 ? VEX : EVEX, (uint8_t) (first & (byte == 0xc4 ? 31 : 7)),
                   second);
        parts->r = ~first >> 4 & 8;
        parts->x = ~first >> 3 & 8;
        parts->b = ~first >> 2 & 8;
        parts->l = byte == 0xc4 ? second >> 2 & 1 : take_byte(parts) >> 5 & 3;
        break;
    case 0xc5:
        first = take_byte(parts);
        set_vector(parts, VEX, 1, first);
        parts->w = false;
        parts->r = ~first >> 4 & 8;
        parts->l = first >> 2 & 1;
        break;
    case 0x0f:
        parts->is |= LEGACY;
        parts->opcode = take_byte(parts);
        parts->map = parts->opcode == 0x38 ? 2 : parts->opcode == 0x3a ? 3 : 1;
        if (parts->map == 1)
            return;
        break;
    default:
        parts->is |= LEGACY;
        return;
    }
    parts->opcode = take_byte(parts);
}

/** Whether an instruction fulfils conditions, one of each sort that is named. */
static bool
fits(uint32_t when, uint32_t is)
{
    for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++)
        if ((when & sorts[i]) != 0 && (when & is & sorts[i]) == 0)
            return false;
    return true;
}

static const struct row *
find_row(const struct parts *parts)
{
    uint8_t modrm = parts->at < parts->size ? parts->code[parts->at] : 0;
    uint32_t is = parts->is | (uint32_t) DIGIT(modrm >> 3 & 7) | (modrm >= 0xc0 ? REG : MEM) |
                  (parts->b == 0 ? NO_B : 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].map == parts->map && (parts->opcode & rows[i].mask) == rows[i].opcode &&
            fits(rows[i].when, is))
            return &rows[i];
    return NULL;
}

static uint16_t
operand_size(const struct parts *parts)
{
    bool half = (parts->prefixes & OPERAND16) != 0 && (parts->is & LEGACY) != 0;
    return parts->w ? 8 : half ? 2 : 4;
}

static uint16_t
width_of(const struct parts *parts)
{
    bool single = (parts->is & F3) != 0, paired = (parts->is & F2) != 0;
    bool op16 = (parts->is & P66) != 0;
    uint16_t vector = (uint16_t) (16 << parts->l);
    switch (parts->row->width) {
    case OPERAND:
        return operand_size(parts);
    case VECTOR:
        return vector;
    case SCALAR:
        return single ? 4 : paired ? 8 : vector;
    case HALF:
        return vector / 2;
    case WORD:
        return parts->w ? 8 : 4;
    case DOUBLE:
        return parts->w ? 16 : 8;
    case MASK:
        return parts->w ? (op16 ? 4 : 8) : (op16 ? 1 : 2);
    default:
        return parts->row->width;
    }
}

/** The number in debug information of a register. */
static int8_t
number_of(unsigned reg)
{
    static const int8_t first[] = {0, 2, 1, 3, 7, 6, 4, 5};
    return reg < 8 ? first[reg] : (int8_t) (reg & 15);
}

/** The second byte of rax, rcx, rdx and rbx: a register of one byte and number 4 to 7. */
static bool
is_second_byte(const struct parts *parts, unsigned reg, uint16_t width)
{
    return width == 1 && !parts->rex && reg >= 4 && reg < 8;
}

/** The register that the byte of operands names besides memory, and the one instead of memory. */
static unsigned
reg_of(const struct parts *parts)
{
    return (parts->modrm >> 3 & 7u) | parts->r;
}

static unsigned
rm_of(const struct parts *parts)
{
    return (parts->modrm & 7u) | parts->b;
}

static int8_t
operand(const struct parts *parts, unsigned reg, uint16_t width)
{
    return number_of(is_second_byte(parts, reg, width) ? reg - 4 : reg);
}

/** Reads the bytes that say where an operand in memory is. */
static void
take_memory(struct parts *parts, struct insn *ret)
{
    unsigned mode = parts->modrm >> 6, rm = parts->modrm & 7;
    parts->mem = mode != 3;
    if (!parts->mem)
        return;
    unsigned base = rm, wide = mode == 2 ? 4 : mode;
    if (rm == 4) {
        uint8_t sib = take_byte(parts);
        base = sib & 7;
        ret->inexact = (sib >> 3 & 7) != 4 || parts->x != 0;
    }
    ret->inexact |= (parts->prefixes & ADDRESS32) != 0;
    bool absolute = mode == 0 && base == 5;
    ret->memory = true;
    ret->thread = (parts->prefixes & SEGMENT) != 0;
    ret->base = absolute ? INSN_ABSOLUTE : number_of(base | parts->b);
    ret->offset = take_signed(parts, absolute ? 4 : wide);
    if ((parts->is & EVEX) != 0 && wide == 1)
        ret->offset *= width_of(parts);
}

static void
take_immediate(struct parts *parts)
{
    unsigned size = operand_size(parts), most4 = size < 4 ? size : 4;
    const unsigned sizes[] = {
        [I8] = 1,    [I16] = 2, [I24] = 3, [IZ] = most4,
        [IV] = size, [R8] = 1,  [R32] = 4, [MOFFS] = (parts->prefixes & ADDRESS32) != 0 ? 4 : 8,
    };
    parts->immediate = take_signed(parts, sizes[parts->row->immediate]);
}

/** Registers and memory that are written. @return the register, if it is one */
static int8_t
set_written(const struct parts *parts, struct insn *ret, uint16_t width)
{
    unsigned operands = parts->row->operands;
    bool repeats = (parts->prefixes & (REP | REPNE)) != 0;
    const struct {
        bool is;
        unsigned reg;
    } all[] = {
        {(operands & TO_RM) != 0 && !parts->mem, rm_of(parts)},
        {(operands & TO_REG) != 0, reg_of(parts)},
        {(operands & TO_LOW) != 0, (parts->opcode & 7u) | parts->b},
        {(operands & TO_A) != 0, 0},
        {(operands & TO_V) != 0, parts->v},
    };
    int8_t to = INSN_NO_REGISTER;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (!all[i].is)
            continue;
        bool extends = (operands & EXTENDS) != 0;
        int8_t number = operand(parts, all[i].reg, extends ? operand_size(parts) : width);
        ret->clobbers |= UINT32_C(1) << number;
        to = to == INSN_NO_REGISTER ? number : to;
    }
    ret->clobbers |= parts->row->implied;
    if ((operands & STRING) != 0) {
        ret->memory = true;
        ret->base = N_RDI;
        ret->offset = 0;
        ret->inexact = repeats || (operands & FAR) != 0;
    }
    if ((operands & (STRING | REPEATS)) != 0 && repeats && (operands & M) == 0)
        ret->clobbers |= RCX;
    if ((operands & STRING) != 0 || ((operands & (TO_RM | TO_MEM)) != 0 && parts->mem)) {
        ret->written = width > 0 ? width : 1;
        ret->inexact |= width == 0 || (operands & FAR) != 0;
    }
    return to;
}

/** A copy: what kind it is depends on where its operands are. */
static void
set_copy(const struct parts *parts, struct insn *ret, int8_t to)
{
    bool stores = (parts->row->operands & TO_RM) != 0;
    unsigned from = stores ? reg_of(parts) : rm_of(parts);
    bool extends = (parts->row->operands & EXTENDS) != 0;
    bool whole = (extends ? operand_size(parts) : ret->width) >= 4;
    bool second_byte = is_second_byte(parts, from, ret->width);
    if (parts->mem && stores) {
        ret->kind = INSN_STORE;
        ret->from = second_byte ? INSN_NO_REGISTER : number_of(from);
    } else if (whole && (parts->mem ? !ret->inexact : !second_byte)) {
        ret->kind = parts->mem ? INSN_LOAD : INSN_COPY;
        ret->to = to;
        ret->from = parts->mem ? INSN_NO_REGISTER : number_of(from);
    }
}

/** lea, or a register and a number. */
static void
set_address(const struct parts *parts, struct insn *ret, int8_t to)
{
    ret->memory = ret->thread = false;
    if (ret->inexact || ret->width < 4)
        return;
    ret->kind = INSN_ADDRESS;
    ret->to = to;
    if (parts->mem)
        return;
    ret->base = to;
    ret->offset = (parts->row->operands & NEG) != 0 ? -parts->immediate : parts->immediate;
}

static void
set_stack(const struct parts *parts, struct insn *ret, int8_t to)
{
    bool pushes = parts->row->kind == INSN_PUSH;
    unsigned operands = parts->row->operands;
    unsigned low = (parts->opcode & 7u) | parts->b;
    ret->kind =
        (parts->prefixes & OPERAND16) != 0 ? INSN_UNKNOWN : (enum insn_kind) parts->row->kind;
    ret->memory = true;
    ret->thread = ret->inexact = false;
    ret->base = N_RSP;
    ret->change = pushes ? -8 : 8;
    ret->offset = pushes ? -8 : 0;
    ret->written = pushes ? 8 : 0;
    ret->to = to;
    if (pushes && (operands & (LOW | RM)) != 0)
        ret->from = number_of((operands & LOW) != 0 ? low : rm_of(parts));
}

/** What two registers, or a register and memory, make. */
static void
set_pair(const struct parts *parts, struct insn *ret, int8_t to)
{
    if (ret->width < 4 || (parts->mem && (parts->row->kind == INSN_CHOOSE || ret->inexact)))
        return;
    ret->kind = (enum insn_kind) parts->row->kind;
    ret->to = ret->from = to;
    if (!parts->mem)
        ret->second = number_of((parts->row->operands & TO_RM) != 0 ? reg_of(parts) : rm_of(parts));
}

static void
set_kind(const struct parts *parts, struct insn *ret, int8_t to, uint64_t next)
{
    ret->kind = INSN_OTHER;
    ret->number = parts->immediate;
    switch (parts->row->kind) {
    case INSN_COPY:
        return set_copy(parts, ret, to);
    case INSN_ADDRESS:
        return set_address(parts, ret, to);
    case INSN_SUM:
    case INSN_CHOOSE:
        return set_pair(parts, ret, to);
    case INSN_PUSH:
    case INSN_POP:
        return set_stack(parts, ret, to);
    case INSN_NUMBER:
        ret->kind = parts->mem ? INSN_STORE : ret->width >= 4 ? INSN_NUMBER : INSN_OTHER;
        ret->to = ret->kind == INSN_NUMBER ? to : INSN_NO_REGISTER;
        return;
    default:
        ret->kind = (enum insn_kind) parts->row->kind;
        ret->to = ret->kind == INSN_LEAVE ? N_RBP : INSN_NO_REGISTER;
        if (parts->row->immediate == R8 || parts->row->immediate == R32)
            ret->target = next + (uint64_t) parts->immediate;
    }
}

static bool
decode(const uint8_t *code, size_t size, uint64_t addr, struct insn *ret)
{
    struct parts parts = {.code = code, .size = size};
    take_opcode(&parts);
    parts.row = find_row(&parts);
    if (!parts.row)
        return false;
    if ((parts.row->operands & M) != 0) {
        parts.modrm = take_byte(&parts);
        take_memory(&parts, ret);
    }
    take_immediate(&parts);
    if (parts.at > size || parts.at > INSN_BYTES)
        return false;
    // Without SIB an address that is no register's counts from the next instruction.
    if (ret->base == INSN_ABSOLUTE && (parts.modrm & 7) == 5)
        ret->offset = (int64_t) ((uint64_t) ret->offset + addr + parts.at);
    ret->memory &= (parts.row->operands & HINT) == 0;
    ret->length = (uint8_t) parts.at;
    uint16_t width = width_of(&parts);
    ret->width = width > UINT8_MAX ? 0 : (uint8_t) width;
    set_kind(&parts, ret, set_written(&parts, ret, width), addr + parts.at);
    return true;
}

const struct machine machine_x86_64 = {
    .name = "x86-64",
    .elf = EM_X86_64,
    .alignment = 1,
    .call_bytes = 6,
    .n_arguments = 6,
    .arguments = {5, 4, 1, 2, 8, 9},
    .result = 0,
    .stack = N_RSP,
    .pushed = 8,
    .kept = 0x0000f0c8,
    .decode = decode,
};
