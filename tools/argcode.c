// SPDX-License-Identifier: BSD-3-Clause
// What the instructions before a call put into a register, on x86-64.
#include "tools/argcode.h"

#include <string.h>

enum { REGISTERS = 16, SP = 4, BP = 5, CALL_DIRECT = 5, CALL_SLOT = 6 };
enum { REX = 0x40, REX_MASK = 0xf0, REX_W = 8, REX_R = 4, REX_X = 2, REX_B = 1 };

/** What is known of a register. */
struct content {
    bool known;
    bool copied; // or computed from another one that was set here
    uint64_t value;
};

struct machine {
    const struct surroundings *in;
    struct content registers[REGISTERS];
    bool kept[REGISTERS]; // as in the frame
};

/** An instruction, taken apart. */
struct instruction {
    uint8_t opcode, rex;
    unsigned reg, rm;
    bool has_memory;     // rm is an address
    struct content addr; // that one
    size_t width;        // bytes of the operands
    int32_t constant;
};

typedef bool (*instruction_ft)(struct machine *machine, const struct instruction *instruction);

/** Sets a register; one that the frame keeps must stay what it is. */
static bool
set(struct machine *machine, unsigned number, const struct instruction *instruction,
    struct content content)
{
    if (instruction->width == sizeof(uint32_t))
        content.value &= UINT32_MAX;
    machine->registers[number] = content;
    return !machine->kept[number] && number != SP && number != BP;
}

static bool
do_load(struct machine *machine, const struct instruction *instruction)
{
    struct content content = machine->registers[instruction->rm];
    content.copied = true;
    if (instruction->has_memory) {
        content = instruction->addr;
        content.known = content.known && machine->in->read(machine->in->memory, content.value,
                                                           instruction->width, &content.value);
    }
    return set(machine, instruction->reg, instruction, content);
}

static bool
do_store(struct machine *machine, const struct instruction *instruction)
{
    struct content content = machine->registers[instruction->reg];
    content.copied = true;
    return instruction->has_memory || set(machine, instruction->rm, instruction, content);
}

static bool
do_address(struct machine *machine, const struct instruction *instruction)
{
    return instruction->has_memory &&
           set(machine, instruction->reg, instruction, instruction->addr);
}

static bool
do_constant(struct machine *machine, const struct instruction *instruction)
{
    unsigned number = instruction->opcode % 8u + (instruction->rex & REX_B ? 8u : 0u);
    const struct content content = {true, false, (uint64_t) (int64_t) instruction->constant};
    return instruction->width == sizeof(uint32_t) && set(machine, number, instruction, content);
}

static bool
do_clear(struct machine *machine, const struct instruction *instruction)
{
    const struct content zero = {.known = true};
    return !instruction->has_memory && instruction->reg == instruction->rm &&
           set(machine, instruction->rm, instruction, zero);
}

/** Adds a constant; the other operations with the same code are not known here. */
static bool
do_add(struct machine *machine, const struct instruction *instruction)
{
    struct content content = machine->registers[instruction->rm];
    content.value += (uint64_t) (int64_t) instruction->constant;
    content.copied = true;
    return !instruction->has_memory && instruction->reg % 8 == 0 &&
           set(machine, instruction->rm, instruction, content);
}

static const struct rule {
    uint8_t first, last;
    bool has_operands;
    uint8_t constant; // bytes
    instruction_ft execute;
} rules[] = {
    {0x89, 0x89, true, 0, do_store},   {0x8b, 0x8b, true, 0, do_load},
    {0x8d, 0x8d, true, 0, do_address}, {0x31, 0x31, true, 0, do_clear},
    {0x83, 0x83, true, 1, do_add},     {0xb8, 0xbf, false, 4, do_constant},
};

static const struct rule *
find_rule(uint8_t opcode)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (opcode >= rules[i].first && opcode <= rules[i].last)
            return &rules[i];
    return NULL;
}

