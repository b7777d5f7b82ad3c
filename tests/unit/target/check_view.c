// SPDX-License-Identifier: BSD-3-Clause
// Views: one read, then decoding that cannot fail.
#include "target/view.h"
#include "tests/check_set.h"
#include "tests/unit/target/needs.h"

#include <string.h>

enum { PAGE = SNAPSHOT_PAGE, BASE = 0x10000 };

static struct fake fake;
static struct inferior inf;
static struct layout layout;
static struct view view;
static uint8_t memory[2 * PAGE];

static void
start(const struct datamodel *model)
{
    memset(memory, 0, sizeof(memory));
    fake_init(&fake, model);
    fake.segments[0] = (struct fake_segment){BASE, sizeof(memory), memory};
    needs_types(&fake);
    ck_ok(inferior_init(&inf, fake_target(&fake)));
    layout_init(&layout, &check_needs, model);
    layout_from_debug(&layout, &inf);
}

static void
stop(void)
{
    inferior_deinit(&inf);
}

START_TEST(every_kind_is_decoded)
{
    start(&fake_models[_i]);
    for (unsigned i = 0; i < NEEDS_FIELDS; i++)
        if (check_needs.fields[i].owner == S(kinds_t))
            fake_put(&fake, memory + 64 + layout.fields[i].offset, layout.fields[i].width,
                     UINT64_MAX - 1);
    ck_ok(view_load(&inf, &layout, S(kinds_t), BASE + 64, &view));
    for (unsigned i = 0; i < NEEDS_FIELDS; i++) {
        const struct field_need *need = &check_needs.fields[i];
        if (need->owner != S(kinds_t) || need->kind == KIND_BYTES)
            continue;
        bool is_signed = need->name[0] == 'i' || need->name[0] == 's';
        uint64_t value = (UINT64_MAX >> (64 - 8 * layout.fields[i].width)) - 1;
        ck_assert(view_has(&view, i));
        ck_assert_uint_eq(view_uint(&view, i), value);
        ck_assert_int_eq(view_int(&view, i), is_signed ? -2 : (int64_t) value);
        ck_assert_ptr_null(view_bytes(&view, i));
    }
    unsigned bytes = F(kinds_t, bytes);
    ck_assert_mem_eq(view_bytes(&view, bytes), memory + 64 + layout.fields[bytes].offset, 5);
    ck_assert_uint_eq(view_uint(&view, bytes), 0);
    ck_assert_int_eq(view_int(&view, bytes), 0);
    stop();
}
END_TEST

START_TEST(a_view_is_one_read)
{
    start(&fake_models[0]);
    unsigned reads = fake.reads;
    ck_ok(view_load(&inf, &layout, S(outer_t), BASE, &view));
    ck_assert_uint_eq(fake.reads, reads + 2); // the mapping is shorter than a first run
    ck_assert_uint_eq(view_addr(&view, F(outer_t, count)), BASE + 16);
    ck_assert_uint_eq(view_addr(&view, F(outer_t, super)), BASE);
    stop();
}
END_TEST

// Only what the needed fields span must be readable.
START_TEST(a_view_spans_the_needed_fields)
{
    start(&fake_models[0]);
    fake.segments[0].addr = BASE + 16;
    fake.segments[0].size = 60 - 16;
    fake_put(&fake, memory, 4, 1234);
    ck_ok(view_load(&inf, &layout, S(outer_t), BASE, &view));
    ck_assert_uint_eq(view_uint(&view, F(outer_t, count)), 1234);
    fake.segments[0].size--;
    inferior_refresh(&inf);
    ck_status(view_load(&inf, &layout, S(outer_t), BASE, &view), UNREADABLE);
    ck_assert_str_eq(trail_text(&inf.trail),
                     "outer_t at 0x10000: 44 bytes at 0x10010 cannot be read");
    stop();
}
END_TEST

START_TEST(absent_fields_are_absent)
{
    start(&fake_models[0]);
    *needs_offset(&fake, F(outer_t, wide)) = -1;
    *needs_offset(&fake, F(outer_t, name_array)) = -1;
    layout_init(&layout, &check_needs, &fake.model);
    layout_from_debug(&layout, &inf);
    memset(memory, 0xff, sizeof(memory));
    ck_ok(view_load(&inf, &layout, S(outer_t), BASE, &view));
    ck_assert(!view_has(&view, F(outer_t, wide)));
    ck_assert_uint_eq(view_uint(&view, F(outer_t, wide)), 0);
    ck_assert_int_eq(view_int(&view, F(outer_t, wide)), 0);
    ck_assert_ptr_null(view_bytes(&view, F(outer_t, name_array)));
    ck_assert(view_has(&view, F(outer_t, super)));
    ck_assert_uint_eq(view_uint(&view, F(outer_t, super)), 0);
    // A field of another struct is not in this one.
    ck_assert(!view_has(&view, F(item_t, next)));
    ck_assert_uint_eq(view_uint(&view, F(item_t, next)), 0);
    stop();
}
END_TEST

START_TEST(impossible_addresses)
{
    start(&fake_models[_i]);
    taddr last = fake.model.pointer_size == 4 ? UINT32_MAX : UINT64_MAX;
    unsigned reads = fake.reads;
    ck_status(view_load(&inf, &layout, S(outer_t), 0, &view), CORRUPT);
    ck_status(view_load(&inf, &layout, S(outer_t), BASE + 1, &view), CORRUPT);
    ck_status(view_load(&inf, &layout, S(outer_t), BASE + 2, &view), CORRUPT);
    ck_assert_str_eq(trail_text(&inf.trail), "outer_t cannot be at 0x10002");
    ck_status(view_load(&inf, &layout, S(outer_t), last - 7, &view), CORRUPT);
    ck_status(view_load(&inf, &layout, S(outer_t), last - 55, &view), CORRUPT);
    if (last == UINT32_MAX)
        ck_status(view_load(&inf, &layout, S(outer_t), last + 1 + BASE, &view), CORRUPT);
    ck_assert_uint_eq(fake.reads, reads);
    ck_status(view_load(&inf, &layout, S(outer_t), last - 63, &view), UNREADABLE);
    ck_ok(view_load(&inf, &layout, S(late_t), BASE + 4, &view));
    stop();
}
END_TEST

