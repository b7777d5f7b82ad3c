// SPDX-License-Identifier: BSD-3-Clause
// Layouts: the three origins, and each check violated once.
#include "tests/check_target_needs.h"

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

// An unresolved struct has nothing that could be used by mistake.
static void
expect_unresolved(unsigned number)
{
    ck_assert_int_eq(origin_of(number), ORIGIN_NONE);
    ck_assert_uint_eq(layout.structs[number].size, 0);
    ck_assert_uint_eq(layout.structs[number].end, 0);
    for (unsigned i = 0; i < NEEDS_FIELDS; i++)
        if (check_needs.fields[i].owner == number) {
            ck_assert_int_eq(offset_of(i), -1);
            ck_assert_uint_eq(layout.fields[i].width, 0);
        }
}

START_TEST(the_declaration_becomes_tables)
{
    ck_assert_str_eq(check_needs.name, "check");
    ck_assert_uint_eq(check_needs.n_structs, NEEDS_STRUCTS);
    ck_assert_uint_eq(check_needs.n_fields, NEEDS_FIELDS);
    ck_assert_str_eq(check_needs.structs[S(late_t)].name, "late_t");
    ck_assert_int_eq(check_needs.structs[S(late_t)].presence, PRESENCE_OPTIONAL);
    const struct field_need *need = &check_needs.fields[F(outer_t, name_pointer)];
    ck_assert_str_eq(need->name, "name");
    ck_assert_str_eq(need->reading, "name_pointer");
    ck_assert_uint_eq(need->owner, S(outer_t));
    ck_assert_int_eq(need->kind, KIND_POINTER);
    ck_assert_uint_eq(check_needs.fields[F(early_t, inner)].extra, S(late_t));
    ck_assert_uint_eq(check_needs.fields[F(outer_t, name_array)].extra, 16);
}
END_TEST

START_TEST(an_empty_layout_has_nothing)
{
    start(&fake_models[_i]);
    for (unsigned i = 0; i < NEEDS_STRUCTS; i++)
        expect_unresolved(i);
    ck_assert_str_eq(layout_missing(&layout), "item_t");
    ck_assert_str_eq(layout_origin_text(&layout, 0, NULL, 0), "unknown");
    stop();
}
END_TEST

START_TEST(debug_information_resolves_all)
{
    start(&fake_models[_i]);
    uint32_t pointer_size = fake.model.pointer_size;
    layout_from_debug(&layout, &inf);
    ck_assert_str_eq(trail_text(&inf.trail), "");
    ck_assert_ptr_null(layout_missing(&layout));
    for (unsigned i = 0; i < NEEDS_STRUCTS; i++)
        ck_assert_int_eq(origin_of(i), ORIGIN_DEBUG);
    for (unsigned i = 0; i < NEEDS_FIELDS; i++)
        ck_assert_int_eq(offset_of(i), *needs_offset(&fake, i));
    ck_assert_uint_eq(fake.type_lookups, NEEDS_STRUCTS);
    ck_assert_uint_eq(layout.fields[F(outer_t, super)].width, 2 * pointer_size);
    ck_assert_uint_eq(layout.fields[F(outer_t, count)].width, 4);
    ck_assert_uint_eq(layout.fields[F(outer_t, name_array)].width, 16);
    ck_assert_uint_eq(layout.fields[F(outer_t, name_pointer)].width, pointer_size);
    ck_assert_uint_eq(layout.structs[S(outer_t)].first, 16);
    ck_assert_uint_eq(layout.structs[S(outer_t)].end, 60);
    ck_assert_uint_eq(layout.structs[S(outer_t)].alignment, pointer_size);
    ck_assert_uint_eq(layout.structs[S(late_t)].first, 4);
    ck_assert_uint_eq(layout.structs[S(late_t)].alignment, 4);
    ck_assert_uint_eq(layout.structs[S(bare_t)].end, 0);
    ck_assert_uint_eq(layout.structs[S(bare_t)].alignment, 1);
    ck_assert_str_eq(layout_origin_text(&layout, S(item_t), NULL, 0), "debug information");
    stop();
}
END_TEST

