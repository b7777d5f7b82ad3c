// SPDX-License-Identifier: BSD-3-Clause
// The snapshot at the edges of mappings and of the address space.
#include "tests/unit/target/check_snapshot.h"

#include <limits.h>
#include <string.h>

START_TEST(impossible_ranges_are_not_asked_for)
{
    map(UINT64_MAX - 2 * PAGE + 1, 2 * PAGE);
    expect_unreadable(UINT64_MAX, 2);
    expect_unreadable(UINT64_MAX - 9, 11);
    uint8_t byte;
    ck_status(snapshot_read(snapshot, 0x1000, (size_t) INT_MAX + 1, &byte), UNREADABLE);
    ck_status(snapshot_read(snapshot, 0x1000, SIZE_MAX, &byte), UNREADABLE);
    ck_status(snapshot_read(snapshot, UINT64_MAX, SIZE_MAX, &byte), UNREADABLE);
    ck_assert_uint_eq(fake.reads, 0);
}
END_TEST

START_TEST(the_end_of_the_address_space)
{
    map(UINT64_MAX - 16 * PAGE + 1, 16 * PAGE);
    expect(UINT64_MAX, 1);
    expect(UINT64_MAX - 99, 100);
    expect(UINT64_MAX - 16 * PAGE + 1, 16 * PAGE);
    snapshot_forget(snapshot);
    for (taddr offset = 0; offset < 16; offset++)
        expect(UINT64_MAX - 16 * PAGE + 1 + offset * PAGE, PAGE);
    snapshot_forget(snapshot);
    for (taddr offset = 16; offset > 0; offset--)
        expect(UINT64_MAX - offset * PAGE + 1, PAGE);
    map(0, 4 * PAGE);
    expect(PAGE, 1);
    expect(0, 1);
}
END_TEST

START_TEST(runs_down_to_address_zero)
{
    map(0, 40 * PAGE);
    for (taddr page = 40; page > 0; page--)
        expect((page - 1) * PAGE, 8);
    ck_assert_uint_le(fake.reads, 8);
    ck_assert_uint_eq(fake.lowest, 0);
}
END_TEST

START_TEST(narrow_addresses_stay_below_4_gib)
{
    taddr end = (taddr) UINT32_MAX + 1;
    snapshot_destroy(snapshot);
    snapshot = snapshot_create(fake_target(&fake), 4);
    map(end - 16 * PAGE, 64 * PAGE);
    for (taddr addr = end - 16 * PAGE; addr < end; addr += PAGE)
        expect(addr, PAGE);
    ck_assert_uint_eq(fake.highest, UINT32_MAX);
    unsigned reads = fake.reads;
    expect_unreadable(end, 1);
    expect_unreadable(end - 1, 2);
    expect_unreadable(end | 0x1234, 1);
    ck_assert_uint_eq(fake.reads, reads);
}
END_TEST

// A struct of 64 bytes, `_i` bytes before the end of a mapping of 37 pages.
START_TEST(the_edge_of_a_mapping)
{
    taddr end = 0x100000 + 37 * PAGE;
    map(0x100000, 37 * PAGE);
    if (_i >= 64)
        expect(end - (taddr) _i, 64);
    else
        expect_unreadable(end - (taddr) _i, 64);
    ck_assert_uint_le(fake.reads, 12);
}
END_TEST

START_TEST(the_edge_after_a_long_scan)
{
    for (int pages = 1; pages < 200; pages++) {
        fake.segments[0].size = 0;
        map(0x100000, (uint64_t) pages * PAGE);
        snapshot_forget(snapshot);
        fake.reads = 0;
        for (taddr page = 0; page < (taddr) pages; page++)
            expect(0x100000 + page * PAGE, 100);
        ck_assert_uint_le(fake.reads, 24);
        fake.reads = 0;
        expect_unreadable(0x100000 + (taddr) pages * PAGE - 8, 16);
        ck_assert_uint_le(fake.reads, 12);
    }
}
END_TEST

