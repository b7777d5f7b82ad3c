// SPDX-License-Identifier: BSD-3-Clause
// Finding the published table, and refusing what cannot be one.
#include "tests/omp/check_omp.h"

static const uint64_t huge = (uint64_t) 1 << 40;

static void
start(unsigned model)
{
    fake_kmp_init(&fake, &omp_models[model], FAKE_FORWARD, FAKE_TABLE);
}

START_TEST(every_order_and_data_model)
{
    unsigned model = (unsigned) _i / FAKE_ORDERS;
    fake_kmp_init(&fake, &omp_models[model], (enum fake_order)(_i % FAKE_ORDERS), FAKE_TABLE);
    struct omp_answers answers = omp_ask();
    ck_assert_int_eq(answers.has, STATUS_OK);
    ck_assert_uint_eq(answers.n_threads, FAKE_WORKERS + 1);
}
END_TEST

// Before and behind the landmark, and across the borders of what is read at once.
START_TEST(every_place)
{
    static const uint64_t places[] = {0x80,   0x4000, 0x5ff8, 0x7000, 0x8090,
                                      0x8ff8, 0x9ca0, 0x9ff0, 0xd000, 0x17000};
    enum fake_order order = _i % 2 ? FAKE_BACKWARD : FAKE_FORWARD;
    fake_kmp_init(&fake, &omp_models[0], order,
                  places[_i / 2] + (places[_i / 2] < 0x400 ? 0x1000 : 0));
    ck_assert_int_eq(omp_ask().has, STATUS_OK);
}
END_TEST

START_TEST(one_huge_value)
{
    start(0);
    fake_kmp_set_entry(&fake, (enum published_entry) _i, huge);
    struct omp_answers answers = omp_ask();
    if (_i == WORD_ompd_state)
        ck_assert_int_eq(answers.has, STATUS_OK);
    else
        ck_assert_int_ne(answers.has, STATUS_OK);
    ck_assert_uint_eq(answers.n_threads, _i == WORD_ompd_state ? FAKE_WORKERS + 1 : 0);
}
END_TEST

START_TEST(one_huge_named_value)
{
    fake_kmp_init(&fake, &omp_models[0], FAKE_NAMED, FAKE_TABLE);
    fake_kmp_set_entry(&fake, (enum published_entry) _i, huge);
    struct omp_answers answers = omp_ask();
    if (_i == WORD_ompd_state)
        return;
    ck_assert_int_ne(answers.has, STATUS_OK);
    ck_assert_str_ne(answers.message, "");
}
END_TEST

// The runtime does not publish the sizes of these structs.
static bool
has_no_limit(int field)
{
    return field == OFFSET_kmp_root_t__r || field == OFFSET_ompt_lw_taskteam_t__parent ||
           field == OFFSET_ompt_lw_taskteam_t__ompt_team_info ||
           field == OFFSET_ompt_lw_taskteam_t__ompt_task_info;
}

// A field that starts within its struct and ends behind it.
START_TEST(offset_past_the_struct)
{
    uint64_t offset = has_no_limit(_i) ? PUBLISHED_STRUCT_MAX : FAKE_OBJECT - 1;
    start(0);
    fake_kmp_set_entry(&fake, (enum published_entry) _i, offset);
    ck_assert_int_ne(omp_ask().has, STATUS_OK);
}
END_TEST

START_TEST(width_zero)
{
    start(0);
    fake_kmp_set_entry(&fake, (enum published_entry)(PUBLISHED_FIELDS + _i), 0);
    ck_assert_int_ne(omp_ask().has, STATUS_OK);
}
END_TEST

// The runtime is stopped while it fills the table: the words at the end come last.
START_TEST(half_written)
{
    start(0);
    for (unsigned i = (unsigned) _i; i < PUBLISHED_ENTRIES; i++)
        fake_kmp_set_entry(&fake, (enum published_entry) i, 0);
    struct omp_answers answers = omp_ask();
    ck_assert_int_ne(answers.has, STATUS_OK);
    ck_assert_str_ne(answers.message, "");
}
END_TEST

START_TEST(two_equal_flags)
{
    start(0);
    fake_kmp_set_entry(&fake, FLAG_started, 8);
    ck_assert_int_ne(omp_ask().has, STATUS_OK);
}
END_TEST

