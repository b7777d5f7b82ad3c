// SPDX-License-Identifier: BSD-3-Clause
// Status codes, the trail, decoding, the arena, sorting.
#include "target/arena.h"
#include "target/sort.h"
#include "tests/unit/target/fake.h"

#include <stdalign.h>
#include <string.h>

START_TEST(every_status_has_a_text)
{
    for (int i = 0; i < STATUS_COUNT; i++)
        ck_assert_int_gt((int) strlen(status_text(i)), 0);
    ck_assert_str_eq(status_text(STATUS_OK), "success");
    ck_assert_str_eq(status_text(-1), status_text(STATUS_COUNT));
    ck_assert_str_eq(status_text(INT32_MAX), status_text(INT32_MIN));
}
END_TEST

START_TEST(a_trail_grows_to_the_front)
{
    struct trail trail;
    trail_reset(&trail);
    ck_assert_str_eq(trail_text(&trail), "");
    ck_status(trail_begin(&trail, STATUS_UNREADABLE, "%d bytes", 4), UNREADABLE);
    ck_status(trail_prepend(&trail, STATUS_UNREADABLE, "group %s", "g"), UNREADABLE);
    trail_prepend(&trail, STATUS_UNREADABLE, "communicator 3");
    ck_assert_str_eq(trail_text(&trail), "communicator 3: group g: 4 bytes");
    trail_begin(&trail, STATUS_CORRUPT, "new");
    ck_assert_str_eq(trail_text(&trail), "new");
    trail_reset(&trail);
    ck_assert_str_eq(trail_text(&trail), "");
}
END_TEST

START_TEST(an_empty_trail_gets_the_status)
{
    struct trail trail;
    trail_reset(&trail);
    trail_prepend(&trail, STATUS_NOMEM, "group");
    ck_assert_str_eq(trail_text(&trail), "group: the debugger has no memory left");
}
END_TEST

START_TEST(a_trail_quotes_itself)
{
    struct trail trail;
    trail_begin(&trail, STATUS_CORRUPT, "inner");
    trail_begin(&trail, STATUS_CORRUPT, "(%s)", trail_text(&trail));
    trail_prepend(&trail, STATUS_CORRUPT, "%s", trail_text(&trail));
    ck_assert_str_eq(trail_text(&trail), "(inner): (inner)");
}
END_TEST

// A text of `_i` characters, put in front of "end".
START_TEST(a_trail_is_cut_at_the_front)
{
    enum { ROOM = sizeof(((struct trail *) 0)->buffer) - 1 };
    char text[2000];
    struct trail trail;
    memset(text, 'x', sizeof(text));
    text[_i] = '\0';
    trail_begin(&trail, STATUS_CORRUPT, "end");
    trail_prepend(&trail, STATUS_CORRUPT, "%s", text);
    size_t whole = (size_t) _i + strlen(": end");
    const char *shown = trail_text(&trail);
    ck_assert_uint_eq(strlen(shown), whole < ROOM ? whole : ROOM);
    ck_assert_str_eq(shown + strlen(shown) - 5, ": end");
    ck_assert_int_eq(shown[0] == '<', whole > ROOM);
    trail_prepend(&trail, STATUS_CORRUPT, "outer");
    shown = trail_text(&trail);
    ck_assert_uint_le(strlen(shown), ROOM);
    ck_assert_int_eq(shown[0] == '<', whole + strlen("outer: ") > ROOM);
    trail_begin(&trail, STATUS_CORRUPT, "%s", text);
    ck_assert_uint_eq(strlen(trail_text(&trail)), _i < ROOM ? (size_t) _i : ROOM);
}
END_TEST

START_TEST(data_models_are_checked)
{
    struct datamodel model = fake_models[_i];
    ck_assert(datamodel_valid(&model));
    for (size_t i = 0; i < sizeof(model); i++) {
        uint8_t *byte = (uint8_t *) &model + i;
        uint8_t old = *byte;
        if (byte == (uint8_t *) &model.big_endian)
            continue;
        *byte = 3;
        ck_assert(!datamodel_valid(&model));
        *byte = 0;
        ck_assert(!datamodel_valid(&model));
        *byte = old;
    }
    model.bool_size = 4;
    ck_assert(datamodel_valid(&model));
}
END_TEST

