// SPDX-License-Identifier: BSD-3-Clause
// Reading threads and teams, sane and damaged.
#include "tests/omp/check_omp.h"

#include <stdlib.h>
#include <string.h>

enum {
    TEAM_MEMBERS = MQS_OMP_THREAD_NUM | MQS_OMP_TEAM_SIZE | MQS_OMP_LEVEL | MQS_OMP_ACTIVE_LEVEL,
    IDENTITY = MQS_OMP_TID | MQS_OMP_PTHREAD | MQS_OMP_REGION | MQS_OMP_TASK,
    STATE_FIELD = 0x100 + 0x20
};

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
    omp_start();
    fake_kmp_put(&fake, fake.threads[0] + STATE_FIELD, 4, 1);
    ck_assert(!(omp_ask().threads[0].known & MQS_OMP_STATE));
    fake_kmp_put(&fake, fake.threads[2] + STATE_FIELD, 4, 0x13);
    ck_assert_str_eq(omp_ask().threads[2].state_name, "wait_barrier_implicit");
}
END_TEST

START_TEST(region_is_over)
{
    omp_start();
    omp_put_threads_team(0, fake.root_team);
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
    omp_start();
    omp_put_threads_team(2, 0);
    ck_assert_str_eq(omp_ask().threads[2].state_name, "idle");
}
END_TEST

// Without the second array's pointer, the length of the first is not known.
START_TEST(unknown_capacity)
{
    static const uint64_t values[] = {0, 0x7ffffffffff0, 0xfffffffffffffff8U};
    omp_start();
    fake_kmp_put(&fake, FAKE_BASE + FAKE_POOL - 0x40, 8, values[_i]);
    ck_assert_uint_eq(omp_ask().n_threads, FAKE_WORKERS + 1);
}
END_TEST

// The array's pointer is elsewhere near the landmark.
START_TEST(array_elsewhere)
{
    omp_start();
    taddr usual = FAKE_BASE + FAKE_POOL - 0x48, other = FAKE_BASE + FAKE_POOL + 0x120;
    memcpy(fake.memory + (other - FAKE_BASE), fake.memory + (usual - FAKE_BASE), 16);
    memset(fake.memory + (usual - FAKE_BASE), _i ? 0x11 : 0, 16);
    ck_assert_uint_eq(omp_ask().n_threads, FAKE_WORKERS + 1);
}
END_TEST

START_TEST(has_ended)
{
    omp_start();
    memset(fake.memory + (FAKE_POOL - 0x48), 0, 16);
    struct omp_answers answers = omp_ask();
    ck_assert_int_eq(answers.has, STATUS_UNUSED);
    ck_assert_str_eq(answers.message, "OpenMP has ended");
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

// All of it by the native reader alone, and with an OMPD library beside it.
Suite *
suite_threads(void)
{
    Suite *suite = suite_create("threads");
    suite_add_tcase(suite, sane("sane"));
    suite_add_tcase(suite, omp_damaged("damaged"));
    TCase *with_library[] = {sane("sane, with the library"),
                             omp_damaged("damaged, with the library")};
    for (unsigned i = 0; i < 2; i++) {
        tcase_add_checked_fixture(with_library[i], use_library, use_none);
        suite_add_tcase(suite, with_library[i]);
    }
    return suite;
}