/** Reads a constant with its sign. @return false when the code ends before */
static bool
read_constant(const unsigned char *code, size_t size, size_t *at, size_t width, int32_t *ret)
{
    int8_t narrow;
    if (size - *at < width)
        return false;
    *ret = 0;
    if (width == sizeof narrow) {
        memcpy(&narrow, code + *at, sizeof narrow);
        *ret = narrow;
    } else if (width == sizeof *ret) {
        memcpy(ret, code + *at, sizeof *ret);
    }
    *at += width;
    return true;
}

/** Reads the operands: two registers, or one and an address without an index. */
static bool
read_operands(const struct machine *machine, const unsigned char *code, size_t size, size_t *at,
              struct instruction *ret)
{
    static const uint8_t distances[] = {0, 1, 4, 0};
    if (*at == size)
        return false;
    const unsigned mode = code[*at] >> 6, low = code[*at] % 8u;
    ret->reg = code[(*at)++] / 8u % 8u + (ret->rex & REX_R ? 8u : 0u);
    ret->rm = low + (ret->rex & REX_B ? 8u : 0u);
    ret->has_memory = mode != 3;
    if (!ret->has_memory)
        return true;
    const bool to_code = mode == 0 && low == BP; // counted from the next instruction
    if (low == SP && (ret->rm != SP || *at == size || code[(*at)++] != 0x24))
        return false;
    int32_t distance;
    if (!read_constant(code, size, at, to_code ? 4 : distances[mode], &distance))
        return false;
    ret->addr = machine->registers[ret->rm];
    ret->addr.copied = !machine->kept[ret->rm];
    if (to_code)
        ret->addr = (struct content){.known = true};
    ret->addr.value += (uint64_t) (int64_t) distance;
    return (ret->rex & REX_X) == 0;
}

/** Takes the instruction at `*at` apart and executes it. @param end what `size` lies at */
static bool
step(struct machine *machine, const unsigned char *code, size_t size, size_t *at, uint64_t end)
{
    struct instruction instruction = {.width = sizeof(uint32_t)};
    if ((code[*at] & REX_MASK) == REX)
        instruction.rex = code[(*at)++];
    const struct rule *rule = *at < size ? find_rule(code[*at]) : NULL;
    if (rule == NULL)
        return false;
    instruction.opcode = code[(*at)++];
    instruction.width = instruction.rex & REX_W ? sizeof(uint64_t) : sizeof(uint32_t);
    const bool to_code = rule->has_operands && *at < size && (code[*at] & 0xc7) == BP;
    if ((rule->has_operands && !read_operands(machine, code, size, at, &instruction)) ||
        !read_constant(code, size, at, rule->constant, &instruction.constant))
        return false;
    if (to_code)
        instruction.addr.value += end - (size - *at);
    return rule->execute(machine, &instruction);
}

static bool
is_call(const unsigned char *code, size_t size)
{
    return (size == CALL_DIRECT && code[0] == 0xe8) ||
           (size == CALL_SLOT && code[0] == 0xff && code[1] == 0x15);
}

/** Numbers in debug information, by those in instructions. */
static const uint8_t numbers[REGISTERS] = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};

static void
machine_init(struct machine *machine, const struct surroundings *in)
{
    *machine = (struct machine){.in = in};
    for (size_t i = 0; i < REGISTERS; i++) {
        machine->kept[i] = (in->registers->known & UINT32_C(1) << numbers[i]) != 0;
        machine->registers[i].known = machine->kept[i];
        machine->registers[i].value = in->registers->values[numbers[i]];
    }
}

bool
argcode_find(const struct surroundings *in, const unsigned char *code, size_t size, uint64_t addr,
             int number, bool can_copy, uint64_t *ret)
{
    struct machine machine;
    size_t at = 0;
    machine_init(&machine, in);
    while (at < size && !is_call(code + at, size - at))
        if (!step(&machine, code, size, &at, addr + size))
            return false;
    for (size_t i = 0; i < REGISTERS && at < size; i++)
        if (numbers[i] == number && machine.registers[i].known && !machine.kept[i] &&
            (can_copy || !machine.registers[i].copied)) {
            *ret = machine.registers[i].value;
            return true;
        }
    return false;
}
