// SPDX-License-Identifier: BSD-3-Clause
// What the code of functions refers to.
#include "target/code.h"
#include "tests/unit/target/fake.h"

#include <string.h>

enum { BASE = 0x10000, ROOM = 2 * SNAPSHOT_PAGE };

static struct fake fake;
static struct inferior inf;
static struct code_references found;
static uint8_t memory[ROOM];

static void
start(const struct datamodel *model, taddr function, const void *code, size_t size)
{
    memset(memory, 0x90, sizeof(memory));
    memcpy(memory + (function - BASE), code, size);
    fake_init(&fake, model);
    fake.segments[0] = (struct fake_segment){BASE, sizeof(memory), memory};
    fake.function = "function";
    fake.function_addr = function;
    ck_ok(inferior_init(&inf, fake_target(&fake)));
}

static void
expect(unsigned number, taddr addr, bool loads)
{
    ck_assert_uint_gt(found.count, number);
    ck_assert_uint_eq(found.at[number].addr, addr);
    ck_assert_int_eq(found.at[number].loads, loads);
}

static const uint8_t x86_64[] = {
    0x48, 0x8d, 0x05, 0x00, 0x01, 0x00, 0x00, // lea 0x100(%rip),%rax
    0x4c, 0x03, 0x2d, 0xf9, 0xff, 0xff, 0xff, // add -7(%rip),%r13
    0x83, 0x3d, 0x10, 0x00, 0x00, 0x00, 0x02, // cmpl $2,0x10(%rip)
    0x48, 0x8d, 0x05, 0xeb, 0x00, 0x00, 0x00, // lea 0xeb(%rip),%rax: the first again
    0x48, 0x8d, 0x40, 0x05,                   // lea 5(%rax),%rax: of no place in the program
    0xc3,                                     // ret
};

START_TEST(places_of_x86_64)
{
    start(&fake_models[0], BASE + 1, x86_64, sizeof(x86_64));
    ck_ok(code_references(&inf, "function", sizeof(x86_64), &found));
    ck_assert_uint_eq(found.count, 3);
    expect(0, BASE + 1 + 7 + 0x100, false);
    expect(1, BASE + 1 + 14 - 7, true);
    expect(2, BASE + 1 + 21 + 0x10, true);
    inferior_deinit(&inf);
}
END_TEST

static const uint32_t aarch64[] = {
    0xb0000002, // adrp x2, one page on
    0x91004040, // add x0, x2, #0x10
    0xf9400843, // ldr x3, [x2, #16]
    0xb9400845, // ldr w5, [x2, #8]
    0x91000400, // add x0, x0, #1: of no page
    0xd65f03c0, // ret
};

START_TEST(places_of_aarch64)
{
    uint8_t code[sizeof(aarch64)];
    for (size_t i = 0; i < sizeof(code); i++)
        code[i] = (uint8_t) (aarch64[i / 4] >> (i % 4 * 8));
    start(&fake_models[0], BASE + 0x20, code, sizeof(code));
    ck_ok(code_references(&inf, "function", sizeof(code), &found));
    ck_assert_uint_eq(found.count, 3);
    expect(0, BASE + 0x1010, false);
    expect(1, BASE + 0x1010, true);
    expect(2, BASE + 0x1008, true);
    inferior_deinit(&inf);
}
END_TEST

// What is known of code is so of these bytes at this address.
START_TEST(code_that_changes)
{
    struct code_calls calls;
    start(&fake_models[0], BASE, x86_64, sizeof(x86_64));
    for (int look = 0; look < 2; look++) {
        ck_ok(code_references(&inf, "function", sizeof(x86_64), &found));
        ck_assert_uint_eq(found.count, 3);
        expect(2, BASE + 21 + 0x10, true);
        ck_ok(code_calls(&inf, "function", sizeof(x86_64), &calls));
        ck_assert_uint_eq(calls.count, 0);
        inferior_refresh(&inf);
    }
    memory[16] = 0x20; // of the third place
    ck_ok(code_references(&inf, "function", sizeof(x86_64), &found));
    expect(2, BASE + 21 + 0x20, true);
    memmove(memory + SNAPSHOT_PAGE, memory, sizeof(x86_64));
    fake.function_addr = BASE + SNAPSHOT_PAGE;
    inferior_refresh(&inf);
    ck_ok(code_references(&inf, "function", sizeof(x86_64), &found));
    expect(2, BASE + SNAPSHOT_PAGE + 21 + 0x20, true);
    inferior_deinit(&inf);
}
END_TEST

START_TEST(code_at_the_end_of_its_mapping)
{
    const taddr function = BASE + ROOM - 128;
    start(&fake_models[0], function, x86_64, sizeof(x86_64));
    ck_ok(code_references(&inf, "function", 3072, &found));
    expect(0, function + 7 + 0x100, false);
    fake.function_addr = BASE + ROOM - 8;
    ck_status(code_references(&inf, "function", 3072, &found), UNREADABLE);
    inferior_deinit(&inf);
}
END_TEST

