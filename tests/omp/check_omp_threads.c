// SPDX-License-Identifier: BSD-3-Clause
// Reading threads and teams, sane and damaged.
#include "tests/omp/check_omp.h"

#include <stdlib.h>
#include <string.h>

enum {
    TEAM_MEMBERS = MQS_OMP_THREAD_NUM | MQS_OMP_TEAM_SIZE | MQS_OMP_LEVEL | MQS_OMP_ACTIVE_LEVEL,
    IDENTITY = MQS_OMP_TID | MQS_OMP_PTHREAD,
    STATE_FIELD = 0x100 + 0x20
};

static void
start(void)
{
    fake_kmp_init(&fake, &omp_models[0], FAKE_FORWARD, FAKE_TABLE);
}

static void
put_team(taddr team, enum published_entry field, size_t width, uint64_t value)
{
    fake_kmp_put(&fake, fake_kmp_field(team, field), width, value);
}

static void
put_threads_team(unsigned thread, taddr team)
{
    fake_kmp_put(&fake, fake_kmp_field(fake.threads[thread], OFFSET_kmp_base_info_t__th_team),
                 fake.model.pointer_size, team);
}

START_TEST(one_region)
{
    fake_kmp_init(&fake, &omp_models[_i], FAKE_FORWARD, FAKE_TABLE);
    struct omp_answers answers = omp_ask();
    ck_assert_uint_eq(answers.n_threads, FAKE_WORKERS + 1);
    for (unsigned i = 0; i < answers.n_threads; i++) {
        const mqs_omp_thread *thread = &answers.threads[i];
        ck_assert_uint_eq(thread->known, IDENTITY | TEAM_MEMBERS);
        ck_assert_int_eq(thread->tid, 1000 + (int) i);
        ck_assert_uint_eq(thread->pthread, fake.pthreads[i]);
        ck_assert_int_eq(thread->thread_num, (int) i);
        ck_assert_int_eq(thread->team_size, FAKE_WORKERS + 1);
        ck_assert_int_eq(thread->level, 1);
        ck_assert_int_eq(thread->active_level, 1);
        ck_assert_str_eq(thread->note, "needs OMP_DEBUG=enabled");
    }
}
END_TEST

START_TEST(states)
{
    fake_kmp_init(&fake, &omp_models[_i], FAKE_FORWARD, FAKE_TABLE);
    fake_kmp_set_entry(&fake, WORD_ompd_state, 1);
    static const unsigned numbers[] = {0x001, 0x014, 0x203, 0x103};
    for (unsigned i = 0; i < 4; i++)
        fake_kmp_put(&fake, fake.threads[i] + STATE_FIELD, 4, numbers[i]);
    fake_kmp_put(&fake, fake.threads[1] + STATE_FIELD + 8, 8, 0x123456789a);
    struct omp_answers answers = omp_ask();
    ck_assert_str_eq(answers.threads[0].state_name, "work_parallel");
    ck_assert_str_eq(answers.threads[1].state_name, "wait_barrier_explicit");
    ck_assert_uint_eq(answers.threads[1].wait_id, 0x123456789a);
    ck_assert_int_eq(answers.threads[2].state, 0x203);
    ck_assert_str_eq(answers.threads[2].state_name, "");
    ck_assert(!(answers.threads[3].known & (MQS_OMP_STATE | MQS_OMP_WAIT_ID)));
    ck_assert_str_ne(answers.threads[3].note, "");
}
END_TEST

// A tool in the runtime has states kept without OMP_DEBUG; only a waiting thread shows it.
START_TEST(states_for_a_tool)
{
    start();
    fake_kmp_put(&fake, fake.threads[0] + STATE_FIELD, 4, 1);
    ck_assert(!(omp_ask().threads[0].known & MQS_OMP_STATE));
    fake_kmp_put(&fake, fake.threads[2] + STATE_FIELD, 4, 0x13);
    ck_assert_str_eq(omp_ask().threads[2].state_name, "wait_barrier_implicit");
}
END_TEST

