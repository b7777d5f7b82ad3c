// SPDX-License-Identifier: BSD-3-Clause
// The inferior: reads, strings, symbols.
#include "tests/unit/target/fake.h"

#include <stdio.h>
#include <string.h>

enum { PAGE = SNAPSHOT_PAGE, BASE = 0x10000 };

static struct fake fake;
static struct inferior inf;
static uint8_t memory[4 * PAGE];

static void
start(const struct datamodel *model)
{
    memset(memory, 0, sizeof(memory));
    fake_init(&fake, model);
    fake.segments[0] = (struct fake_segment){BASE, sizeof(memory), memory};
    ck_ok(inferior_init(&inf, fake_target(&fake)));
}

static void
stop(void)
{
    inferior_deinit(&inf);
}

START_TEST(a_host_without_a_data_model)
{
    fake_init(&fake, &fake_models[0]);
    fake.has_model = false;
    ck_status(inferior_init(&inf, fake_target(&fake)), UNSUPPORTED);
    ck_assert_str_ne(trail_text(&inf.trail), "");
    inferior_deinit(&inf);
    fake_init(&fake, &fake_models[0]);
    fake.model.pointer_size = 16;
    ck_status(inferior_init(&inf, fake_target(&fake)), UNSUPPORTED);
    inferior_deinit(&inf);
    inferior_deinit(&inf);
}
END_TEST

START_TEST(a_host_without_memory)
{
    fake_init(&fake, &fake_models[0]);
    fake_memory.fail = 1;
    ck_status(inferior_init(&inf, fake_target(&fake)), NOMEM);
    ck_assert_str_eq(trail_text(&inf.trail), status_text(STATUS_NOMEM));
    inferior_deinit(&inf);
}
END_TEST

START_TEST(integers_are_read)
{
    uint64_t value;
    taddr addr;
    start(&fake_models[_i]);
    for (size_t width = 1; width <= 8; width *= 2) {
        uint64_t expected = UINT64_C(0xf1e2d3c4b5a69788) >> (64 - 8 * width);
        fake_put(&fake, memory + 100, width, expected);
        inferior_refresh(&inf);
        ck_ok(inferior_read_uint(&inf, BASE + 100, width, &value));
        ck_assert_uint_eq(value, expected);
    }
    fake_put(&fake, memory + PAGE - 2, fake.model.pointer_size, 0x87654321);
    inferior_refresh(&inf);
    ck_ok(inferior_read_pointer(&inf, BASE + PAGE - 2, &addr));
    ck_assert_uint_eq(addr, 0x87654321);
    value = 77;
    ck_status(inferior_read_uint(&inf, BASE, 3, &value), MISUSE);
    ck_status(inferior_read_uint(&inf, BASE, 16, &value), MISUSE);
    ck_status(inferior_read_uint(&inf, BASE - 1, 4, &value), UNREADABLE);
    ck_assert_uint_eq(value, 77);
    stop();
}
END_TEST

START_TEST(a_failed_read_says_where)
{
    uint8_t bytes[16];
    start(&fake_models[0]);
    ck_status(inferior_read(&inf, 0xdead000, 16, bytes), UNREADABLE);
    ck_assert_str_eq(trail_text(&inf.trail), "16 bytes at 0xdead000 cannot be read");
    inferior_refresh(&inf);
    ck_assert_str_eq(trail_text(&inf.trail), "");
    stop();
}
END_TEST

START_TEST(a_refresh_forgets_bytes)
{
    uint64_t value;
    start(&fake_models[0]);
    ck_ok(inferior_read_uint(&inf, BASE, 1, &value));
    memory[0] = 9;
    ck_ok(inferior_read_uint(&inf, BASE, 1, &value));
    ck_assert_uint_eq(value, 0);
    inferior_refresh(&inf);
    ck_ok(inferior_read_uint(&inf, BASE, 1, &value));
    ck_assert_uint_eq(value, 9);
    stop();
}
END_TEST

