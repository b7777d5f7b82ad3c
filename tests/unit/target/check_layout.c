// SPDX-License-Identifier: BSD-3-Clause
// Layouts from debug information, and each check violated once.
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
        needs_expect_unresolved(&layout, i);
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
        needs_expect_unresolved(&layout, i);
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
        needs_expect_unresolved(&layout, (unsigned) violation->lost);
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
    needs_expect_unresolved(&layout, S(late_t));
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
    suite_add_tcase(suite, tcase);
    return suite;
}