START_TEST(region_is_over)
{
    start();
    put_threads_team(0, fake.root_team);
    struct omp_answers answers = omp_ask();
    ck_assert_int_eq(answers.threads[0].team_size, 1);
    ck_assert_int_eq(answers.threads[0].level, 0);
    for (unsigned i = 1; i < answers.n_threads; i++) {
        ck_assert_uint_eq(answers.threads[i].known, IDENTITY | MQS_OMP_STATE);
        ck_assert_str_eq(answers.threads[i].state_name, "idle");
    }
}
END_TEST

START_TEST(in_the_pool)
{
    start();
    put_threads_team(2, 0);
    ck_assert_str_eq(omp_ask().threads[2].state_name, "idle");
}
END_TEST

// Nothing of the kind may hang, crash, or be shown as if it were true.
START_TEST(team_makes_no_sense)
{
    start();
    switch (_i) {
    case 0: // a thread that is its team
        put_threads_team(2, fake.threads[2]);
        break;
    case 1:
        put_threads_team(2, 0xfffffffffffffff8U);
        break;
    case 2:
        put_threads_team(2, 7);
        break;
    case 3: // a number that the team does not give to it
        fake_kmp_put(&fake, fake_kmp_tid_field(fake.threads[2]), 4, 1);
        break;
    case 4:
        fake_kmp_put(&fake, fake_kmp_tid_field(fake.threads[2]), 4, 99);
        break;
    default: // the team encloses itself, and its master is not in it
        put_team(fake.root_team, OFFSET_kmp_base_team_t__t_parent, 8, fake.root_team);
        put_threads_team(0, fake.root_team);
        break;
    }
    struct omp_answers answers = omp_ask();
    ck_assert_uint_eq(answers.n_threads, FAKE_WORKERS + 1);
    ck_assert(!(answers.threads[2].known & TEAM_MEMBERS));
    ck_assert_str_eq(answers.threads[2].note, "its team makes no sense");
}
END_TEST

// The one team that knows the threads is damaged: they are not recognised any more.
START_TEST(only_team_makes_no_sense)
{
    start();
    static const struct {
        enum published_entry field;
        size_t width;
        uint64_t value;
    } damage[] = {
        {OFFSET_kmp_base_team_t__t_nproc, 4, 0},
        {OFFSET_kmp_base_team_t__t_nproc, 4, 0x7fffffff},
        {OFFSET_kmp_base_team_t__t_nproc, 4, 0xffffffff},
        {OFFSET_kmp_base_team_t__t_level, 4, 0x7fffffff},
        {OFFSET_kmp_base_team_t__t_active_level, 4, 5},
        {OFFSET_kmp_base_team_t__t_threads, 8, 0},
        {OFFSET_kmp_base_team_t__t_threads, 8, 0x7ffffffffff0},
    };
    put_team(fake.team, damage[_i].field, damage[_i].width, damage[_i].value);
    struct omp_answers answers = omp_ask();
    ck_assert_int_ne(answers.has, STATUS_OK);
    ck_assert_str_ne(answers.message, "");
}
END_TEST

// The same thread everywhere counts once.
START_TEST(every_place_the_same)
{
    start();
    for (unsigned i = 12; i < FAKE_CAPACITY; i++)
        fake_kmp_put(&fake, fake_kmp_place(&fake, i), 8, fake.threads[1]);
    struct omp_answers answers = omp_ask();
    ck_assert_uint_le(answers.n_threads, FAKE_WORKERS + 1);
}
END_TEST

START_TEST(one_bad_place)
{
    static const uint64_t values[] = {1, 0x1000, 0x7ffffffffff0, 0xfffffffffffffff8U};
    start();
    fake_kmp_put(&fake, fake_kmp_place(&fake, 20), 8, values[_i]);
    struct omp_answers answers = omp_ask();
    ck_assert_uint_eq(answers.n_threads, FAKE_WORKERS + 1);
    ck_assert_uint_ge(answers.n_notes, 1);
}
END_TEST

// Without the second array's pointer, the length of the first is not known.
START_TEST(unknown_capacity)
{
    static const uint64_t values[] = {0, 0x7ffffffffff0, 0xfffffffffffffff8U};
    start();
    fake_kmp_put(&fake, FAKE_BASE + FAKE_POOL - 0x40, 8, values[_i]);
    ck_assert_uint_eq(omp_ask().n_threads, FAKE_WORKERS + 1);
}
END_TEST

