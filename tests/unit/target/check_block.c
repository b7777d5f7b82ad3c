// SPDX-License-Identifier: BSD-3-Clause
// Layouts from built-in tables, and from what the target publishes.
#include "tests/unit/target/needs.h"

#include <stdio.h>
#include <string.h>

static struct fake fake;
static struct inferior inf;
static struct layout layout;

static void
start(const struct datamodel *model)
{
    fake_init(&fake, model);
    needs_types(&fake);
    ck_ok(inferior_init(&inf, fake_target(&fake)));
    layout_init(&layout, &check_needs, model);
}

static void
stop(void)
{
    inferior_deinit(&inf);
}

static enum origin
origin_of(unsigned number)
{
    return layout.structs[number].origin;
}

static int32_t
offset_of(unsigned field)
{
    return layout.fields[field].offset;
}

// Two blocks; the values of each may be changed by a test.
enum { ROWS = 14, BLOCK_B = 9 };

static void
make_rows(struct builtin_row *rows)
{
    const struct builtin_row fresh[ROWS] = {
        {ROW_BLOCK, 8, 0, "4.1"},
        {ROW_SIZE, S(item_t), 16, NULL},
        {ROW_OFFSET, F(item_t, next), 0, NULL},
        {ROW_SIZE, S(outer_t), 64, NULL},
        {ROW_OFFSET, F(outer_t, super), 0, NULL},
        {ROW_OFFSET, F(outer_t, count), 16, NULL},
        {ROW_OFFSET, F(outer_t, name_array), 40, NULL},
        {ROW_SIZE, S(late_t), 8, NULL},
        {ROW_OFFSET, F(late_t, value), 4, NULL},
        {ROW_BLOCK, 4, 0, "4.1 of 32 bits"},
        {ROW_SIZE, S(item_t), 8, NULL},
        {ROW_OFFSET, F(item_t, next), 4, NULL},
        {ROW_SIZE, S(outer_t), 32, NULL},
        {ROW_OFFSET, F(outer_t, count), 8, NULL},
    };
    memcpy(rows, fresh, sizeof(fresh));
}

START_TEST(a_block_resolves_what_it_has)
{
    struct builtin_row rows[ROWS];
    char text[100];
    start(&fake_models[0]);
    make_rows(rows);
    ck_ok(layout_from_block(&layout, rows, ROWS, 0));
    ck_assert_ptr_null(layout_missing(&layout));
    ck_assert_int_eq(origin_of(S(outer_t)), ORIGIN_BUILTIN);
    ck_assert_int_eq(offset_of(F(outer_t, name_array)), 40);
    ck_assert_int_eq(offset_of(F(outer_t, name_pointer)), -1);
    ck_assert_uint_eq(layout.fields[F(outer_t, super)].width, 16);
    ck_assert_uint_eq(layout.structs[S(outer_t)].end, 56);
    needs_expect_unresolved(&layout, S(early_t));
    ck_assert_str_eq(layout.label, "4.1");
    ck_assert_str_eq(layout_origin_text(&layout, S(outer_t), text, sizeof(text)), "built-in 4.1");
    ck_assert_str_eq(layout_origin_text(&layout, S(outer_t), text, 9), "built-in");
    stop();
}
END_TEST

static void
expect_block(const struct builtin_row *rows, unsigned n_rows, unsigned block, enum status status)
{
    struct layout before = layout;
    ck_assert_int_eq(layout_from_block(&layout, rows, n_rows, block), status);
    if (status != STATUS_OK)
        ck_assert_mem_eq(&layout, &before, sizeof(before));
}

START_TEST(a_block_for_another_model)
{
    struct builtin_row rows[ROWS];
    start(&fake_models[_i]);
    make_rows(rows);
    bool wide = fake.model.pointer_size == 8;
    expect_block(rows, ROWS, 2, STATUS_END);
    expect_block(rows, ROWS, UINT32_MAX, STATUS_END);
    expect_block(rows, 0, 0, STATUS_END);
    expect_block(rows, ROWS, wide ? 1 : 0, STATUS_MISMATCH);
    expect_block(rows, ROWS, wide ? 0 : 1, STATUS_OK);
    // In the second block a required field lacks.
    ck_assert_int_eq(origin_of(S(outer_t)), wide ? ORIGIN_BUILTIN : ORIGIN_NONE);
    if (!wide)
        ck_assert_str_eq(layout_missing(&layout), "outer_t");
    stop();
}
END_TEST

