// SPDX-License-Identifier: BSD-3-Clause
// Values of the expressions in debug information, as far as these are straight: no jumps, no calls.
//
// There is nothing to run endlessly: each operation is done once, on a stack of a fixed depth.
#include "mqshow/symbols/expression.h"

#include <dwarf.h>
#include <stdint.h>

enum { OPERATIONS_MAX = 64, DEPTH_MAX = 16, BITS = 64 };

/** Does an operation. @param args what it takes, and then what it gives; the last one is the top */
typedef bool (*operation_ft)(const struct eval_context *in, const Dwarf_Op *op, uint64_t *args);

static bool
get_register(const struct eval_context *in, uint64_t number, uint64_t *ret)
{
    if (in->registers == NULL || number >= EXPRESSION_REGISTERS ||
        (in->registers->known & UINT32_C(1) << number) == 0)
        return false;
    *ret = in->registers->values[number];
    return true;
}

static bool
do_literal(const struct eval_context *in, const Dwarf_Op *op, uint64_t *args)
{
    (void) in;
    args[0] = (uint64_t) op->atom - DW_OP_lit0;
    return true;
}

static bool
do_constant(const struct eval_context *in, const Dwarf_Op *op, uint64_t *args)
{
    (void) in;
    args[0] = op->number;
    return true;
}

static bool
do_address(const struct eval_context *in, const Dwarf_Op *op, uint64_t *args)
{
    args[0] = op->number + in->bias;
    return true;
}

static bool
do_based(const struct eval_context *in, const Dwarf_Op *op, uint64_t *args)
{
    if (!get_register(in, (uint64_t) op->atom - DW_OP_breg0, &args[0]))
        return false;
    args[0] += op->number;
    return true;
}

static bool
do_cfa(const struct eval_context *in, const Dwarf_Op *op, uint64_t *args)
{
    (void) op;
    args[0] = in->cfa;
    return in->cfa != 0;
}

/** Where the frame is: some compilers name a register, as if a variable lay in it. */
static bool
get_base(const struct eval_context *in, uint64_t *ret)
{
    struct eval_context outside = *in;
    outside.base = NULL;
    if (in->base != NULL && in->n_base == 1 && in->base->atom >= DW_OP_reg0 &&
        in->base->atom <= DW_OP_reg31)
        return get_register(in, (uint64_t) in->base->atom - DW_OP_reg0, ret);
    return in->base != NULL && expression_value(&outside, in->base, in->n_base, ret);
}

static bool
do_frame_based(const struct eval_context *in, const Dwarf_Op *op, uint64_t *args)
{
    if (!get_base(in, &args[0]))
        return false;
    args[0] += op->number;
    return true;
}

static bool
do_deref(const struct eval_context *in, const Dwarf_Op *op, uint64_t *args)
{
    (void) op;
    return in->read(in->memory, args[0], in->width, &args[0]);
}

static bool
do_plus_constant(const struct eval_context *in, const Dwarf_Op *op, uint64_t *args)
{
    (void) in;
    args[0] += op->number;
    return true;
}

static bool
do_copy(const struct eval_context *in, const Dwarf_Op *op, uint64_t *args)
{
    (void) in;
    if (op->atom == DW_OP_dup)
        args[1] = args[0];
    else if (op->atom == DW_OP_over)
        args[2] = args[0];
    return true;
}

static bool
do_swap(const struct eval_context *in, const Dwarf_Op *op, uint64_t *args)
{
    (void) in, (void) op;
    uint64_t first = args[0];
    args[0] = args[1];
    args[1] = first;
    return true;
}

static bool
do_unary(const struct eval_context *in, const Dwarf_Op *op, uint64_t *args)
{
    (void) in;
    args[0] = op->atom == DW_OP_neg ? -args[0] : ~args[0];
    return true;
}

static bool
do_divide(const struct eval_context *in, const Dwarf_Op *op, uint64_t *args)
{
    (void) in;
    bool overflows = args[0] == (uint64_t) INT64_MIN && args[1] == UINT64_MAX;
    if (args[1] == 0 || (op->atom == DW_OP_div && overflows))
        return false;
    args[0] = op->atom == DW_OP_mod ? args[0] % args[1]
                                    : (uint64_t) ((int64_t) args[0] / (int64_t) args[1]);
    return true;
}