START_TEST(a_host_without_debug_information)
{
    start(&fake_models[0]);
    memset(fake.types, 0, sizeof(fake.types));
    layout_from_debug(&layout, &inf);
    for (unsigned i = 0; i < NEEDS_STRUCTS; i++)
        expect_unresolved(i);
    stop();
}
END_TEST

START_TEST(kinds_have_widths)
{
    const struct datamodel *model = &fake_models[_i];
    uint8_t word = model->pointer_size;
    const size_t widths[] = {word, 1, 2, 4, 8, 1, 2, 4, 8, 4, 4, word, word, word, 1};
    for (unsigned kind = 0; kind < KIND_BYTES; kind++)
        ck_assert_uint_eq(layout_kind_width((enum field_kind) kind, 0, model), widths[kind]);
    ck_assert_uint_eq(layout_kind_width(KIND_BYTES, 77, model), 77);
    ck_assert_uint_eq(layout_kind_width(KIND_EMBEDS, 2, model), 0);
}
END_TEST

enum { SIZE_OF = -1, NONE = -1 };

// One thing wrong in a description that is otherwise right.
struct violation {
    int field;      // whose offset is wrong; SIZE_OF: the size of a struct is
    unsigned owner; // the struct
    int64_t value;
    int lost;         // struct that is not resolved then; NONE
    int lost_reading; // field that is absent then; NONE
    const char *trail;
};

static const struct violation violations[] = {
    {SIZE_OF, S(item_t), 0, S(item_t), NONE, "item_t has an impossible size"},
    {SIZE_OF, S(item_t), -1, S(item_t), NONE, "item_t has an impossible size"},
    {SIZE_OF, S(item_t), LAYOUT_MAX_SIZE + 1, S(item_t), NONE, "item_t has an impossible size"},
    {SIZE_OF, S(item_t), INT64_C(1) << 32 | 8, S(item_t), NONE, "item_t has an impossible size"},
    {SIZE_OF, S(item_t), INT64_MAX, S(item_t), NONE, "item_t has an impossible size"},
    {SIZE_OF, S(item_t), INT64_MIN, S(item_t), NONE, "item_t has an impossible size"},
    {SIZE_OF, S(item_t), 1, S(item_t), NONE, "item_t.next is not inside of its struct"},
    {SIZE_OF, S(late_t), 7, S(late_t), NONE, "late_t.value is not inside of its struct"},
    {SIZE_OF, S(late_t), LAYOUT_MAX_SIZE, S(early_t), NONE,
     "early_t.inner is not inside of its struct"},
    {SIZE_OF, S(late_t), 12, S(early_t), NONE, "early_t.inner overlaps another member"},
    {SIZE_OF, S(outer_t), 68, S(union_t), NONE, "union_t.two is not inside of its struct"},
    {F(outer_t, count), S(outer_t), -1, S(outer_t), NONE, "outer_t.count is not there"},
    {F(outer_t, count), S(outer_t), INT64_MIN, S(outer_t), NONE, "outer_t.count is not there"},
    {F(outer_t, count), S(outer_t), 18, S(outer_t), NONE, "outer_t.count is not aligned"},
    {F(outer_t, count), S(outer_t), 64, S(outer_t), NONE,
     "outer_t.count is not inside of its struct"},
    {F(outer_t, count), S(outer_t), 62, S(outer_t), NONE,
     "outer_t.count is not inside of its struct"},
    {F(outer_t, count), S(outer_t), INT64_C(1) << 31, S(outer_t), NONE,
     "outer_t.count is not inside of its struct"},
    {F(outer_t, count), S(outer_t), (INT64_C(1) << 31) - 4, S(outer_t), NONE,
     "outer_t.count is not inside of its struct"},
    {F(outer_t, count), S(outer_t), (INT64_C(1) << 32) + 16, S(outer_t), NONE,
     "outer_t.count is not inside of its struct"},
    {F(outer_t, count), S(outer_t), INT64_MAX, S(outer_t), NONE,
     "outer_t.count is not inside of its struct"},
    {F(outer_t, count), S(outer_t), 24, S(outer_t), NONE, "outer_t.count overlaps another member"},
    {F(outer_t, count), S(outer_t), 28, S(outer_t), NONE, "outer_t.count overlaps another member"},
    {F(outer_t, count), S(outer_t), 0, S(outer_t), NONE, "outer_t.super overlaps another member"},
    {F(outer_t, wide), S(outer_t), -1, NONE, F(outer_t, wide), ""},
    {F(outer_t, wide), S(outer_t), 26, S(outer_t), NONE, "outer_t.wide is not aligned"},
    {F(outer_t, flag), S(outer_t), 31, S(outer_t), NONE, "outer_t.wide overlaps another member"},
    {F(outer_t, flag), S(outer_t), 63, NONE, NONE, ""},
    {F(outer_t, super), S(outer_t), 64, S(outer_t), NONE,
     "outer_t.super is not inside of its struct"},
    {F(outer_t, super), S(outer_t), 8, S(outer_t), NONE, "outer_t.super overlaps another member"},
    {F(union_t, two), S(union_t), 8, S(union_t), NONE, "union_t.one overlaps another member"},
    {F(early_t, inner), S(early_t), 4, S(early_t), NONE, "early_t.inner overlaps another member"},
    // Readings: the pointer needs alignment, the array needs room.
    {F(outer_t, name_pointer), S(outer_t), 42, NONE, F(outer_t, name_pointer), ""},
    {F(outer_t, name_array), S(outer_t), 48, NONE, NONE, ""},
    {F(outer_t, name_array), S(outer_t), 56, NONE, F(outer_t, name_array), ""},
    {F(outer_t, name_array), S(outer_t), INT64_MAX, NONE, F(outer_t, name_pointer), ""},
    {F(outer_t, name_array), S(outer_t), INT64_MAX, NONE, F(outer_t, name_array), ""},
    {F(outer_t, name_array), S(outer_t), 16, NONE, F(outer_t, name_array), ""},
};

