// SPDX-License-Identifier: BSD-3-Clause
// The snapshot: how often it reads, and that what it gives is right.
#include "tests/unit/target/check_snapshot.h"

#include <limits.h>
#include <string.h>

struct fake fake;
struct snapshot *snapshot;

void
snapshot_setup(void)
{
    fake_init(&fake, &fake_models[0]);
    snapshot = snapshot_create(fake_target(&fake), 8);
    ck_assert_ptr_nonnull(snapshot);
}

void
snapshot_teardown(void)
{
    snapshot_destroy(snapshot);
    fake_teardown();
}

void
map(taddr addr, uint64_t size)
{
    size_t i = 0;
    while (fake.segments[i].size > 0)
        i++;
    fake.segments[i] = (struct fake_segment){addr, size, NULL};
}

void
expect(taddr addr, size_t size)
{
    static uint8_t bytes[20 * MIB];
    ck_assert_uint_le(size, sizeof(bytes));
    memset(bytes, 0x5a, size);
    if (snapshot_read(snapshot, addr, size, bytes) != STATUS_OK || !fake_is(addr, size, bytes))
        ck_abort_msg("wrong bytes from %#jx on", (uintmax_t) addr);
}

void
expect_unreadable(taddr addr, size_t size)
{
    uint8_t bytes[3 * PAGE];
    ck_assert_uint_le(size, sizeof(bytes));
    ck_status(snapshot_read(snapshot, addr, size, bytes), UNREADABLE);
}

START_TEST(nothing_is_read_for_no_bytes)
{
    ck_ok(snapshot_read(snapshot, 0x1234, 0, NULL));
    ck_ok(snapshot_read(snapshot, UINT64_MAX, 0, NULL));
    ck_assert_uint_eq(fake.reads, 0);
}
END_TEST

START_TEST(what_is_there_is_not_read_again)
{
    map(0x10000, MIB);
    expect(0x10000, 1);
    ck_assert_uint_eq(fake.reads, 1);
    ck_assert_uint_eq(fake.bytes, FIRST_RUN);
    for (taddr addr = 0x10000, end = addr + FIRST_RUN; addr < end; addr += 100)
        expect(addr, end - addr < 300 ? end - addr : 300);
    ck_assert_uint_eq(fake.reads, 1);
    snapshot_forget(snapshot);
    expect(0x10000, 1);
    ck_assert_uint_eq(fake.reads, 2);
}
END_TEST

START_TEST(first_runs_are_aligned)
{
    map(0x10000, MIB);
    expect(0x2ffff, 1);
    ck_assert_uint_eq(fake.lowest, 0x30000 - FIRST_RUN);
    ck_assert_uint_eq(fake.highest, 0x2ffff);
}
END_TEST

// 70 MB in requests of `_i` bytes.
START_TEST(sequential_access_costs_few_reads)
{
    uint64_t size = 70 * MIB;
    size_t step = (size_t) _i;
    map(0x7f0000000000, size);
    for (uint64_t offset = 0; offset + step <= size; offset += step)
        expect(0x7f0000000000 + offset, step);
    ck_assert_uint_le(fake.reads, size / LONGEST_RUN + 16);
    ck_assert_uint_le(fake.bytes, size);
    ck_assert_uint_le(fake_memory.bytes, SNAPSHOT_LIMIT + 64 * 1024);
}
END_TEST

START_TEST(backward_access_costs_few_reads)
{
    uint64_t size = 70 * MIB;
    size_t step = (size_t) _i;
    map(0x7f0000000000, size);
    for (uint64_t offset = size / step * step; offset >= step; offset -= step)
        expect(0x7f0000000000 + offset - step, step);
    ck_assert_uint_le(fake.reads, size / LONGEST_RUN + 16);
    ck_assert_uint_le(fake.bytes, size);
}
END_TEST

