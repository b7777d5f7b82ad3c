// SPDX-License-Identifier: BSD-3-Clause
// What instructions before a call put into the register of the first argument.
#include "tests/check_run.h"
#include "tools/argcode.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { RDI = 5, RBP = 6, FRAME = 0x7000, CODE = 0x400000 };

// What stands at an address counts from there; above the frame there is nothing.
static bool
read_distance(const void *memory, uint64_t addr, size_t width, uint64_t *ret)
{
    (void) memory;
    *ret = addr < FRAME ? addr - (FRAME - 0x100) : addr - CODE;
    return addr != FRAME && width == sizeof(uint32_t);
}

static const struct registers registers = {.values = {[RBP] = FRAME}, .known = 1u << RBP};
static const struct surroundings frame = {.registers = &registers, .read = read_distance};

#define CALL "\xe8\x01\x02\x03\x04"
#define SLOT "\xff\x15\x01\x02\x03\x04"

static const struct {
    const char *code;
    size_t size;
    bool known;        // where nothing jumps into it
    bool known_anyway; // wherever jumps go
    uint64_t value;
} cases[] = {
#define CODE_OF(text) text, sizeof(text) - 1
    // mov $2,%edi; mov -0x10(%rbp),%edi; mov 0x10(%rip),%edi; xor %edi,%edi; lea -0x10(%rbp),%rdi
    {CODE_OF("\xbf\x02\x00\x00\x00" CALL), true, true, 2},
    {CODE_OF("\xbf\x02\x00\x00\x00" SLOT), true, true, 2},
    {CODE_OF("\xbf\xff\xff\xff\xff" CALL), true, true, UINT32_MAX},
    {CODE_OF("\x8b\x7d\xf0" CALL), true, true, 0xf0},
    {CODE_OF("\x8b\xbd\xf0\xff\xff\xff" CALL), true, true, 0xf0},
    {CODE_OF("\x8b\x3d\x10\x00\x00\x00" CALL), true, true, 0x16},
    {CODE_OF("\x31\xff" CALL), true, true, 0},
    {CODE_OF("\x48\x8d\x7d\xf0" CALL), true, true, FRAME - 16},
    // Others follow: lea -0x50(%rbp),%rax; mov %rax,%rsi; mov $1,%edx; mov %rdx,-0x30(%rbp)
    {CODE_OF("\xbf\x02\x00\x00\x00\x48\x8d\x45\xb0\x48\x89\xc6\xba\x01\x00\x00\x00" CALL), true,
     true, 2},
    {CODE_OF("\xbf\x02\x00\x00\x00\x48\x89\x55\xd0" CALL), true, true, 2},
    // Copies: mov -0x10(%rbp),%eax; mov %eax,%edi; add $1,%eax between
    {CODE_OF("\x8b\x45\xf0\x89\xc7" CALL), true, false, 0xf0},
    {CODE_OF("\x8b\x45\xf0\x83\xc0\x01\x89\xc7" CALL), true, false, 0xf1},
    {CODE_OF("\x48\x8d\x45\xf0\x8b\x38" CALL), true, false, 0xf0},
    // mov %ecx,%edi, of which nothing is known; mov (%rbp),%edi, which cannot be read; %r15d
    {CODE_OF("\x89\xcf" CALL), false, false, 0},
    {CODE_OF("\x8b\x7d\x00" CALL), false, false, 0},
    {CODE_OF("\x41\xbf\x02\x00\x00\x00" CALL), false, false, 0},
    {CODE_OF("\xbf\x02\x00\x00\x00\x41\xbf\x03\x00\x00\x00" CALL), true, true, 2},
    // A jump, a pushed argument, another call, another base, one that a call keeps, an index.
    {CODE_OF("\xbf\x02\x00\x00\x00\xeb\x05" CALL), false, false, 0},
    {CODE_OF("\xbf\x02\x00\x00\x00\x6a\x05" CALL), false, false, 0},
    {CODE_OF("\xbf\x02\x00\x00\x00" CALL CALL), false, false, 0},
    {CODE_OF("\x8b\x39" CALL), false, false, 0},
    {CODE_OF("\xbf\x02\x00\x00\x00\x89\xc5" CALL), false, false, 0},
    {CODE_OF("\x8b\x3c\x85\x00\x00\x00\x00" CALL), false, false, 0},
    // Nothing, no call, and what is cut.
    {CODE_OF(""), false, false, 0},
    {CODE_OF(CALL), false, false, 0},
    {CODE_OF("\xbf\x02\x00\x00\x00"), false, false, 0},
    {CODE_OF("\xbf\x02"), false, false, 0},
    {CODE_OF("\x48"), false, false, 0},
    {CODE_OF("\x8b"), false, false, 0},
    {CODE_OF("\x8b\x7d"), false, false, 0},
    {CODE_OF("\x8b\x3c"), false, false, 0},
};

// The code stands in a block of its own size, so that tools see what is read behind it.
static bool
find(size_t number, bool can_copy, uint64_t *ret)
{
    unsigned char *code = malloc(cases[number].size + 1);
    memcpy(code, cases[number].code, cases[number].size);
    code = realloc(code, cases[number].size > 0 ? cases[number].size : 1);
    bool found = argcode_find(&frame, code, cases[number].size, CODE, RDI, can_copy, ret);
    free(code);
    return found;
}

START_TEST(follows_code)
{
    uint64_t value = 0;
    ck_assert_int_eq(find((size_t) _i, true, &value), cases[_i].known);
    ck_assert_uint_eq(value, cases[_i].value);
    value = 0;
    ck_assert_int_eq(find((size_t) _i, false, &value), cases[_i].known_anyway);
    ck_assert_uint_eq(value, cases[_i].known_anyway ? cases[_i].value : 0);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("argcode");
    TCase *tcase = tcase_create("instructions");
    tcase_add_loop_test(tcase, follows_code, 0, (int) (sizeof cases / sizeof *cases));
    suite_add_tcase(suite, tcase);
    return check_run(srunner_create(suite));
}