START_TEST(each_check_is_made)
{
    const struct violation *violation = &violations[_i];
    char expected[100] = "";
    start(&fake_models[0]);
    if (violation->field == SIZE_OF)
        needs_type(&fake, violation->owner)->size = violation->value;
    else
        *needs_offset(&fake, (unsigned) violation->field) = violation->value;
    layout_from_debug(&layout, &inf);
    if (violation->trail[0] != '\0')
        snprintf(expected, sizeof(expected), "debug information: %s", violation->trail);
    ck_assert_str_eq(trail_text(&inf.trail), expected);
    if (violation->lost != NONE)
        expect_unresolved((unsigned) violation->lost);
    if (violation->lost == NONE)
        ck_assert_int_eq(origin_of(violation->owner), ORIGIN_DEBUG);
    if (violation->lost_reading != NONE)
        ck_assert_int_eq(offset_of((unsigned) violation->lost_reading), -1);
    for (unsigned i = 0; i < NEEDS_STRUCTS; i++)
        if (i != violation->owner && (int) i != violation->lost)
            ck_assert_int_eq(origin_of(i), ORIGIN_DEBUG);
    stop();
}
END_TEST

START_TEST(eight_bytes_align_as_the_machine_does)
{
    start(&fake_models[_i]);
    *needs_offset(&fake, F(outer_t, wide)) = 20;
    layout_from_debug(&layout, &inf);
    ck_assert_int_eq(origin_of(S(outer_t)),
                     fake.model.pointer_size == 4 ? ORIGIN_DEBUG : ORIGIN_NONE);
    stop();
}
END_TEST

