// SPDX-License-Identifier: BSD-3-Clause
// Exact reads: no byte but those asked for, none twice, and that what they give is right.
#include "tests/unit/target/fake.h"

#include <string.h>

static struct fake fake;
static struct pieces *pieces;

static void
setup(void)
{
    fake_init(&fake, &fake_models[0]);
    fake.segments[0] = (struct fake_segment){0x10000, 64 * PIECES_PAGE, NULL};
    pieces = pieces_create(fake_target(&fake), 8);
    ck_assert_ptr_nonnull(pieces);
}

static void
teardown(void)
{
    pieces_destroy(pieces);
    fake_teardown();
}

// Reads, compares, and counts what that took.
static void
expect(taddr addr, size_t size, unsigned reads, size_t bytes)
{
    static uint8_t found[16 * PIECES_PAGE];
    const unsigned reads_before = fake.reads;
    const uint64_t bytes_before = fake.bytes;
    ck_assert_uint_le(size, sizeof(found));
    ck_ok(pieces_read(pieces, addr, size, found));
    for (size_t i = 0; i < size; i++)
        ck_assert_uint_eq(found[i], fake_byte(addr + i));
    ck_assert_uint_eq(fake.reads - reads_before, reads);
    ck_assert_uint_eq(fake.bytes - bytes_before, bytes);
}

START_TEST(once)
{
    expect(0x10010, 40, 1, 40);
    expect(0x10010, 40, 0, 0);
    expect(0x10018, 8, 0, 0);
    expect(0x10030, 16, 1, 16); // not all of it
    expect(0x10000, 0, 0, 0);
    pieces_forget(pieces);
    expect(0x10018, 8, 1, 8);
}
END_TEST

START_TEST(no_read_crosses_a_page)
{
    expect(0x10000 + PIECES_PAGE - 4, 8, 2, 8);
    expect(0x10000 + PIECES_PAGE - 4, 8, 0, 0);
    expect(0x10000 + 100, 8 * PIECES_PAGE, 9, 8 * PIECES_PAGE);
}
END_TEST

// More reads than are kept, and more bytes.
START_TEST(makes_room)
{
    for (unsigned i = 0; i < 3 * PIECES_COUNT; i++)
        expect(0x10000 + 16 * i, 8, 1, 8);
    for (unsigned i = 0; i < 40; i++)
        expect(0x10000 + i * PIECES_PAGE, PIECES_PAGE, 1, PIECES_PAGE);
    expect(0x10000, PIECES_PAGE, 1, PIECES_PAGE);
}
END_TEST

START_TEST(what_cannot_be_read)
{
    uint8_t found[16];
    ck_status(pieces_read(pieces, 0xfff8, 16, found), UNREADABLE);
    ck_status(pieces_read(pieces, UINT64_MAX - 7, 16, found), UNREADABLE);
    ck_status(pieces_read(pieces, 0x10000, (size_t) 1 << 40, found), UNREADABLE);
    fake.fail_read = fake.reads + 1;
    ck_status(pieces_read(pieces, 0x10000, 16, found), UNREADABLE);
    expect(0x10000, 16, 1, 16);
}
END_TEST

START_TEST(no_address_beyond_the_target)
{
    uint8_t found[8];
    struct pieces *narrow = pieces_create(fake_target(&fake), 4);
    const unsigned before = fake.reads;
    ck_status(pieces_read(narrow, (taddr) 1 << 32, 8, found), UNREADABLE);
    ck_status(pieces_read(narrow, UINT32_MAX - 3, 8, found), UNREADABLE);
    ck_assert_uint_eq(fake.reads, before);
    pieces_destroy(narrow);
}
END_TEST

START_TEST(no_memory)
{
    fake_memory.fail = fake_memory.allocations + 1;
    ck_assert_ptr_null(pieces_create(fake_target(&fake), 8));
    pieces_destroy(NULL);
}
END_TEST

Suite *
suite_pieces(void)
{
    Suite *suite = suite_create("pieces");
    TCase *cases = tcase_create("pieces");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, once);
    tcase_add_test(cases, no_read_crosses_a_page);
    tcase_add_test(cases, makes_room);
    tcase_add_test(cases, what_cannot_be_read);
    tcase_add_test(cases, no_address_beyond_the_target);
    tcase_add_test(cases, no_memory);
    suite_add_tcase(suite, cases);
    return suite;
}
