// SPDX-License-Identifier: BSD-3-Clause
// Walks: they end, whatever the list is like.
#include "target/walk.h"
#include "tests/unit/target/fake.h"

#include <string.h>

enum { PAGE = SNAPSHOT_PAGE, BASE = 0x10000, LINK = 8, ITEM = 64 };

static struct fake fake;
static struct inferior inf;
static struct walk walk;
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

static taddr
item(unsigned number)
{
    return BASE + (taddr) number * ITEM;
}

// Links items 0 to n, and the last of them to `end`.
static void
chain(unsigned n, taddr end)
{
    for (unsigned i = 0; i < n; i++)
        fake_put_pointer(&fake, item(i) + LINK, item(i + 1));
    fake_put_pointer(&fake, item(n) + LINK, end);
}

// Expects items 1 to n, then the status, again and again.
static void
expect(unsigned n, enum status status)
{
    taddr addr = 0;
    for (unsigned i = 1; i <= n; i++) {
        ck_ok(walk_next(&walk, &addr));
        ck_assert_uint_eq(addr, item(i));
    }
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(walk_next(&walk, &addr), status);
    ck_assert_uint_eq(addr, n > 0 ? item(n) : 0);
}

START_TEST(circular_lists)
{
    start(&fake_models[_i]);
    for (unsigned n = 0; n < 100; n += 9) {
        chain(n, item(0));
        inferior_refresh(&inf);
        ck_ok(walk_circular(&walk, &inf, item(0), LINK, n));
        expect(n, STATUS_END);
        ck_ok(walk_circular(&walk, &inf, item(0), LINK, UINT64_MAX));
        expect(n, STATUS_END);
    }
    stop();
}
END_TEST

START_TEST(terminated_lists)
{
    start(&fake_models[_i]);
    for (unsigned n = 1; n < 100; n += 9) {
        chain(n, 0);
        inferior_refresh(&inf);
        walk_terminated(&walk, &inf, item(1), LINK, n);
        expect(n, STATUS_END);
    }
    unsigned reads = fake.reads;
    walk_terminated(&walk, &inf, 0, LINK, 0);
    expect(0, STATUS_END);
    walk_terminated(&walk, &inf, item(1), LINK, 5);
    ck_assert_uint_eq(fake.reads, reads);
    stop();
}
END_TEST

START_TEST(budgets)
{
    start(&fake_models[0]);
    chain(10, item(0));
    ck_ok(walk_circular(&walk, &inf, item(0), LINK, 8));
    expect(8, STATUS_CORRUPT);
    ck_assert_str_eq(trail_text(&inf.trail), "the list has too many items");
    ck_ok(walk_circular(&walk, &inf, item(0), LINK, 0));
    expect(0, STATUS_CORRUPT);
    walk_terminated(&walk, &inf, item(1), LINK, 4);
    expect(4, STATUS_CORRUPT);
    // The last item may not have been counted yet.
    ck_ok(walk_circular(&walk, &inf, item(0), LINK, 9));
    expect(10, STATUS_END);
    stop();
}
END_TEST

// Cycles that never come to the sentinel.
START_TEST(cycles_end)
{
    start(&fake_models[0]);
    for (unsigned back = 1; back <= 10; back++) {
        taddr addr;
        unsigned n = 0;
        chain(10, item(back));
        inferior_refresh(&inf);
        ck_ok(walk_circular(&walk, &inf, item(0), LINK, 1000));
        while (walk_next(&walk, &addr) == STATUS_OK)
            n++;
        ck_assert_uint_eq(n, 1000);
        ck_status(walk_next(&walk, &addr), CORRUPT);
        walk_terminated(&walk, &inf, item(1), LINK, 15);
        for (n = 0; walk_next(&walk, &addr) == STATUS_OK; n++)
            continue;
        ck_assert_uint_eq(n, 15);
    }
    stop();
}
END_TEST