START_TEST(integers_are_decoded)
{
    const struct datamodel *model = &fake_models[_i];
    const uint8_t bytes[] = {0x80, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x88};
    bool big = model->big_endian;
    ck_assert_uint_eq(datamodel_uint(model, bytes, 1), 0x80);
    ck_assert_int_eq(datamodel_int(model, bytes, 1), -128);
    ck_assert_uint_eq(datamodel_uint(model, bytes, 2), big ? 0x8002 : 0x0280);
    ck_assert_int_eq(datamodel_int(model, bytes, 2), big ? -0x7ffe : 0x0280);
    ck_assert_uint_eq(datamodel_uint(model, bytes, 4), big ? 0x80020304 : 0x04030280);
    ck_assert_int_eq(datamodel_int(model, bytes, 4), big ? -0x7ffdfcfcL : 0x04030280);
    ck_assert_uint_eq(datamodel_uint(model, bytes, 8),
                      big ? 0x8002030405060788 : 0x8807060504030280);
    ck_assert_int_lt(datamodel_int(model, bytes, 8), 0);
    for (size_t width = 0; width < 20; width++) {
        if (width == 1 || width == 2 || width == 4 || width == 8)
            continue;
        ck_assert_uint_eq(datamodel_uint(model, bytes, width), 0);
        ck_assert_int_eq(datamodel_int(model, bytes, width), 0);
    }
}
END_TEST

START_TEST(extreme_integers)
{
    const struct datamodel *model = &fake_models[_i];
    uint8_t bytes[8];
    memset(bytes, 0xff, sizeof(bytes));
    for (size_t width = 1; width <= 8; width *= 2)
        ck_assert_int_eq(datamodel_int(model, bytes, width), -1);
    ck_assert_uint_eq(datamodel_uint(model, bytes, 8), UINT64_MAX);
    memset(bytes, 0, sizeof(bytes));
    bytes[model->big_endian ? 0 : 7] = 0x80;
    ck_assert_int_eq(datamodel_int(model, bytes, 8), INT64_MIN);
}
END_TEST

START_TEST(an_arena_gives_zeroed_aligned_memory)
{
    struct fake fake;
    struct arena arena;
    uint8_t *blocks[1000];
    fake_init(&fake, &fake_models[0]);
    arena_init(&arena, fake_target(&fake));
    ck_assert_uint_eq(fake_memory.allocations, 0);
    for (size_t i = 0; i < 1000; i++) {
        size_t size = i * 7 % 300;
        blocks[i] = arena_alloc(&arena, size, 1);
        ck_assert_ptr_nonnull(blocks[i]);
        ck_assert_uint_eq((uintptr_t) blocks[i] % alignof(max_align_t), 0);
        for (size_t k = 0; k < size; k++)
            ck_assert_uint_eq(blocks[i][k], 0);
        memset(blocks[i], (int) i, size);
    }
    for (size_t i = 0; i < 1000; i++)
        for (size_t k = 0; k < i * 7 % 300; k++)
            ck_assert_uint_eq(blocks[i][k], (uint8_t) i);
    ck_assert_uint_le(fake_memory.allocations, 4);
    arena_deinit(&arena);
    ck_assert_int_eq(fake_memory.live, 0);
    ck_assert_ptr_nonnull(arena_alloc(&arena, 3, 5));
    arena_deinit(&arena);
}
END_TEST

START_TEST(an_arena_keeps_its_chunk_beside_large_blocks)
{
    struct fake fake;
    struct arena arena;
    fake_init(&fake, &fake_models[0]);
    arena_init(&arena, fake_target(&fake));
    for (int i = 0; i < 10; i++) {
        ck_assert_ptr_nonnull(arena_alloc(&arena, 1, 16));
        uint8_t *large = arena_alloc(&arena, 1000, 1000);
        ck_assert_ptr_nonnull(large);
        ck_assert_uint_eq(large[999999], 0);
    }
    ck_assert_uint_eq(fake_memory.allocations, 11);
    arena_deinit(&arena);
}
END_TEST