// The array's pointer is elsewhere near the landmark.
START_TEST(array_elsewhere)
{
    start();
    taddr usual = FAKE_BASE + FAKE_POOL - 0x48, other = FAKE_BASE + FAKE_POOL + 0x120;
    memcpy(fake.memory + (other - FAKE_BASE), fake.memory + (usual - FAKE_BASE), 16);
    memset(fake.memory + (usual - FAKE_BASE), _i ? 0x11 : 0, 16);
    ck_assert_uint_eq(omp_ask().n_threads, FAKE_WORKERS + 1);
}
END_TEST

START_TEST(has_ended)
{
    start();
    memset(fake.memory + (FAKE_POOL - 0x48), 0, 16);
    struct omp_answers answers = omp_ask();
    ck_assert_int_eq(answers.has, STATUS_ABSENT);
    ck_assert_str_eq(answers.message, "OpenMP has ended");
}
END_TEST

START_TEST(thread_of_no_c_library)
{
    start();
    memset(fake.memory + (fake.pthreads[3] - FAKE_BASE), 0, FAKE_OBJECT);
    struct omp_answers answers = omp_ask();
    ck_assert_uint_eq(answers.n_threads, FAKE_WORKERS + 1);
    ck_assert(!(answers.threads[3].known & MQS_OMP_TID));
}
END_TEST

START_TEST(every_read_fails_once)
{
    start();
    omp_ask();
    unsigned reads = fake.reads;
    for (unsigned i = 1; i <= reads; i++) {
        start();
        fake.fail_read = i;
        struct omp_answers answers = omp_ask();
        ck_assert(answers.has != STATUS_OK || answers.n_threads <= FAKE_WORKERS + 1);
        ck_assert(answers.has == STATUS_OK || answers.message[0] != '\0');
    }
}
END_TEST

START_TEST(every_allocation_fails_once)
{
    start();
    omp_ask();
    unsigned allocs = fake_allocs;
    for (unsigned i = 1; i <= allocs; i++) {
        start();
        fake.fail_alloc = i;
        omp_ask();
    }
}
END_TEST

static void
use_library(void)
{
    setenv("MQS_OMPD_LIBRARY", omp_real_library(), 1);
}

static void
use_none(void)
{
    unsetenv("MQS_OMPD_LIBRARY");
}

static TCase *
sane(const char *name)
{
    TCase *cases = tcase_create(name);
    tcase_add_loop_test(cases, one_region, 0, OMP_MODELS);
    tcase_add_loop_test(cases, states, 0, OMP_MODELS);
    tcase_add_test(cases, states_for_a_tool);
    tcase_add_test(cases, region_is_over);
    tcase_add_test(cases, in_the_pool);
    tcase_add_test(cases, has_ended);
    tcase_add_loop_test(cases, unknown_capacity, 0, 3);
    tcase_add_loop_test(cases, array_elsewhere, 0, 2);
    return cases;
}

static TCase *
damaged(const char *name)
{
    TCase *cases = tcase_create(name);
    tcase_set_timeout(cases, 60);
    tcase_add_loop_test(cases, team_makes_no_sense, 0, 6);
    tcase_add_loop_test(cases, only_team_makes_no_sense, 0, 7);
    tcase_add_test(cases, every_place_the_same);
    tcase_add_loop_test(cases, one_bad_place, 0, 4);
    tcase_add_test(cases, thread_of_no_c_library);
    tcase_add_test(cases, every_read_fails_once);
    tcase_add_test(cases, every_allocation_fails_once);
    return cases;
}

// All of it by the native reader alone, and with an OMPD library beside it.
Suite *
suite_threads(void)
{
    Suite *suite = suite_create("threads");
    suite_add_tcase(suite, sane("sane"));
    suite_add_tcase(suite, damaged("damaged"));
    TCase *with_library[] = {sane("sane, with the library"), damaged("damaged, with the library")};
    for (unsigned i = 0; i < 2; i++) {
        tcase_add_checked_fixture(with_library[i], use_library, use_none);
        suite_add_tcase(suite, with_library[i]);
    }
    return suite;
}
