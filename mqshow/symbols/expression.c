// SPDX-License-Identifier: BSD-3-Clause
// Values of the expressions in debug information, as far as these are straight: no jumps, no calls.
//
// There is nothing to run endlessly: each operation is done once, on a stack of a fixed depth.
#include "mqshow/symbols/expression.h"

#include <dwarf.h>
#include <stdint.h>

enum { OPERATIONS_MAX = 64, DEPTH_MAX = 16, BITS = 64 };

/** The value of a register, and so far behind it. */
static bool
get_register(const struct eval_context *in, uint64_t number, uint64_t distance, uint64_t *ret)
{
    if (in->registers == NULL || number >= EXPRESSION_REGISTERS ||
        (in->registers->known & UINT32_C(1) << number) == 0)
        return false;
    *ret = in->registers->values[number] + distance;
    return true;
}

/** Where the frame is: some compilers name a register, as if a variable lay in it. */
static bool
get_base(const struct eval_context *in, uint64_t distance, uint64_t *ret)
{
    struct eval_context outside = *in;
    outside.base = NULL;
    if (in->base != NULL && in->n_base == 1 && in->base->atom >= DW_OP_reg0 &&
        in->base->atom <= DW_OP_reg31)
        return get_register(in, (uint64_t) in->base->atom - DW_OP_reg0, distance, ret);
    if (in->base == NULL || !expression_value(&outside, in->base, in->n_base, ret))
        return false;
    *ret += distance;
    return true;
}

/** What one or two values, of which `b` is the upper one, come to. */
static bool
compute(unsigned atom, uint64_t a, uint64_t b, uint64_t *ret)
{
    // All bits are shifted out by as many or more as there are.
    const uint64_t sign = atom == DW_OP_shra && a >> (BITS - 1) != 0 ? UINT64_MAX : 0;
    const bool overflows = atom == DW_OP_div && a == (uint64_t) INT64_MIN && b == UINT64_MAX;
    if ((atom == DW_OP_div || atom == DW_OP_mod) && (b == 0 || overflows))
        return false;
    if (atom >= DW_OP_shl && atom <= DW_OP_shra)
        *ret = b >= BITS           ? sign
               : atom == DW_OP_shl ? a << b
               : b > 0             ? a >> b | sign << (BITS - b)
                                   : a;
    else
        *ret = atom == DW_OP_neg     ? -a
               : atom == DW_OP_not   ? ~a
               : atom == DW_OP_and   ? (a & b)
               : atom == DW_OP_or    ? (a | b)
               : atom == DW_OP_xor   ? (a ^ b)
               : atom == DW_OP_plus  ? a + b
               : atom == DW_OP_minus ? a - b
               : atom == DW_OP_mul   ? a * b
               : atom == DW_OP_mod   ? a % b
                                     : (uint64_t) ((int64_t) a / (int64_t) b);
    return true;
}

/** Does an operation. @param args what it takes, and then what it gives; the last one is the top */
static bool
operate(const struct eval_context *in, const Dwarf_Op *op, uint64_t *args)
{
    const uint64_t first = args[0];
    switch (op->atom) {
    case DW_OP_addr:
        args[0] = op->number + in->bias;
        return true;
    case DW_OP_deref:
        return in->read(in->memory, first, in->width, &args[0]);
    case DW_OP_dup:
        args[1] = first;
        return true;
    case DW_OP_drop:
        return true;
    case DW_OP_over:
        args[2] = first;
        return true;
    case DW_OP_swap:
        args[0] = args[1];
        args[1] = first;
        return true;
    case DW_OP_plus_uconst:
        args[0] += op->number;
        return true;
    case DW_OP_fbreg:
        return get_base(in, op->number, &args[0]);
    case DW_OP_call_frame_cfa:
        args[0] = in->cfa;
        return in->cfa != 0;
    }
    if (op->atom < DW_OP_dup)
        args[0] = op->number;
    else if (op->atom < DW_OP_lit0)
        return compute(op->atom, first, args[1], &args[0]);
    else if (op->atom < DW_OP_breg0)
        args[0] = (uint64_t) op->atom - DW_OP_lit0;
    else
        return get_register(in, (uint64_t) op->atom - DW_OP_breg0, op->number, &args[0]);
    return true;
}

/** The operations that are known: how many values they take and give. */
static const struct rule {
    uint8_t first, last;
    uint8_t takes, gives;
} rules[] = {
    {DW_OP_addr, DW_OP_addr, 0, 1},
    {DW_OP_deref, DW_OP_deref, 1, 1},
    {DW_OP_const1u, DW_OP_consts, 0, 1},
    {DW_OP_dup, DW_OP_dup, 1, 2},
    {DW_OP_drop, DW_OP_drop, 1, 0},
    {DW_OP_over, DW_OP_over, 2, 3},
    {DW_OP_swap, DW_OP_swap, 2, 2},
    {DW_OP_and, DW_OP_mul, 2, 1},
    {DW_OP_neg, DW_OP_not, 1, 1},
    {DW_OP_or, DW_OP_plus, 2, 1},
    {DW_OP_plus_uconst, DW_OP_plus_uconst, 1, 1},
    {DW_OP_shl, DW_OP_xor, 2, 1},
    {DW_OP_lit0, DW_OP_lit31, 0, 1},
    {DW_OP_breg0, DW_OP_breg31, 0, 1},
    {DW_OP_fbreg, DW_OP_fbreg, 0, 1},
    {DW_OP_call_frame_cfa, DW_OP_call_frame_cfa, 0, 1},
};

static const struct rule *
find_rule(unsigned atom)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (atom >= rules[i].first && atom <= rules[i].last)
            return &rules[i];
    return NULL;
}

bool
expression_value(const struct eval_context *in, const Dwarf_Op *ops, size_t count, uint64_t *ret)
{
    uint64_t stack[DEPTH_MAX + 2] = {0};
    size_t depth = 0;
    if (count > OPERATIONS_MAX)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct rule *rule = find_rule(ops[i].atom);
        if (rule == NULL || depth < rule->takes || depth - rule->takes + rule->gives > DEPTH_MAX ||
            !operate(in, &ops[i], stack + depth - rule->takes))
            return false;
        depth = depth - rule->takes + rule->gives;
    }
    if (depth == 0)
        return false;
    *ret = stack[depth - 1];
    return true;
}

bool
expression_variable(const struct eval_context *in, const Dwarf_Op *ops, size_t count, size_t width,
                    uint64_t *ret)
{
    uint64_t addr;
    if (count == 1 && ops->atom >= DW_OP_reg0 && ops->atom <= DW_OP_reg31)
        return get_register(in, (uint64_t) ops->atom - DW_OP_reg0, 0, ret);
    if (count > 0 && ops[count - 1].atom == DW_OP_stack_value)
        return expression_value(in, ops, count - 1, ret);
    return expression_value(in, ops, count, &addr) && in->read(in->memory, addr, width, ret);
}