START_TEST(impossible_items)
{
    start(&fake_models[_i]);
    const taddr bad[] = {1, 3, BASE + 1, BASE + 2, UINT32_MAX - 3, UINT32_MAX};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        chain(5, bad[i]);
        inferior_refresh(&inf);
        ck_ok(walk_circular(&walk, &inf, item(0), LINK, 100));
        expect(5, STATUS_CORRUPT);
        walk_terminated(&walk, &inf, item(1), LINK, 100);
        expect(5, STATUS_CORRUPT);
    }
    chain(5, 0);
    inferior_refresh(&inf);
    ck_ok(walk_circular(&walk, &inf, item(0), LINK, 100));
    expect(5, STATUS_CORRUPT);
    ck_assert_str_eq(trail_text(&inf.trail), "0x0 cannot be an item of the list");
    stop();
}
END_TEST

START_TEST(impossible_sentinels)
{
    start(&fake_models[_i]);
    taddr last = fake.model.pointer_size == 4 ? UINT32_MAX : UINT64_MAX;
    unsigned reads = fake.reads;
    ck_status(walk_circular(&walk, &inf, 0, LINK, 100), CORRUPT);
    ck_status(walk_circular(&walk, &inf, BASE + 1, LINK, 100), CORRUPT);
    ck_status(walk_circular(&walk, &inf, last - 3, LINK, 100), CORRUPT);
    ck_status(walk_circular(&walk, &inf, last - 7, UINT32_MAX - 7, 100), CORRUPT);
    ck_assert_uint_eq(fake.reads, reads);
    ck_status(walk_circular(&walk, &inf, 0xdead0000, LINK, 100), UNREADABLE);
    stop();
}
END_TEST

START_TEST(a_bad_link_comes_after_its_item)
{
    start(&fake_models[0]);
    taddr hole = 0xdead0000;
    taddr addr = 0;
    chain(5, hole);
    ck_ok(walk_circular(&walk, &inf, item(0), LINK, 100));
    for (unsigned i = 1; i <= 5; i++)
        ck_ok(walk_next(&walk, &addr));
    ck_ok(walk_next(&walk, &addr));
    ck_assert_uint_eq(addr, hole);
    ck_status(walk_next(&walk, &addr), UNREADABLE);
    ck_status(walk_next(&walk, &addr), UNREADABLE);
    ck_assert_str_eq(trail_text(&inf.trail), "8 bytes at 0xdead0008 cannot be read");
    ck_assert_uint_eq(addr, hole);
    stop();
}
END_TEST

START_TEST(each_read_of_a_walk_fails)
{
    start(&fake_models[0]);
    chain(100, item(0));
    for (unsigned k = 1; k < 20; k++) {
        taddr addr;
        enum status status;
        inferior_refresh(&inf);
        fake.reads = 0;
        fake.fail_read = k;
        fake.fail_all_reads = true;
        unsigned n = 0;
        status = walk_circular(&walk, &inf, item(0), LINK, 200);
        while (status == STATUS_OK) {
            status = walk_next(&walk, &addr);
            n += status == STATUS_OK;
        }
        ck_assert(status == STATUS_UNREADABLE || (status == STATUS_END && n == 100));
    }
    stop();
}
END_TEST

Suite *
suite_walk(void)
{
    Suite *suite = suite_create("walk");
    TCase *tcase = tcase_create("all");
    tcase_add_checked_fixture(tcase, fake_setup, fake_teardown);
    tcase_add_loop_test(tcase, circular_lists, 0, FAKE_MODELS);
    tcase_add_loop_test(tcase, terminated_lists, 0, FAKE_MODELS);
    tcase_add_test(tcase, budgets);
    tcase_add_test(tcase, cycles_end);
    tcase_add_loop_test(tcase, impossible_items, 0, FAKE_MODELS);
    tcase_add_loop_test(tcase, impossible_sentinels, 0, FAKE_MODELS);
    tcase_add_test(tcase, a_bad_link_comes_after_its_item);
    tcase_add_test(tcase, each_read_of_a_walk_fails);
    suite_add_tcase(suite, tcase);
    return suite;
}