START_TEST(streams_that_take_turns_cost_few_reads)
{
    enum { STREAMS = 3 };
    for (taddr i = 1; i <= STREAMS; i++)
        map(i << 32, 10 * MIB);
    for (taddr offset = 0; offset < 10 * MIB; offset += 256) {
        expect((taddr) 1 << 32 | offset, 200);
        expect((taddr) 2 << 32 | offset, 56);
        expect(((taddr) 3 << 32 | (10 * MIB - 256)) - offset, 256);
    }
    ck_assert_uint_le(fake.reads, STREAMS * (10 * MIB / LONGEST_RUN + 10));
}
END_TEST

START_TEST(jumping_around_reads_nothing_twice)
{
    uint32_t random = (uint32_t) _i;
    map(0x100000, MIB);
    for (int i = 0; i < 5000; i++) {
        random = random * 1664525 + 1013904223;
        expect(0x140000 + (random >> 8) % (64 * 1024 - 64), 64);
    }
    ck_assert_uint_le(fake.reads, 16 / SNAPSHOT_FIRST_RUN + 2);
}
END_TEST

// More than the cache holds, here and there: always right, and each page is there just once.
START_TEST(random_access_is_right)
{
    uint32_t random = 1;
    map(0x100000, 64 * MIB);
    for (int i = 0; i < 20000; i++) {
        random = random * 1664525 + 1013904223;
        expect(0x100000 + (random >> 6) % (63 * MIB), (random >> 3) % 9000);
        if (random % 4000 == 0)
            snapshot_forget(snapshot);
    }
}
END_TEST

START_TEST(a_run_ends_before_what_is_there)
{
    const taddr start = 0x100000;
    map(start, MIB);
    expect(start, 1);
    expect(start + FIRST_RUN, 1); // a run of two
    expect(start + 8 * FIRST_RUN, 1);
    ck_assert_uint_eq(fake.bytes, 4 * FIRST_RUN);
    expect(start + 3 * FIRST_RUN, 1); // of four
    expect(start + 7 * FIRST_RUN, 1); // only one lies between
    ck_assert_uint_eq(fake.bytes, 9 * FIRST_RUN);
    ck_assert_uint_eq(fake.reads, 5);
}
END_TEST

// Objects of a pool are used from the end of each block on, and blocks follow each other.
START_TEST(blocks_read_backward_cost_few_reads)
{
    enum { BLOCK = 7 * SNAPSHOT_PAGE, STEP = 512 };
    const taddr start = 0x7f0000000000;
    map(start, 70 * MIB);
    for (taddr block = 0; block + BLOCK <= 70 * MIB; block += BLOCK)
        for (taddr offset = BLOCK; offset > 0; offset -= STEP)
            expect(start + block + offset - STEP, STEP);
    ck_assert_uint_le(fake.reads, 70 * MIB / LONGEST_RUN + 16);
    ck_assert_uint_le(fake.bytes, 70 * MIB);
}
END_TEST

START_TEST(reads_longer_than_the_cache)
{
    map(0x100000, 20 * MIB);
    expect(0x100123, 16 * MIB);
    ck_assert_uint_le(fake.reads, 16 * MIB / LONGEST_RUN + 2);
    expect(0x100000, 10);
}
END_TEST

START_TEST(without_memory_reads_go_to_the_host)
{
    map(0x100000, 32 * MIB);
    fake_memory.fail = fake_memory.allocations + 1;
    fake_memory.fail_all = true;
    expect(0x100010, 100);
    expect(0x100010, 100);
    ck_assert_uint_eq(fake.reads, 2);
    ck_assert_uint_eq(fake.bytes, 200);
    expect(0x100010, 16 * MIB);
    ck_assert_uint_eq(fake.reads, 3);
    expect_unreadable(0xff000, 100);
    fake_memory.fail = 0;
    expect(0x100010, 100);
    expect(0x100010, 100);
    ck_assert_uint_eq(fake.reads, 5);
}
END_TEST