/** All bits are shifted out by as many or more as there are. */
static bool
do_shift(const struct eval_context *in, const Dwarf_Op *op, uint64_t *args)
{
    (void) in;
    uint64_t sign = op->atom == DW_OP_shra && args[0] >> (BITS - 1) != 0 ? UINT64_MAX : 0;
    uint64_t by = args[1] < BITS ? args[1] : BITS - 1;
    args[0] = args[1] >= BITS         ? sign
              : op->atom == DW_OP_shl ? args[0] << by
                                      : args[0] >> by | (by > 0 ? sign << (BITS - by) : 0);
    return true;
}

static bool
do_binary(const struct eval_context *in, const Dwarf_Op *op, uint64_t *args)
{
    (void) in;
    const uint64_t a = args[0], b = args[1];
    args[0] = op->atom == DW_OP_plus    ? a + b
              : op->atom == DW_OP_minus ? a - b
              : op->atom == DW_OP_mul   ? a * b
              : op->atom == DW_OP_and   ? (a & b)
              : op->atom == DW_OP_or    ? (a | b)
                                        : (a ^ b);
    return true;
}

/** All that is known of operations: how many values they take and give. */
static const struct rule {
    uint8_t first, last;
    uint8_t takes, gives;
    operation_ft operate;
} rules[] = {
    {DW_OP_lit0, DW_OP_lit31, 0, 1, do_literal},
    {DW_OP_const1u, DW_OP_consts, 0, 1, do_constant},
    {DW_OP_addr, DW_OP_addr, 0, 1, do_address},
    {DW_OP_breg0, DW_OP_breg31, 0, 1, do_based},
    {DW_OP_fbreg, DW_OP_fbreg, 0, 1, do_frame_based},
    {DW_OP_call_frame_cfa, DW_OP_call_frame_cfa, 0, 1, do_cfa},
    {DW_OP_deref, DW_OP_deref, 1, 1, do_deref},
    {DW_OP_plus_uconst, DW_OP_plus_uconst, 1, 1, do_plus_constant},
    {DW_OP_dup, DW_OP_dup, 1, 2, do_copy},
    {DW_OP_drop, DW_OP_drop, 1, 0, do_copy},
    {DW_OP_over, DW_OP_over, 2, 3, do_copy},
    {DW_OP_swap, DW_OP_swap, 2, 2, do_swap},
    {DW_OP_neg, DW_OP_neg, 1, 1, do_unary},
    {DW_OP_not, DW_OP_not, 1, 1, do_unary},
    {DW_OP_div, DW_OP_div, 2, 1, do_divide},
    {DW_OP_mod, DW_OP_mod, 2, 1, do_divide},
    {DW_OP_shl, DW_OP_shra, 2, 1, do_shift},
    {DW_OP_plus, DW_OP_plus, 2, 1, do_binary},
    {DW_OP_minus, DW_OP_minus, 2, 1, do_binary},
    {DW_OP_mul, DW_OP_mul, 2, 1, do_binary},
    {DW_OP_and, DW_OP_and, 2, 1, do_binary},
    {DW_OP_or, DW_OP_or, 2, 1, do_binary},
    {DW_OP_xor, DW_OP_xor, 2, 1, do_binary},
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
    uint64_t stack[DEPTH_MAX] = {0};
    size_t depth = 0;
    if (count > OPERATIONS_MAX)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct rule *rule = find_rule(ops[i].atom);
        if (rule == NULL || depth < rule->takes || depth - rule->takes + rule->gives > DEPTH_MAX ||
            !rule->operate(in, &ops[i], stack + depth - rule->takes))
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
        return get_register(in, (uint64_t) ops->atom - DW_OP_reg0, ret);
    if (count > 0 && ops[count - 1].atom == DW_OP_stack_value)
        return expression_value(in, ops, count - 1, ret);
    return expression_value(in, ops, count, &addr) && in->read(in->memory, addr, width, ret);
}