// A string of `_i` characters into 64 bytes, at several distances from the mapping's end.
START_TEST(strings_are_cut_and_filled)
{
    size_t length = (size_t) _i;
    start(&fake_models[0]);
    for (size_t at = sizeof(memory) - length - 1; at + length + 8 > sizeof(memory) - 1; at--) {
        char expected[64] = "";
        char text[64];
        memset(memory, 0xcc, sizeof(memory));
        for (size_t i = 0; i < length; i++)
            memory[at + i] = (uint8_t) ('a' + i % 26);
        memory[at + length] = 0;
        memcpy(expected, memory + at, length < 63 ? length : 63);
        memset(text, 0x77, sizeof(text));
        inferior_refresh(&inf);
        ck_ok(inferior_read_string(&inf, BASE + at, sizeof(text), text));
        ck_assert_mem_eq(text, expected, sizeof(text));
        ck_ok(inferior_read_string(&inf, BASE + at, 1, text));
        ck_assert_str_eq(text, "");
        if (at == 0)
            break;
    }
    ck_assert_uint_lt(fake.highest, BASE + sizeof(memory) + SNAPSHOT_LAST_RUN * PAGE);
    stop();
}
END_TEST

START_TEST(a_string_across_pages)
{
    char text[3 * PAGE];
    start(&fake_models[0]);
    memset(memory, 'x', 2 * PAGE + 50);
    ck_ok(inferior_read_string(&inf, BASE + 10, sizeof(text), text));
    ck_assert_uint_eq(strlen(text), 2 * PAGE + 40);
    ck_assert_int_eq(text[sizeof(text) - 1], 0);
    ck_ok(inferior_read_string(&inf, BASE + 10, PAGE, text));
    ck_assert_uint_eq(strlen(text), PAGE - 1);
    stop();
}
END_TEST

START_TEST(a_string_without_end)
{
    char text[64];
    start(&fake_models[0]);
    memset(memory, 'x', sizeof(memory));
    memset(text, 0x77, sizeof(text));
    ck_status(inferior_read_string(&inf, BASE + sizeof(memory) - 20, sizeof(text), text),
              UNREADABLE);
    for (size_t i = 0; i < sizeof(text); i++)
        ck_assert_int_eq(text[i], 0);
    ck_assert_str_eq(trail_text(&inf.trail), "the string at 0x13fec cannot be read");
    // All that is asked for is there, the NUL is not needed.
    ck_ok(inferior_read_string(&inf, BASE + sizeof(memory) - 63, sizeof(text), text));
    ck_assert_uint_eq(strlen(text), 63);
    stop();
}
END_TEST

START_TEST(an_unreadable_string_costs_few_reads)
{
    char text[64];
    start(&fake_models[0]);
    ck_status(inferior_read_string(&inf, 0xdead0010, sizeof(text), text), UNREADABLE);
    ck_assert_uint_le(fake.reads, 12);
    ck_status(inferior_read_string(&inf, UINT64_MAX - 3, sizeof(text), text), UNREADABLE);
    ck_assert_uint_le(fake.reads, 24);
    stop();
}
END_TEST

START_TEST(a_host_that_knows_just_the_string)
{
    char text[64];
    for (size_t length = 0; length < 64; length++) {
        start(&fake_models[0]);
        memset(memory, 'x', length);
        fake.segments[0].addr = BASE + PAGE - 30;
        fake.segments[0].size = length + 1;
        ck_ok(inferior_read_string(&inf, BASE + PAGE - 30, sizeof(text), text));
        ck_assert_uint_eq(strlen(text), length);
        ck_assert_uint_le(fake.reads, 30);
        stop();
    }
}
END_TEST

