// SPDX-License-Identifier: BSD-3-Clause
// Threads and teams that are invalid: nothing may hang, crash, leak, or be shown as if it were
// true.
#include "tests/omp/check_omp.h"

#include <string.h>

enum {
    TEAM_MEMBERS = MQS_OMP_THREAD_NUM | MQS_OMP_TEAM_SIZE | MQS_OMP_LEVEL | MQS_OMP_ACTIVE_LEVEL,
};

START_TEST(team_makes_no_sense)
{
    omp_start();
    switch (_i) {
    case 0: // a thread that is its team
        omp_put_threads_team(2, fake.threads[2]);
        break;
    case 1:
        omp_put_threads_team(2, 0xfffffffffffffff8U);
        break;
    case 2:
        omp_put_threads_team(2, 7);
        break;
    case 3: // a number that the team does not give to it
        fake_kmp_put(&fake, fake_kmp_tid_field(fake.threads[2]), 4, 1);
        break;
    case 4:
        fake_kmp_put(&fake, fake_kmp_tid_field(fake.threads[2]), 4, 99);
        break;
    default: // the team encloses itself, and its master is not in it
        omp_put_team(fake.root_team, OFFSET_kmp_base_team_t__t_parent, 8, fake.root_team);
        omp_put_threads_team(0, fake.root_team);
        break;
    }
    struct omp_answers answers = omp_ask();
    ck_assert_uint_eq(answers.n_threads, FAKE_WORKERS + 1);
    ck_assert(!(answers.threads[2].known & TEAM_MEMBERS));
    ck_assert_str_eq(answers.threads[2].note, "its team is invalid");
}
END_TEST

// The one team that knows the threads is damaged: they are not recognised any more.
START_TEST(only_team_makes_no_sense)
{
    omp_start();
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
    omp_put_team(fake.team, damage[_i].field, damage[_i].width, damage[_i].value);
    struct omp_answers answers = omp_ask();
    ck_assert_int_ne(answers.has, STATUS_OK);
    ck_assert_str_ne(answers.message, "");
}
END_TEST

// The same thread everywhere counts once.
START_TEST(every_place_the_same)
{
    omp_start();
    for (unsigned i = 12; i < FAKE_CAPACITY; i++)
        fake_kmp_put(&fake, fake_kmp_place(&fake, i), 8, fake.threads[1]);
    struct omp_answers answers = omp_ask();
    ck_assert_uint_le(answers.n_threads, FAKE_WORKERS + 1);
}
END_TEST

START_TEST(one_bad_place)
{
    static const uint64_t values[] = {1, 0x1000, 0x7ffffffffff0, 0xfffffffffffffff8U};
    omp_start();
    fake_kmp_put(&fake, fake_kmp_place(&fake, 20), 8, values[_i]);
    struct omp_answers answers = omp_ask();
    ck_assert_uint_eq(answers.n_threads, FAKE_WORKERS + 1);
    ck_assert_uint_ge(answers.n_notes, 1);
    ck_assert_int_ne(answers.tail, STATUS_END);
}
END_TEST

START_TEST(thread_of_no_c_library)
{
    omp_start();
    memset(fake.memory + (fake.pthreads[3] - FAKE_BASE), 0, FAKE_OBJECT);
    struct omp_answers answers = omp_ask();
    ck_assert_uint_eq(answers.n_threads, FAKE_WORKERS + 1);
    ck_assert(!(answers.threads[3].known & MQS_OMP_TID));
}
END_TEST

START_TEST(every_read_fails_once)
{
    omp_start();
    omp_ask();
    unsigned reads = fake.reads;
    for (unsigned i = 1; i <= reads; i++) {
        omp_start();
        fake.fail_read = i;
        struct omp_answers answers = omp_ask();
        ck_assert(answers.has != STATUS_OK || answers.n_threads <= FAKE_WORKERS + 1);
        ck_assert(answers.has == STATUS_OK || answers.message[0] != '\0');
    }
}
END_TEST

START_TEST(every_allocation_fails_once)
{
    omp_start();
    omp_ask();
    unsigned allocs = fake_allocs;
    for (unsigned i = 1; i <= allocs; i++) {
        omp_start();
        fake.fail_alloc = i;
        omp_ask();
    }
}
END_TEST

TCase *
omp_damaged(const char *name)
{
    TCase *cases = tcase_create(name);
    tcase_set_timeout(cases, 600);
    tcase_add_loop_test(cases, team_makes_no_sense, 0, 6);
    tcase_add_loop_test(cases, only_team_makes_no_sense, 0, 7);
    tcase_add_test(cases, every_place_the_same);
    tcase_add_loop_test(cases, one_bad_place, 0, 4);
    tcase_add_test(cases, thread_of_no_c_library);
    tcase_add_test(cases, every_read_fails_once);
    tcase_add_test(cases, every_allocation_fails_once);
    return cases;
}
