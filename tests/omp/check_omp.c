// SPDX-License-Identifier: BSD-3-Clause
// Runs the unit tests of the OpenMP side on made-up processes.
#include "tests/omp/check_omp.h"

#include "tests/check_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct datamodel omp_models[OMP_MODELS] = {
    {false, 2, 4, 8, 8, 8, 1, 8},
    {true, 2, 4, 8, 8, 8, 1, 8},
    {false, 2, 4, 4, 8, 4, 1, 4},
    {true, 2, 4, 4, 8, 4, 1, 4},
};

struct fake_kmp fake;

static void
take_threads(struct omp_session *omp, struct omp_answers *ret)
{
    mqs_omp_thread thread;
    while ((ret->tail = omp_session_next_thread(omp, &thread)) == STATUS_OK) {
        ck_assert_uint_lt(ret->n_threads, sizeof(ret->threads) / sizeof(ret->threads[0]));
        ret->threads[ret->n_threads++] = thread;
    }
    ck_assert_int_eq(omp_session_next_thread(omp, &thread), STATUS_END);
}

enum { MOST = 1000 }; // of anything in a made-up process

// Goes through regions, tasks and control variables, whatever they are.
static void
ask_for_the_rest(struct omp_session *omp, unsigned n_threads)
{
    mqs_omp_region region;
    mqs_omp_task task;
    mqs_omp_icv icv;
    const char *text;
    unsigned count = 0;
    for (int i = MQS_OMP_ALL; i < (int) n_threads; i++)
        if (omp_session_setup_region_iterator(omp, i) == STATUS_OK)
            while (omp_session_next_region(omp, &region) == STATUS_OK)
                ck_assert_uint_lt(count++, MOST);
    for (int which = MQS_OMP_ALL_TASKS; which <= MQS_OMP_TASKS_OF_REGION; which++)
        if (omp_session_setup_task_iterator(omp, which, 0) == STATUS_OK)
            while (omp_session_next_task(omp, &task) == STATUS_OK)
                ck_assert_uint_lt(count++, MOST);
    for (int scope = MQS_OMP_OF_PROCESS; scope <= MQS_OMP_OF_TASK; scope++)
        if (omp_session_setup_icv_iterator(omp, scope, 0) == STATUS_OK)
            while (omp_session_next_icv(omp, &icv) == STATUS_OK)
                ck_assert_uint_lt(count++, MOST);
    for (unsigned i = 0; omp_session_control_var(omp, i, &text) == STATUS_OK; i++)
        ck_assert_uint_lt(count++, MOST);
}

static void
ask_process(struct omp_session *omp, struct omp_answers *ret)
{
    const char *message;
    mqs_omp_info info;
    mqs_omp_thread thread;
    ck_assert_int_eq(omp_session_next_thread(omp, &thread), STATUS_MISUSE);
    ret->has = omp_session_has_openmp(omp, &message);
    snprintf(ret->message, sizeof(ret->message), "%s", message ? message : "");
    enum status status = omp_session_get_info(omp, &info);
    ck_assert(status == STATUS_OK || ret->has != STATUS_OK || fake.fail_read || fake.fail_alloc);
    ret->setup = omp_session_setup_thread_iterator(omp);
    if (ret->setup == STATUS_OK)
        take_threads(omp, ret);
    ask_for_the_rest(omp, ret->n_threads);
    while (omp_session_message(omp, ret->n_notes))
        ret->n_notes++;
}

struct omp_answers
omp_ask(void)
{
    struct omp_answers ret = {.has = STATUS_NOMEM, .setup = STATUS_NOMEM};
    struct inferior inf;
    struct omp_session *omp = NULL;
    if (inferior_init(&inf, fake_kmp_target(&fake)) == STATUS_OK)
        omp = omp_session_create(&inf);
    if (omp)
        ask_process(omp, &ret);
    omp_session_destroy(omp);
    inferior_deinit(&inf);
    ck_assert_int_eq(fake_live, 0);
    return ret;
}

void
omp_start(void)
{
    fake_kmp_init(&fake, &omp_models[0], FAKE_FORWARD, FAKE_TABLE);
}

void
omp_put_team(taddr team, enum published_entry field, size_t width, uint64_t value)
{
    fake_kmp_put(&fake, fake_kmp_field(team, field), width, value);
}

void
omp_put_threads_team(unsigned thread, taddr team)
{
    fake_kmp_put(&fake, fake_kmp_field(fake.threads[thread], OFFSET_kmp_base_info_t__th_team),
                 fake.model.pointer_size, team);
}

const char *
omp_real_library(void)
{
    ck_assert_msg(access(OMPD, R_OK) == 0, "no libompd.so: install libomp-dev");
    return OMPD;
}

int
main(void)
{
    unsetenv("MQS_OMPD_LIBRARY");
    setenv("MQS_OMPD_UNKNOWN_RUNTIME", "1", 1); // made-up runtimes are of no release
    SRunner *runner = srunner_create(suite_table());
    srunner_add_suite(runner, suite_native());
    srunner_add_suite(runner, suite_builtin());
    srunner_add_suite(runner, suite_intel());
    srunner_add_suite(runner, suite_nptl());
    srunner_add_suite(runner, suite_threads());
    srunner_add_suite(runner, suite_trust());
    return check_run(runner);
}