// A function that calls one at 0x40, whose texts are at 0x80 and 0x90.
static const uint8_t calls_one[] = {
    0x48, 0x8d, 0x05, 0x79, 0x00, 0x00, 0x00, // lea 0x79(%rip),%rax: 0x80
    0xe8, 0x34, 0x00, 0x00, 0x00,             // call 0x40
    0xc3,                                     // ret
};
static const uint8_t called[] = {
    0x48, 0x8d, 0x15, 0x39, 0x00, 0x00, 0x00, // lea 0x39(%rip),%rdx: 0x80
    0x48, 0x8d, 0x0d, 0x42, 0x00, 0x00, 0x00, // lea 0x42(%rip),%rcx: 0x90
    0xc3,                                     // ret
};

static enum status
version(char *ret, size_t size)
{
    taddr addr = 0;
    enum status status = code_text(&inf, "function", code_is_version, ret, size, &addr);
    if (status == STATUS_OK)
        ck_assert(addr == BASE + 0x80 || addr == BASE + 0x90);
    return status;
}

START_TEST(functions_called)
{
    struct code_calls calls;
    start(&fake_models[0], BASE, calls_one, sizeof(calls_one));
    memcpy(memory + 0x20, calls_one, sizeof(calls_one)); // calls 0x60
    memcpy(memory + 0x40, calls_one + 7, 5);             // 0x80
    memory[0x60] = 0xe8;                                 // 0x40 again
    memcpy(memory + 0x61, "\xdb\xff\xff\xff", 4);
    ck_ok(code_calls(&inf, "function", 0x65, &calls));
    ck_assert_uint_eq(calls.count, 3);
    ck_assert_uint_eq(calls.at[0], BASE + 0x40);
    ck_assert_uint_eq(calls.at[1], BASE + 0x60);
    ck_assert_uint_eq(calls.at[2], BASE + 0x79);
    ck_ok(code_references_at(&inf, BASE + 0x20, 16, &found));
    expect(0, BASE + 0x20 + 0x80, false);
    ck_status(code_calls(&inf, "other", 16, &calls), ABSENT);
    ck_assert_uint_eq(calls.count, 0);
    inferior_deinit(&inf);
}
END_TEST

START_TEST(more_calls_than_are_kept)
{
    uint8_t code[CODE_BYTES];
    struct code_calls calls;
    for (size_t i = 0; i < sizeof(code); i++)
        code[i] = i % 6 == 0 ? 0xe8 : i % 6 == 5 ? 0x90 : 0; // call what is behind it; nop
    start(&fake_models[0], BASE, code, sizeof(code));
    ck_ok(code_calls(&inf, "function", sizeof(code), &calls));
    ck_assert_uint_eq(calls.count, CODE_CALLS);
    inferior_deinit(&inf);
}
END_TEST

START_TEST(versions)
{
    char text[16];
    start(&fake_models[0], BASE, calls_one, sizeof(calls_one));
    memcpy(memory + 0x40, called, sizeof(called));
    memcpy(memory + 0x80, "Version: %s", 12);
    memcpy(memory + 0x90, "5.0.2", 6);
    ck_ok(version(text, sizeof(text)));
    ck_assert_str_eq(text, "5.0.2");
    inferior_refresh(&inf);
    memcpy(memory + 0x90, "18:2:6", 7);
    ck_status(version(text, sizeof(text)), ABSENT);
    inferior_refresh(&inf);
    memcpy(memory + 0x80, "4.2rc1", 7);
    ck_ok(version(text, sizeof(text)));
    ck_assert_str_eq(text, "4.2rc1");
    inferior_deinit(&inf);
}
END_TEST

START_TEST(no_code)
{
    start(&fake_models[0], BASE, x86_64, sizeof(x86_64));
    ck_status(code_references(&inf, "other", 100, &found), ABSENT);
    ck_status(code_references(&inf, "function", CODE_BYTES + 1, &found), MISUSE);
    ck_assert_uint_eq(found.count, 0);
    inferior_deinit(&inf);
    for (int i = 1; i < FAKE_MODELS; i++) {
        start(&fake_models[i], BASE, x86_64, sizeof(x86_64));
        ck_status(code_references(&inf, "function", 100, &found), UNSUPPORTED);
        inferior_deinit(&inf);
    }
}
END_TEST

START_TEST(more_places_than_are_kept)
{
    uint8_t code[CODE_BYTES];
    for (size_t i = 0; i < sizeof(code); i++)
        code[i] = i % 6 == 0 ? 0x8b : i % 6 == 1 ? 0x05 : 0;
    start(&fake_models[0], BASE, code, sizeof(code));
    ck_ok(code_references(&inf, "function", sizeof(code), &found));
    ck_assert_uint_eq(found.count, CODE_REFERENCES);
    inferior_deinit(&inf);
}
END_TEST

Suite *
suite_code(void)
{
    Suite *suite = suite_create("code");
    TCase *tcase = tcase_create("all");
    tcase_add_checked_fixture(tcase, fake_setup, fake_teardown);
    tcase_add_test(tcase, places_of_x86_64);
    tcase_add_test(tcase, places_of_aarch64);
    tcase_add_test(tcase, code_that_changes);
    tcase_add_test(tcase, code_at_the_end_of_its_mapping);
    tcase_add_test(tcase, no_code);
    tcase_add_test(tcase, functions_called);
    tcase_add_test(tcase, more_calls_than_are_kept);
    tcase_add_test(tcase, versions);
    tcase_add_test(tcase, more_places_than_are_kept);
    suite_add_tcase(suite, tcase);
    return suite;
}