START_TEST(a_discarded_struct_has_no_width)
{
    start(&fake_models[0]);
    *needs_offset(&fake, F(late_t, value)) = 1;
    layout_from_debug(&layout, &inf);
    expect_unresolved(S(late_t));
    ck_assert_int_eq(origin_of(S(early_t)), ORIGIN_DEBUG);
    ck_assert_uint_eq(layout.fields[F(early_t, inner)].width, 0);
    stop();
}
END_TEST

START_TEST(readings_at_odds_are_both_dropped)
{
    start(&fake_models[0]);
    *needs_offset(&fake, F(outer_t, mark_byte)) = 50;
    layout_from_debug(&layout, &inf);
    ck_assert_int_eq(offset_of(F(outer_t, name_array)), -1);
    ck_assert_int_eq(offset_of(F(outer_t, mark_byte)), -1);
    ck_assert_int_eq(offset_of(F(outer_t, mark_bytes)), -1);
    ck_assert_int_eq(offset_of(F(outer_t, name_pointer)), 40);
    ck_assert_int_eq(origin_of(S(outer_t)), ORIGIN_DEBUG);
    stop();
}
END_TEST

START_TEST(a_reading_proves_no_alignment)
{
    start(&fake_models[0]);
    *needs_offset(&fake, F(outer_t, wide)) = -1;
    layout_from_debug(&layout, &inf);
    ck_assert_int_eq(offset_of(F(outer_t, name_pointer)), 40);
    ck_assert_uint_eq(layout.structs[S(outer_t)].alignment, 4);
    stop();
}
END_TEST

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
    expect_unresolved(S(early_t));
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
        {2, {ROW_OFFSET, F(item_t, next), -1, NULL}},
        {2, {ROW_OFFSET, F(item_t, next), 9, NULL}},
        {2, {ROW_OFFSET, F(item_t, next), INT32_MAX, NULL}},
        {5, {ROW_OFFSET, F(outer_t, count), 17, NULL}},
        {5, {ROW_OFFSET, F(outer_t, count), 8, NULL}},
        {5, {ROW_OFFSET, F(early_t, tail), 8, NULL}},
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
suite_layout(void)
{
    Suite *suite = suite_create("layout");
    TCase *tcase = tcase_create("all");
    tcase_add_checked_fixture(tcase, fake_setup, fake_teardown);
    tcase_add_test(tcase, the_declaration_becomes_tables);
    tcase_add_loop_test(tcase, an_empty_layout_has_nothing, 0, FAKE_MODELS);
    tcase_add_loop_test(tcase, debug_information_resolves_all, 0, FAKE_MODELS);
    tcase_add_test(tcase, a_host_without_debug_information);
    tcase_add_loop_test(tcase, kinds_have_widths, 0, FAKE_MODELS);
    tcase_add_loop_test(tcase, each_check_is_made, 0,
                        (int) (sizeof(violations) / sizeof(violations[0])));
    tcase_add_loop_test(tcase, eight_bytes_align_as_the_machine_does, 0, FAKE_MODELS);
    tcase_add_test(tcase, a_discarded_struct_has_no_width);
    tcase_add_test(tcase, readings_at_odds_are_both_dropped);
    tcase_add_test(tcase, a_reading_proves_no_alignment);
    tcase_add_test(tcase, a_block_resolves_what_it_has);
    tcase_add_loop_test(tcase, a_block_for_another_model, 0, FAKE_MODELS);
    tcase_add_test(tcase, a_damaged_block_changes_nothing);
    tcase_add_test(tcase, a_block_fills_what_debug_information_lacks);
    tcase_add_test(tcase, a_block_that_is_not_needed_leaves_no_label);
    tcase_add_test(tcase, a_block_must_not_contradict);
    tcase_add_test(tcase, the_target_publishes_offsets);
    tcase_add_test(tcase, published_offsets_are_checked);
    suite_add_tcase(suite, tcase);
    return suite;
}