START_TEST(the_lower_edge_of_a_mapping)
{
    for (int pages = 1; pages < 200; pages++) {
        fake.segments[0].size = 0;
        map(0x123000, (uint64_t) pages * PAGE);
        snapshot_forget(snapshot);
        fake.reads = 0;
        for (taddr page = (taddr) pages; page > 0; page--)
            expect(0x123000 + (page - 1) * PAGE, 100);
        ck_assert_uint_le(fake.reads, 24);
        fake.reads = 0;
        expect_unreadable(0x123000 - 8, 16);
        ck_assert_uint_le(fake.reads, 12);
    }
}
END_TEST

START_TEST(a_host_that_knows_less_than_a_page)
{
    map(0x100010, 100);
    map(0x100800, 2000); // into the next page
    expect(0x100010, 100);
    expect(0x100020, 8);
    expect(0x100010 + 99, 1);
    expect_unreadable(0x100010, 101);
    expect_unreadable(0x10000f, 2);
    expect(0x100800, 2000);
    // What cannot be cached is read each time, but without trying the page again.
    unsigned reads = fake.reads;
    for (int i = 0; i < 10; i++)
        expect(0x100900, 8);
    ck_assert_uint_le(fake.reads, reads + 10 + 4);
}
END_TEST

START_TEST(a_run_ends_before_a_known_hole)
{
    map(0x100000, 2 * PAGE);
    expect_unreadable(0x102000, 1);
    unsigned reads = fake.reads;
    expect(0x100000, 2 * PAGE);
    ck_assert_uint_eq(fake.reads, reads + 1);
}
END_TEST

START_TEST(neighbouring_mappings)
{
    map(0x100000, PAGE);
    map(0x101000, PAGE);
    expect(0x100ff8, 16);
    expect(0x100000, 2 * PAGE);
}
END_TEST

START_TEST(a_host_that_gives_whole_pages_only)
{
    map(0x100000, 3 * PAGE);
    fake.whole_pages = true;
    expect(0x100010, 100);
    expect(0x100ff0, 100);
    expect_unreadable(0x103000 - 1, 2);
}
END_TEST

START_TEST(every_read_fails_once)
{
    for (unsigned k = 1; k < 12; k++) {
        snapshot_forget(snapshot);
        fake.segments[0].size = 0;
        map(0x100000, 32 * PAGE);
        fake.reads = 0;
        fake.fail_read = k;
        for (taddr page = 0; page < 32; page++)
            expect(0x100000 + page * PAGE + 5, 3000); // a shorter read is tried
        fake.reads = 0;
        fake.fail_all_reads = true;
        fake.fail_read = 1;
        expect_unreadable(0x200000, 100);
        ck_assert_uint_le(fake.reads, 12);
        fake.fail_all_reads = false;
    }
}
END_TEST

Suite *
suite_edges(void)
{
    Suite *suite = suite_create("edges");
    TCase *tcase = tcase_create("all");
    tcase_add_checked_fixture(tcase, snapshot_setup, snapshot_teardown);
    tcase_add_test(tcase, impossible_ranges_are_not_asked_for);
    tcase_add_test(tcase, the_end_of_the_address_space);
    tcase_add_test(tcase, runs_down_to_address_zero);
    tcase_add_test(tcase, narrow_addresses_stay_below_4_gib);
    tcase_add_loop_test(tcase, the_edge_of_a_mapping, 0, 70);
    tcase_add_test(tcase, the_edge_after_a_long_scan);
    tcase_add_test(tcase, the_lower_edge_of_a_mapping);
    tcase_add_test(tcase, a_host_that_knows_less_than_a_page);
    tcase_add_test(tcase, a_run_ends_before_a_known_hole);
    tcase_add_test(tcase, neighbouring_mappings);
    tcase_add_test(tcase, a_host_that_gives_whole_pages_only);
    tcase_add_test(tcase, every_read_fails_once);
    suite_add_tcase(suite, tcase);
    return suite;
}