START_TEST(unknown_structs)
{
    start(&fake_models[0]);
    layout_init(&layout, &check_needs, &fake.model);
    ck_status(view_load(&inf, &layout, S(item_t), BASE, &view), UNSUPPORTED);
    ck_assert_str_eq(trail_text(&inf.trail), "the layout of item_t is not known");
    stop();
}
END_TEST

START_TEST(long_spans)
{
    start(&fake_models[0]);
    needs_type(&fake, S(outer_t))->size = 4096;
    layout_init(&layout, &check_needs, &fake.model);
    *needs_offset(&fake, F(outer_t, flag)) = 16 + VIEW_MAX - 1;
    layout_from_debug(&layout, &inf);
    ck_ok(view_load(&inf, &layout, S(outer_t), BASE, &view));
    layout_init(&layout, &check_needs, &fake.model);
    *needs_offset(&fake, F(outer_t, flag)) = 16 + VIEW_MAX;
    layout_from_debug(&layout, &inf);
    ck_status(view_load(&inf, &layout, S(outer_t), BASE, &view), UNSUPPORTED);
    ck_assert_str_eq(trail_text(&inf.trail), "outer_t is too long");
    stop();
}
END_TEST

START_TEST(a_struct_of_nothing_but_others)
{
    start(&fake_models[0]);
    unsigned reads = fake.reads;
    ck_ok(view_load(&inf, &layout, S(bare_t), 0xdead0000, &view));
    ck_assert_uint_eq(fake.reads, reads);
    ck_assert_uint_eq(view_addr(&view, F(bare_t, super)), 0xdead0000);
    stop();
}
END_TEST

static uint32_t
next_random(uint32_t *random)
{
    *random = *random * 1664525 + 1013904223;
    return *random >> 10;
}

static int64_t
random_number(uint32_t *random)
{
    static const int64_t edges[] = {
        -1,
        INT64_MIN,
        INT64_MAX,
        INT32_MAX,
        (int64_t) UINT32_MAX + 1,
        LAYOUT_MAX_SIZE,
        LAYOUT_MAX_SIZE + 1,
        VIEW_MAX,
    };
    uint32_t choice = next_random(random) % 32;
    if (choice < sizeof(edges) / sizeof(edges[0]))
        return edges[choice];
    return choice < 20 ? 4 * (next_random(random) % 20) : next_random(random) % 100;
}

// What passed the checks lies inside of what a view has copied.
static void
expect_inside(const struct layout *checked, unsigned field)
{
    const struct field_layout *place = &checked->fields[field];
    const struct struct_layout *structure = &checked->structs[check_needs.fields[field].owner];
    if (place->offset < 0)
        return;
    ck_assert_int_ne(structure->origin, ORIGIN_NONE);
    ck_assert_uint_le(place->width, structure->size);
    ck_assert_uint_lt((uint32_t) place->offset, structure->size);
    ck_assert_uint_le((uint32_t) place->offset + place->width, structure->size);
    if (check_needs.fields[field].kind == KIND_EMBEDS)
        return;
    ck_assert_uint_ge((uint32_t) place->offset, structure->first);
    ck_assert_uint_le((uint32_t) place->offset + place->width, structure->end);
}

START_TEST(random_descriptions_are_safe)
{
    uint32_t random = (uint32_t) _i;
    const unsigned rounds = check_set_pick(400, 400, 2000);
    start(&fake_models[_i % FAKE_MODELS]);
    for (unsigned round = 0; round < rounds; round++) {
        unsigned changes = 1 + next_random(&random) % 6;
        needs_types(&fake);
        for (unsigned i = 0; i < changes; i++)
            *needs_offset(&fake, next_random(&random) % NEEDS_FIELDS) = random_number(&random);
        needs_type(&fake, next_random(&random) % NEEDS_STRUCTS)->size = random_number(&random);
        layout_init(&layout, &check_needs, &fake.model);
        layout_from_debug(&layout, &inf);
        for (unsigned i = 0; i < NEEDS_FIELDS; i++) {
            expect_inside(&layout, i);
            if (view_load(&inf, &layout, check_needs.fields[i].owner, BASE, &view) == STATUS_OK)
                for (unsigned field = 0; field < NEEDS_FIELDS; field++)
                    view_int(&view, field);
        }
    }
    stop();
}
END_TEST

Suite *
suite_view(void)
{
    Suite *suite = suite_create("view");
    TCase *tcase = tcase_create("all");
    tcase_add_checked_fixture(tcase, fake_setup, fake_teardown);
    tcase_add_loop_test(tcase, every_kind_is_decoded, 0, FAKE_MODELS);
    tcase_add_test(tcase, a_view_is_one_read);
    tcase_add_test(tcase, a_view_spans_the_needed_fields);
    tcase_add_test(tcase, absent_fields_are_absent);
    tcase_add_loop_test(tcase, impossible_addresses, 0, FAKE_MODELS);
    tcase_add_test(tcase, unknown_structs);
    tcase_add_test(tcase, long_spans);
    tcase_add_test(tcase, a_struct_of_nothing_but_others);
    tcase_add_loop_test(tcase, random_descriptions_are_safe, 0, 8);
    suite_add_tcase(suite, tcase);
    return suite;
}
