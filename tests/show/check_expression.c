// SPDX-License-Identifier: BSD-3-Clause
// Values of expressions in debug information: what compilers write, and what nobody should.
#include "tests/check_run.h"
#include "mqshow/symbols/expression.h"

#include <check.h>
#include <dwarf.h>

enum { RBX = 3, RBP = 6, MANY = 1000, LOCAL = 0x7000 };

#define OPS(...)    \
    {               \
        __VA_ARGS__ \
    }
#define OP(name, ...)                     \
    {                                     \
        .atom = DW_OP_##name, __VA_ARGS__ \
    }
#define N(value) .number = (Dwarf_Word) (value)

// What stands at an address is its double; at 0 there is nothing.
static bool
read_double(const void *memory, uint64_t addr, size_t width, uint64_t *ret)
{
    (void) memory, (void) width;
    if (addr == 0)
        return false;
    *ret = 2 * addr;
    return true;
}

static const struct registers registers = {
    .values = {[RBX] = 0x100, [RBP] = LOCAL},
    .known = 1u << RBX | 1u << RBP,
};
static const Dwarf_Op at_cfa[] = {OP(call_frame_cfa)}, in_rbp[] = {OP(reg6)},
                      in_itself[] = {OP(fbreg, N(0))};

static const struct eval_context usual = {
    .registers = &registers,
    .cfa = 0x8000,
    .bias = 0x550000000000,
    .base = at_cfa,
    .n_base = 1,
    .width = 8,
    .read = read_double,
};

static const struct {
    Dwarf_Op ops[6];
    size_t count;
    bool known;
    uint64_t value;
} cases[] = {
    // Literals, registers that a call keeps, places in the frame, variables with an address.
    {OPS(OP(lit2)), 1, true, 2},
    {OPS(OP(const1s, N(-1))), 1, true, UINT64_MAX},
    {OPS(OP(breg3, N(8))), 1, true, 0x108},
    {OPS(OP(breg5, N(0))), 1, false, 0},
    {OPS(OP(breg31, N(0))), 1, false, 0},
    {OPS(OP(fbreg, N(-16))), 1, true, 0x7ff0},
    {OPS(OP(addr, N(0x4010))), 1, true, 0x550000004010},
    {OPS(OP(fbreg, N(-16)), OP(deref)), 2, true, 0xffe0},
    {OPS(OP(lit17), OP(lit26), OP(shl)), 3, true, 17 << 26},
    {OPS(OP(breg3, N(0)), OP(plus_uconst, N(4))), 2, true, 0x104},
    {OPS(OP(lit7), OP(lit3), OP(over), OP(swap), OP(drop), OP(minus)), 6, true, 0},
    {OPS(OP(lit8), OP(neg), OP(lit1), OP(shra)), 4, true, (uint64_t) -4},
    {OPS(OP(lit8), OP(neg), OP(lit3), OP(div)), 4, true, (uint64_t) -2},
    {OPS(OP(lit1), OP(const1u, N(64)), OP(shl)), 3, true, 0},
    {OPS(OP(lit1), OP(neg), OP(const1u, N(200)), OP(shra)), 4, true, UINT64_MAX},
    {OPS(OP(lit1), OP(neg), OP(lit0), OP(shra)), 4, true, UINT64_MAX},
    // What has no value.
    {OPS(OP(nop)), 0, false, 0},
    {OPS(OP(drop)), 1, false, 0},
    {OPS(OP(lit1), OP(drop)), 2, false, 0},
    {OPS(OP(lit1), OP(plus)), 2, false, 0},
    {OPS(OP(over)), 1, false, 0},
    {OPS(OP(lit1), OP(lit0), OP(div)), 3, false, 0},
    {OPS(OP(lit1), OP(lit0), OP(mod)), 3, false, 0},
    {OPS(OP(const8s, N(INT64_MIN)), OP(lit1), OP(neg), OP(div)), 4, false, 0},
    {OPS(OP(lit0), OP(deref)), 2, false, 0},
    // What is not known here: registers of the caller's caller, jumps, calls, pieces.
    {OPS(OP(entry_value)), 1, false, 0},
    {OPS(OP(lit1), OP(skip, N(-3))), 2, false, 0},
    {OPS(OP(lit1), OP(bra, N(-3))), 2, false, 0},
    {OPS(OP(call4)), 1, false, 0},
    {OPS(OP(lit1), OP(piece, N(4))), 2, false, 0},
    {OPS({.atom = 0xff}), 1, false, 0},
};

START_TEST(computes)
{
    uint64_t value = 77;
    bool known = expression_value(&usual, cases[_i].ops, cases[_i].count, &value);
    ck_assert_int_eq(known, cases[_i].known);
    ck_assert_uint_eq(value, known ? cases[_i].value : 77);
}
END_TEST

START_TEST(ends)
{
    static Dwarf_Op ops[MANY];
    uint64_t value;
    for (size_t i = 0; i < MANY; i++)
        ops[i].atom = DW_OP_lit1;
    ck_assert(expression_value(&usual, ops, 16, &value));
    ck_assert(!expression_value(&usual, ops, 17, &value));
    ck_assert(!expression_value(&usual, ops, MANY, &value));
    for (size_t i = 1; i < MANY; i++)
        ops[i].atom = i % 2 == 1 ? DW_OP_dup : DW_OP_drop;
    ck_assert(expression_value(&usual, ops, 63, &value));
    ck_assert(!expression_value(&usual, ops, MANY, &value));
}
END_TEST

START_TEST(knows_the_frame)
{
    const Dwarf_Op local = OP(fbreg, N(-8));
    struct eval_context in = usual;
    uint64_t value;
    in.base = in_rbp;
    ck_assert(expression_value(&in, &local, 1, &value));
    ck_assert_uint_eq(value, LOCAL - 8);
    in.base = in_itself;
    ck_assert(!expression_value(&in, &local, 1, &value));
    in.base = NULL;
    ck_assert(!expression_value(&in, &local, 1, &value));
    in.base = at_cfa;
    in.cfa = 0;
    ck_assert(!expression_value(&in, &local, 1, &value));
    in.registers = NULL;
    in.base = in_rbp;
    ck_assert(!expression_value(&in, &local, 1, &value));
}
END_TEST

START_TEST(reads_variables)
{
    const Dwarf_Op in_rbx = OP(reg3), in_rdi = OP(reg5), local = OP(fbreg, N(-8)),
                   constant[] = {OP(lit2), OP(stack_value)}, nowhere = OP(stack_value);
    uint64_t value;
    ck_assert(expression_variable(&usual, &in_rbx, 1, 4, &value));
    ck_assert_uint_eq(value, 0x100);
    ck_assert(!expression_variable(&usual, &in_rdi, 1, 4, &value));
    ck_assert(expression_variable(&usual, &local, 1, 4, &value));
    ck_assert_uint_eq(value, 2 * 0x7ff8);
    ck_assert(expression_variable(&usual, constant, 2, 4, &value));
    ck_assert_uint_eq(value, 2);
    ck_assert(!expression_variable(&usual, &nowhere, 1, 4, &value));
    ck_assert(!expression_variable(&usual, NULL, 0, 4, &value));
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("expression");
    TCase *tcase = tcase_create("values");
    tcase_add_loop_test(tcase, computes, 0, (int) (sizeof cases / sizeof *cases));
    tcase_add_test(tcase, ends);
    tcase_add_test(tcase, knows_the_frame);
    tcase_add_test(tcase, reads_variables);
    suite_add_tcase(suite, tcase);
    return check_run(srunner_create(suite));
}