START_TEST(flag_of_two_bits)
{
    start(0);
    fake_kmp_set_entry(&fake, FLAG_native, 0x30000);
    ck_assert_int_ne(omp_ask().has, STATUS_OK);
}
END_TEST

START_TEST(wrong_library_name)
{
    start(0);
    fake.memory[FAKE_TEXTS + 0x40] = 'x';
    fake.memory[FAKE_TEXTS + 0x43] = 'x';
    ck_assert_int_ne(omp_ask().has, STATUS_OK);
}
END_TEST

START_TEST(wrong_settings)
{
    start(0);
    fake.memory[FAKE_TEXTS + 0x80] = 'x';
    ck_assert_int_ne(omp_ask().has, STATUS_OK);
}
END_TEST

static void
wipe(enum fake_order order)
{
    fake_kmp_init(&fake, &omp_models[0], order, FAKE_TABLE);
    for (unsigned i = FAKE_TEXTS; i < FAKE_SIZE; i++)
        fake.memory[i] = 0;
}

START_TEST(not_started)
{
    wipe(_i ? FAKE_NAMED : FAKE_FORWARD);
    struct omp_answers answers = omp_ask();
    ck_assert_int_eq(answers.has, STATUS_UNUSED);
    ck_assert_str_eq(answers.message, "OpenMP not started");
    ck_assert_int_eq(answers.setup, STATUS_UNUSED);
}
END_TEST

START_TEST(no_runtime_is_silent)
{
    wipe(FAKE_FORWARD);
    fake.loaded = false;
    struct omp_answers answers = omp_ask();
    ck_assert_int_eq(answers.has, STATUS_ABSENT);
    ck_assert_str_eq(answers.message, "");
    ck_assert_uint_eq(fake.reads, 0);
}
END_TEST

START_TEST(other_runtime)
{
    wipe(FAKE_FORWARD);
    fake.loaded = false;
    fake.foreign = true;
    struct omp_answers answers = omp_ask();
    ck_assert_int_eq(answers.has, STATUS_ABSENT);
    ck_assert_str_ne(answers.message, "");
}
END_TEST

START_TEST(names_and_numbers)
{
    for (unsigned i = 0; i < PUBLISHED_ENTRIES; i++)
        ck_assert_uint_eq(published_lookup(published_name((enum published_entry) i)), i);
    ck_assert_uint_eq(published_lookup("ompd_nothing"), PUBLISHED_ENTRIES);
    ck_assert_str_eq(published_name(OFFSET_kmp_base_info_t__th_team),
                     "ompd_access__kmp_base_info_t__th_team");
    ck_assert_uint_eq(PUBLISHED_ENTRIES, 149);
}
END_TEST

Suite *
suite_table(void)
{
    Suite *suite = suite_create("published table");
    TCase *found = tcase_create("found");
    tcase_add_loop_test(found, every_order_and_data_model, 0, OMP_MODELS * FAKE_ORDERS);
    tcase_add_loop_test(found, every_place, 0, 20);
    tcase_add_test(found, names_and_numbers);
    suite_add_tcase(suite, found);
    TCase *refused = tcase_create("refused");
    tcase_add_loop_test(refused, one_huge_value, 0, PUBLISHED_ENTRIES);
    tcase_add_loop_test(refused, one_huge_named_value, 0, PUBLISHED_ENTRIES);
    tcase_add_loop_test(refused, offset_past_the_struct, 0, PUBLISHED_FIELDS);
    tcase_add_loop_test(refused, width_zero, 0, PUBLISHED_FIELDS);
    tcase_add_loop_test(refused, half_written, 0, PUBLISHED_ENTRIES - 1);
    tcase_add_test(refused, two_equal_flags);
    tcase_add_test(refused, flag_of_two_bits);
    tcase_add_test(refused, wrong_library_name);
    tcase_add_test(refused, wrong_settings);
    suite_add_tcase(suite, refused);
    TCase *absent = tcase_create("absent");
    tcase_add_loop_test(absent, not_started, 0, 2);
    tcase_add_test(absent, no_runtime_is_silent);
    tcase_add_test(absent, other_runtime);
    suite_add_tcase(suite, absent);
    return suite;
}
