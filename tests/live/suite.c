// SPDX-License-Identifier: BSD-3-Clause
// The job of a test case, and the runner of the cases.
#include "suite.h"

#include "paths.h"
#include "run.h"
#include "tests/check_run.h"

struct job suite_job;

static void
stop_job(void)
{
    job_stop(&suite_job);
}

void
suite_expect_none(char *problem)
{
    if (problem != NULL)
        ck_abort_msg("%s", problem);
}

const struct build *
suite_build(int number)
{
    const struct build *build = build_make(number);
    if (build == NULL)
        ck_abort_msg("%s cannot build what these tests run on; see above", path_target_script());
    return build;
}

void
suite_start(const struct scenario *scenario, const struct build *build)
{
    suite_expect_none(job_start(&suite_job, scenario, build));
}

TCase *
suite_new_case(Suite *suite, const char *name)
{
    TCase *ret = tcase_create(name);
    tcase_add_checked_fixture(ret, NULL, stop_job);
    suite_add_tcase(suite, ret);
    return ret;
}

void
suite_add_case(Suite *suite, const char *group, const char *name, const TTest *test, int number)
{
    // Check keeps the name of a case and does not copy it.
    TCase *tcase = suite_new_case(suite, run_text("%s/%s", group, name));
    tcase_add_loop_test(tcase, test, number, number + 1);
}

int
suite_run(Suite *suite)
{
    run_adopt_orphans();
    SRunner *runner = srunner_create(suite);
    // Everything here has a deadline of its own, and the job must be ended whatever happens.
    srunner_set_fork_status(runner, CK_NOFORK);
    int status = check_run(runner);
    run_kill_all();
    return status;
}