START_TEST(a_damaged_block_changes_nothing)
{
    static const struct {
        unsigned row;
        struct builtin_row value;
    } damages[] = {
        {1, {ROW_SIZE, NEEDS_STRUCTS, 16, NULL}},
        {1, {ROW_SIZE, UINT16_MAX, 16, NULL}},
        {1, {ROW_SIZE, S(item_t), -1, NULL}},
        {1, {ROW_SIZE, S(item_t), 0, NULL}},
        {1, {ROW_SIZE, S(item_t), LAYOUT_MAX_SIZE + 1, NULL}},
        {1, {ROW_SIZE, S(item_t), 20, NULL}},  // super then overlaps count
        {1, {ROW_SIZE, S(early_t), 16, NULL}}, // item_t.next has no struct
        {2, {ROW_OFFSET, NEEDS_FIELDS, 0, NULL}},
        {2, {ROW_OFFSET, F(item_t, next), -2, NULL}},
        {2, {ROW_OFFSET, F(item_t, next), 9, NULL}},
        {2, {ROW_OFFSET, F(item_t, next), INT32_MAX, NULL}},
        {5, {ROW_OFFSET, F(outer_t, count), 17, NULL}},
        {5, {ROW_OFFSET, F(outer_t, count), 8, NULL}},
        {5, {ROW_OFFSET, F(early_t, tail), 8, NULL}},
        {1, {ROW_LIKE, 0, 0, "4.1"}}, // itself
        {1, {ROW_LIKE, 0, 0, "4.1 of 32 bits"}},
        {1, {ROW_LIKE, 0, 0, "4.0"}},
    };
    for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
        struct builtin_row rows[ROWS];
        start(&fake_models[0]);
        make_rows(rows);
        rows[damages[i].row] = damages[i].value;
        expect_block(rows, ROWS, 0, STATUS_MISMATCH);
        stop();
    }
}
END_TEST

START_TEST(a_block_is_like_an_earlier_one)
{
    static const struct builtin_row changes[] = {
        {ROW_BLOCK, 8, 0, "5.0"},
        {ROW_LIKE, 0, 0, "4.1"},
        {ROW_OFFSET, F(outer_t, count), 24, NULL},
        {ROW_BLOCK, 4, 0, "6.0"},
        {ROW_LIKE, 0, 0, "5.0"}, // of other pointers
        {ROW_BLOCK, 8, 0, "6.0"},
        {ROW_LIKE, 0, 0, "5.0"},
        {ROW_SIZE, S(late_t), 16, NULL},
        {ROW_OFFSET, F(outer_t, name_array), ROW_ABSENT, NULL},
    };
    enum { N = ROWS + sizeof(changes) / sizeof(changes[0]) };
    struct builtin_row rows[N];
    make_rows(rows);
    memcpy(rows + ROWS, changes, sizeof(changes));
    start(&fake_models[0]);
    expect_block(rows, N, 3, STATUS_MISMATCH);
    expect_block(rows, N, 2, STATUS_OK);
    ck_assert_str_eq(layout.label, "5.0");
    ck_assert_int_eq(offset_of(F(outer_t, count)), 24);
    ck_assert_int_eq(offset_of(F(outer_t, name_array)), 40);
    ck_assert_uint_eq(layout.structs[S(late_t)].size, 8);
    stop();
    start(&fake_models[0]);
    expect_block(rows, N, 4, STATUS_OK);
    ck_assert_str_eq(layout.label, "6.0");
    ck_assert_int_eq(offset_of(F(outer_t, count)), 24);
    ck_assert_int_eq(offset_of(F(outer_t, name_array)), -1);
    ck_assert_uint_eq(layout.structs[S(late_t)].size, 16);
    stop();
}
END_TEST

START_TEST(a_block_fills_what_debug_information_lacks)
{
    struct builtin_row rows[ROWS];
    start(&fake_models[0]);
    make_rows(rows);
    needs_type(&fake, S(outer_t))->name = NULL;
    layout_from_debug(&layout, &inf);
    ck_assert_str_eq(layout_missing(&layout), "outer_t");
    expect_block(rows, ROWS, 0, STATUS_OK);
    ck_assert_int_eq(origin_of(S(item_t)), ORIGIN_DEBUG);
    ck_assert_int_eq(origin_of(S(outer_t)), ORIGIN_BUILTIN);
    ck_assert_int_eq(offset_of(F(outer_t, wide)), -1);
    ck_assert_str_eq(layout.label, "4.1");
    // union_t, which embeds it, now knows a width.
    ck_assert_uint_eq(layout.fields[F(union_t, two)].width, 64);
    stop();
}
END_TEST

START_TEST(a_block_that_is_not_needed_leaves_no_label)
{
    struct builtin_row rows[ROWS];
    start(&fake_models[0]);
    make_rows(rows);
    layout_from_debug(&layout, &inf);
    expect_block(rows, ROWS, 0, STATUS_OK);
    ck_assert_int_eq(origin_of(S(outer_t)), ORIGIN_DEBUG);
    ck_assert_int_eq(offset_of(F(outer_t, wide)), 24);
    ck_assert_str_eq(layout.label, "");
    stop();
}
END_TEST