START_TEST(an_arena_says_when_there_is_no_memory)
{
    struct fake fake;
    struct arena arena;
    fake_init(&fake, &fake_models[0]);
    arena_init(&arena, fake_target(&fake));
    ck_assert_ptr_null(arena_alloc(&arena, SIZE_MAX, 1));
    ck_assert_ptr_null(arena_alloc(&arena, 1, SIZE_MAX));
    ck_assert_ptr_null(arena_alloc(&arena, SIZE_MAX / 2, 3));
    ck_assert_ptr_null(arena_alloc(&arena, SIZE_MAX - 20, 1));
    ck_assert_uint_eq(fake_memory.allocations, 0);
    ck_assert_ptr_nonnull(arena_alloc(&arena, 0, SIZE_MAX));
    ck_assert_ptr_nonnull(arena_alloc(&arena, SIZE_MAX, 0));
    fake_memory.fail = 2;
    ck_assert_ptr_null(arena_alloc(&arena, 1, 100000));
    ck_assert_ptr_nonnull(arena_alloc(&arena, 1, 100));
    arena_deinit(&arena);
}
END_TEST

struct keys {
    const uint32_t *keys;
    size_t calls;
};

static int
by_key(void *context, uint32_t a, uint32_t b)
{
    struct keys *keys = context;
    keys->calls++;
    if (keys->keys[a] != keys->keys[b])
        return keys->keys[a] < keys->keys[b];
    return a < b;
}

// `_i` things, whose keys come in a pattern chosen by the last two bits.
START_TEST(numbers_are_sorted)
{
    enum { MOST = 2000 };
    static uint32_t keys[MOST];
    static uint32_t numbers[MOST];
    size_t count = (size_t) _i / 4;
    uint32_t random = 12345;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t patterns[] = {i, (uint32_t) count - i, random >> 8, random >> 29};
        keys[i] = patterns[_i % 4];
        random = random * 1664525 + 1013904223;
        numbers[i] = i;
    }
    struct keys context = {keys, 0};
    sort_numbers(numbers, count, by_key, &context);
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += numbers[i];
        if (i > 0)
            ck_assert(by_key(&context, numbers[i - 1], numbers[i]));
    }
    ck_assert_uint_eq(sum, count * (count > 0 ? count - 1 : 0) / 2);
    ck_assert_uint_le(context.calls, count * 26);
}
END_TEST

Suite *
suite_basics(void)
{
    Suite *suite = suite_create("basics");
    TCase *tcase = tcase_create("all");
    tcase_add_checked_fixture(tcase, fake_setup, fake_teardown);
    tcase_add_test(tcase, every_status_has_a_text);
    tcase_add_test(tcase, a_trail_grows_to_the_front);
    tcase_add_test(tcase, an_empty_trail_gets_the_status);
    tcase_add_test(tcase, a_trail_quotes_itself);
    tcase_add_loop_test(tcase, a_trail_is_cut_at_the_front, 300, 325);
    tcase_add_loop_test(tcase, a_trail_is_cut_at_the_front, 1015, 1030);
    tcase_add_loop_test(tcase, data_models_are_checked, 0, FAKE_MODELS);
    tcase_add_loop_test(tcase, integers_are_decoded, 0, FAKE_MODELS);
    tcase_add_loop_test(tcase, extreme_integers, 0, FAKE_MODELS);
    tcase_add_test(tcase, an_arena_gives_zeroed_aligned_memory);
    tcase_add_test(tcase, an_arena_keeps_its_chunk_beside_large_blocks);
    tcase_add_test(tcase, an_arena_says_when_there_is_no_memory);
    tcase_add_loop_test(tcase, numbers_are_sorted, 0, 80);
    tcase_add_loop_test(tcase, numbers_are_sorted, 7996, 8000);
    suite_add_tcase(suite, tcase);
    return suite;
}