// Allocation number `_i` and all later ones fail.
START_TEST(with_little_memory_the_cache_is_small)
{
    snapshot_destroy(snapshot);
    snapshot = NULL;
    fake_init(&fake, &fake_models[0]);
    fake_memory.fail = (unsigned) _i;
    fake_memory.fail_all = true;
    snapshot = snapshot_create(fake_target(&fake), 8);
    if (_i == 1) {
        ck_assert_ptr_null(snapshot);
        return;
    }
    map(0x100000, 64 * MIB);
    for (taddr offset = 0; offset < 24 * MIB; offset += 1000)
        expect(0x100000 + offset, 1000);
    if (_i > 2)
        ck_assert_uint_le(fake.reads, 24 * MIB / LONGEST_RUN + 16);
    fake_memory.fail = 0;
    expect(0x100000, 16 * MIB);
    expect(0x100000, 10 * MIB);
}
END_TEST

START_TEST(memory_stays_within_the_limit)
{
    map(0, (uint64_t) 1 << 40);
    for (taddr page = 0; page < 20000; page++)
        expect(page * 100 * PAGE, 1);
    ck_assert_uint_le(fake_memory.bytes, SNAPSHOT_LIMIT + 64 * 1024);
    unsigned allocations = fake_memory.allocations;
    snapshot_forget(snapshot);
    for (taddr page = 0; page < 2000; page++)
        expect(page * 100 * PAGE, 1);
    ck_assert_uint_eq(fake_memory.allocations, allocations);
}
END_TEST

START_TEST(the_oldest_pages_make_room)
{
    map(0x10000000, 64 * MIB);
    for (taddr offset = 0; offset < 6 * MIB; offset += PAGE)
        expect(0x10000000 + offset, 1);
    unsigned reads = fake.reads;
    for (taddr offset = 0; offset < 6 * MIB; offset += PAGE)
        expect(0x10000000 + offset, 1);
    ck_assert_uint_eq(fake.reads, reads);
    for (taddr offset = 6 * MIB; offset < 9 * MIB; offset += PAGE)
        expect(0x10000000 + offset, 1);
    reads = fake.reads;
    for (taddr offset = 4 * MIB; offset < 9 * MIB; offset += PAGE)
        expect(0x10000000 + offset, 1);
    ck_assert_uint_eq(fake.reads, reads);
    expect(0x10000000, 1);
    ck_assert_uint_eq(fake.reads, reads + 1);
}
END_TEST

START_TEST(destroying_nothing)
{
    snapshot_destroy(NULL);
}
END_TEST

Suite *
suite_snapshot(void)
{
    Suite *suite = suite_create("snapshot");
    TCase *tcase = tcase_create("all");
    tcase_add_checked_fixture(tcase, snapshot_setup, snapshot_teardown);
    tcase_set_timeout(tcase, 600);
    tcase_add_test(tcase, nothing_is_read_for_no_bytes);
    tcase_add_test(tcase, what_is_there_is_not_read_again);
    tcase_add_test(tcase, first_runs_are_aligned);
    tcase_add_loop_test(tcase, sequential_access_costs_few_reads, 700, 701);
    tcase_add_loop_test(tcase, sequential_access_costs_few_reads, 5000, 5001);
    tcase_add_loop_test(tcase, backward_access_costs_few_reads, 700, 701);
    tcase_add_loop_test(tcase, backward_access_costs_few_reads, 4096, 4097);
    tcase_add_test(tcase, streams_that_take_turns_cost_few_reads);
    tcase_add_loop_test(tcase, jumping_around_reads_nothing_twice, 1, 20);
    tcase_add_test(tcase, random_access_is_right);
    tcase_add_test(tcase, a_run_ends_before_what_is_there);
    tcase_add_test(tcase, blocks_read_backward_cost_few_reads);
    tcase_add_test(tcase, reads_longer_than_the_cache);
    tcase_add_test(tcase, without_memory_reads_go_to_the_host);
    tcase_add_loop_test(tcase, with_little_memory_the_cache_is_small, 1, 8);
    tcase_add_test(tcase, memory_stays_within_the_limit);
    tcase_add_test(tcase, the_oldest_pages_make_room);
    tcase_add_test(tcase, destroying_nothing);
    suite_add_tcase(suite, tcase);
    return suite;
}