START_TEST(symbols_are_asked_for_once)
{
    taddr addr = 5;
    start(&fake_models[0]);
    fake.symbols[3] = "here";
    ck_ok(inferior_symbol(&inf, "here", &addr));
    ck_assert_uint_eq(addr, 0x1030);
    char same[] = "here";
    ck_ok(inferior_symbol(&inf, same, &addr));
    ck_assert_uint_eq(fake.symbol_lookups, 1);
    addr = 5;
    for (int i = 0; i < 3; i++)
        ck_status(inferior_symbol(&inf, "later", &addr), ABSENT);
    ck_assert_uint_eq(addr, 5);
    ck_assert_str_eq(trail_text(&inf.trail), "there is no variable later");
    ck_assert_uint_eq(fake.symbol_lookups, 2);
    fake.symbols[4] = "later";
    ck_status(inferior_symbol(&inf, "later", &addr), ABSENT);
    inferior_refresh(&inf);
    ck_ok(inferior_symbol(&inf, "later", &addr));
    ck_assert_uint_eq(addr, 0x1040);
    ck_assert_uint_eq(fake.symbol_lookups, 3);
    ck_ok(inferior_symbol(&inf, "here", &addr));
    ck_assert_uint_eq(fake.symbol_lookups, 3);
    stop();
}
END_TEST

START_TEST(a_variable_found_otherwise)
{
    taddr addr = 0;
    start(&fake_models[0]);
    ck_status(inferior_symbol(&inf, "hidden", &addr), ABSENT);
    inferior_remember(&inf, "hidden", 0x4711);
    ck_ok(inferior_symbol(&inf, "hidden", &addr));
    ck_assert_uint_eq(addr, 0x4711);
    inferior_refresh(&inf);
    ck_ok(inferior_symbol(&inf, "hidden", &addr));
    inferior_remember(&inf, "hidden", 0x4712);
    ck_ok(inferior_symbol(&inf, "hidden", &addr));
    ck_assert_uint_eq(addr, 0x4712);
    ck_assert_uint_eq(fake.symbol_lookups, 1);
    stop();
}
END_TEST

START_TEST(more_symbols_than_are_kept)
{
    static char names[FAKE_SYMBOLS][8];
    start(&fake_models[0]);
    for (int round = 0; round < 2; round++)
        for (unsigned i = 0; i < FAKE_SYMBOLS; i++) {
            taddr addr;
            snprintf(names[i], sizeof(names[i]), "s%u", i);
            fake.symbols[i] = names[i];
            ck_ok(inferior_symbol(&inf, names[i], &addr));
            ck_assert_uint_eq(addr, 0x1000 + 16 * i);
        }
    ck_assert_uint_eq(fake.symbol_lookups, 2 * FAKE_SYMBOLS - INFERIOR_SYMBOLS);
    stop();
}
END_TEST

START_TEST(memory_is_the_hosts)
{
    start(&fake_models[0]);
    int live = fake_memory.live;
    void *block = inferior_alloc(&inf, 10);
    void *empty = inferior_alloc(&inf, 0);
    ck_assert_ptr_nonnull(block);
    ck_assert_ptr_nonnull(empty);
    ck_assert_int_eq(fake_memory.live, live + 2);
    inferior_free(&inf, block);
    inferior_free(&inf, empty);
    inferior_free(&inf, NULL);
    fake_memory.fail = fake_memory.allocations + 1;
    ck_assert_ptr_null(inferior_alloc(&inf, 10));
    stop();
}
END_TEST

Suite *
suite_inferior(void)
{
    Suite *suite = suite_create("inferior");
    TCase *tcase = tcase_create("all");
    tcase_add_checked_fixture(tcase, fake_setup, fake_teardown);
    tcase_add_test(tcase, a_host_without_a_data_model);
    tcase_add_test(tcase, a_host_without_memory);
    tcase_add_loop_test(tcase, integers_are_read, 0, FAKE_MODELS);
    tcase_add_test(tcase, a_failed_read_says_where);
    tcase_add_test(tcase, a_refresh_forgets_bytes);
    tcase_add_loop_test(tcase, strings_are_cut_and_filled, 0, 70);
    tcase_add_test(tcase, a_string_across_pages);
    tcase_add_test(tcase, a_string_without_end);
    tcase_add_test(tcase, an_unreadable_string_costs_few_reads);
    tcase_add_test(tcase, a_host_that_knows_just_the_string);
    tcase_add_test(tcase, symbols_are_asked_for_once);
    tcase_add_test(tcase, a_variable_found_otherwise);
    tcase_add_test(tcase, more_symbols_than_are_kept);
    tcase_add_test(tcase, memory_is_the_hosts);
    suite_add_tcase(suite, tcase);
    return suite;
}
