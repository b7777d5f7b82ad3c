// SPDX-License-Identifier: BSD-3-Clause
// Layouts that are built in: a process confirms its own, and none that it does not have.
#include "tests/omp/check_omp.h"

#include "ompd-bridge/llvm/builtin.h"

#include <string.h>

static struct published layout;

static void
start_with(const struct datamodel *model)
{
    struct inferior inf = {.model = omp_models[0]};
    ck_assert(builtin_layout(&inf, 0, &layout));
    fake_kmp_init_builtin(&fake, model, &layout);
    for (unsigned i = 0; i <= FAKE_WORKERS; i++)
        fake_kmp_put(&fake,
                     fake_kmp_icv_field(fake.tasks[i], OFFSET_kmp_internal_control_t__thread_limit),
                     4, 50);
}

static void
start(void)
{
    start_with(&omp_models[0]);
}

START_TEST(threads_confirm)
{
    start();
    struct omp_answers answers = omp_ask();
    ck_assert_int_eq(answers.has, STATUS_OK);
    ck_assert_uint_eq(answers.n_threads, FAKE_WORKERS + 1);
    for (unsigned i = 0; i < answers.n_threads; i++) {
        ck_assert_int_eq(answers.threads[i].tid, 1000 + (int) i);
        ck_assert_int_eq(answers.threads[i].thread_num, (int) i);
        ck_assert_int_eq(answers.threads[i].team_size, FAKE_WORKERS + 1);
        ck_assert(!(answers.threads[i].known & MQS_OMP_STATE));
        ck_assert_str_eq(answers.threads[i].note, "");
    }
}
END_TEST

static void
check_refused(void)
{
    struct omp_answers answers = omp_ask();
    ck_assert_int_eq(answers.has, STATUS_ABSENT);
    ck_assert_uint_eq(answers.n_threads, 0);
    ck_assert_ptr_nonnull(strstr(answers.message, "publishes no table of its structs"));
}

// Of tasks and threads: a member that is elsewhere in another release reads as something else.
static const struct {
    enum published_entry field;
    uint64_t value;
} of_tasks[] =
    {
        {OFFSET_kmp_taskdata_t__td_team, 0},
        {OFFSET_kmp_taskdata_t__td_team, FAKE_BASE + FAKE_OBJECTS},
        {OFFSET_kmp_taskdata_t__td_flags, 0},
        {OFFSET_kmp_taskdata_t__td_flags, UINT32_MAX},
},
  of_threads[] = {
      {OFFSET_kmp_base_info_t__th_current_task, 0},
      {OFFSET_kmp_base_info_t__th_current_task, 1},
      {OFFSET_kmp_base_info_t__th_current_task, FAKE_BASE + FAKE_OBJECTS},
      {OFFSET_kmp_base_info_t__th_team, FAKE_BASE + FAKE_OBJECTS},
};
enum {
    OF_TASKS = sizeof of_tasks / sizeof *of_tasks,
    OF_THREADS = sizeof of_threads / sizeof *of_threads
};

START_TEST(tasks_refute)
{
    start();
    for (unsigned i = 0; i <= FAKE_WORKERS; i++)
        fake_kmp_put(&fake, fake_kmp_field(fake.tasks[i], of_tasks[_i].field),
                     layout.values[of_tasks[_i].field + PUBLISHED_FIELDS], of_tasks[_i].value);
    check_refused();
}
END_TEST

START_TEST(threads_refute)
{
    start();
    for (unsigned i = 0; i <= FAKE_WORKERS; i++)
        fake_kmp_put(&fake, fake_kmp_field(fake.threads[i], of_threads[_i].field), 8,
                     of_threads[_i].value);
    check_refused();
}
END_TEST

START_TEST(variables_refute)
{
    static const enum published_entry fields[] = {
        OFFSET_kmp_internal_control_t__nproc, OFFSET_kmp_internal_control_t__thread_limit,
        OFFSET_kmp_internal_control_t__max_active_levels, OFFSET_kmp_internal_control_t__proc_bind};
    start();
    for (unsigned i = 0; i <= FAKE_WORKERS; i++)
        fake_kmp_put(&fake, fake_kmp_icv_field(fake.tasks[i], fields[_i]), 4, UINT32_MAX);
    check_refused();
}
END_TEST

START_TEST(team_without_function_refutes)
{
    start();
    omp_put_team(fake.team, OFFSET_kmp_base_team_t__t_pkfn, 8, 0);
    check_refused();
}
END_TEST

START_TEST(c_library_refutes)
{
    start();
    for (unsigned i = 0; i <= FAKE_WORKERS; i++)
        memset(fake.memory + (fake.pthreads[i] - FAKE_BASE), 0, FAKE_OBJECT);
    check_refused();
}
END_TEST

// Layouts are those of 8-byte pointers.
START_TEST(other_models_are_refused)
{
    start_with(&omp_models[2 + _i]);
    ck_assert_int_ne(omp_ask().has, STATUS_OK);
}
END_TEST

START_TEST(every_read_fails)
{
    start();
    omp_ask();
    unsigned reads = fake.reads;
    for (unsigned i = 1; i <= reads; i++) {
        start();
        fake.fail_read = i;
        fake.fail_all_reads = _i == 1;
        struct omp_answers answers = omp_ask();
        ck_assert(answers.has != STATUS_OK || answers.n_threads <= FAKE_WORKERS + 1);
        ck_assert(answers.has == STATUS_OK || answers.message[0] != '\0');
    }
}
END_TEST

Suite *
suite_builtin(void)
{
    Suite *suite = suite_create("built-in layouts");
    TCase *cases = tcase_create("confirmed or not");
    tcase_set_timeout(cases, 600);
    tcase_add_test(cases, threads_confirm);
    tcase_add_loop_test(cases, tasks_refute, 0, OF_TASKS);
    tcase_add_loop_test(cases, threads_refute, 0, OF_THREADS);
    tcase_add_loop_test(cases, variables_refute, 0, 4);
    tcase_add_test(cases, team_without_function_refutes);
    tcase_add_test(cases, c_library_refutes);
    tcase_add_loop_test(cases, other_models_are_refused, 0, 2);
    tcase_add_loop_test(cases, every_read_fails, 0, 2);
    suite_add_tcase(suite, cases);
    return suite;
}