START_TEST(a_block_must_not_contradict)
{
    struct builtin_row rows[ROWS];
    start(&fake_models[0]);
    needs_type(&fake, S(outer_t))->name = NULL;
    layout_from_debug(&layout, &inf);
    make_rows(rows);
    rows[1].value = 24; // size of item_t
    expect_block(rows, ROWS, 0, STATUS_MISMATCH);
    make_rows(rows);
    rows[2].value = 8; // item_t.next
    expect_block(rows, ROWS, 0, STATUS_MISMATCH);
    make_rows(rows);
    rows[8].value = 0; // late_t.value, of a struct that is resolved
    expect_block(rows, ROWS, 0, STATUS_MISMATCH);
    make_rows(rows);
    rows[3].value = 72; // outer_t, too long for the union_t of the debug information
    expect_block(rows, ROWS, 0, STATUS_MISMATCH);
    make_rows(rows);
    expect_block(rows, ROWS, 0, STATUS_OK);
    stop();
}
END_TEST

START_TEST(the_target_publishes_offsets)
{
    const int32_t offsets[] = {0, 16, -1, 20, 40, -1, -1, -1};
    start(&fake_models[0]);
    ck_ok(layout_set(&layout, S(outer_t), 64, offsets));
    ck_assert_int_eq(origin_of(S(outer_t)), ORIGIN_TARGET);
    ck_assert_int_eq(offset_of(F(outer_t, count)), 16);
    ck_assert_int_eq(offset_of(F(outer_t, wide)), -1);
    ck_assert_uint_eq(layout.structs[S(outer_t)].first, 16);
    ck_assert_uint_eq(layout.structs[S(outer_t)].end, 56);
    ck_assert_str_eq(layout_origin_text(&layout, S(outer_t), NULL, 0), "published by the target");
    layout_from_debug(&layout, &inf);
    ck_assert_int_eq(origin_of(S(outer_t)), ORIGIN_TARGET);
    ck_assert_int_eq(offset_of(F(outer_t, flag)), 20);
    ck_assert_uint_eq(layout.fields[F(outer_t, super)].width, 16);
    stop();
}
END_TEST

START_TEST(published_offsets_are_checked)
{
    const int32_t good[8] = {0, 16, 24, 32, 40, -1, -1, -1};
    start(&fake_models[0]);
    layout_from_debug(&layout, &inf);
    for (size_t i = 0; i < 4; i++) {
        int32_t offsets[8];
        struct layout before = layout;
        memcpy(offsets, good, sizeof(offsets));
        const int32_t bad[] = {56, INT32_MAX, INT32_MIN, 35};
        offsets[i] = bad[i];
        enum status status = layout_set(&layout, S(outer_t), i == 3 ? 35 : 64, offsets);
        ck_assert_int_eq(status, i == 2 ? STATUS_OK : STATUS_MISMATCH);
        if (status != STATUS_OK)
            ck_assert_mem_eq(&layout, &before, sizeof(before));
    }
    ck_status(layout_set(&layout, S(outer_t), 0, good), MISMATCH);
    ck_status(layout_set(&layout, S(outer_t), LAYOUT_MAX_SIZE + 1, good), MISMATCH);
    ck_status(layout_set(&layout, S(outer_t), 128, good), MISMATCH); // union_t is shorter
    ck_status(layout_set(&layout, NEEDS_STRUCTS, 64, good), MISMATCH);
    ck_ok(layout_set(&layout, S(outer_t), 64, good));
    stop();
}
END_TEST

Suite *
suite_block(void)
{
    Suite *suite = suite_create("block");
    TCase *tcase = tcase_create("all");
    tcase_add_checked_fixture(tcase, fake_setup, fake_teardown);
    tcase_add_test(tcase, a_block_resolves_what_it_has);
    tcase_add_loop_test(tcase, a_block_for_another_model, 0, FAKE_MODELS);
    tcase_add_test(tcase, a_damaged_block_changes_nothing);
    tcase_add_test(tcase, a_block_is_like_an_earlier_one);
    tcase_add_test(tcase, a_block_fills_what_debug_information_lacks);
    tcase_add_test(tcase, a_block_that_is_not_needed_leaves_no_label);
    tcase_add_test(tcase, a_block_must_not_contradict);
    tcase_add_test(tcase, the_target_publishes_offsets);
    tcase_add_test(tcase, published_offsets_are_checked);
    suite_add_tcase(suite, tcase);
    return suite;
}
