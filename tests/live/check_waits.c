// SPDX-License-Identifier: BSD-3-Clause
// Real jobs in which ranks wait for each other: what mqshow says of the whole job is what the
// programs know of it. Made into one program for each MPI: LIVE_DEVICES are the devices whose
// builds it runs on.
//
// CK_RUN_CASE=stock/cycle-of-3 runs one case; CK_VERBOSITY=verbose lists them all.
#include "compare.h"
#include "paths.h"
#include "tool.h"
#include "wait_truth.h"

#include <check.h>
#include <stdlib.h>

#define STATES .variable = "OMP_DEBUG=enabled"

static const struct scenario scenarios[] = {
    {.name = "sends", .program = "deadlock sends", .ranks = 2},
    {.name = "cycle-of-2", .program = "deadlock receives 2", .ranks = 2},
    {.name = "cycle-of-3", .program = "deadlock receives 3", .ranks = 4},
    {.name = "cycle-of-16", .program = "deadlock receives 16", .ranks = 16},
    {.name = "wrong-tag", .program = "mismatch tag", .ranks = 2},
    {.name = "wrong-communicator", .program = "mismatch communicator", .ranks = 2},
    {.name = "member-computes", .program = "members computing", .ranks = 4},
    {.name = "member-receives", .program = "members receiving", .ranks = 4},
    {.name = "members-elsewhere", .program = "members elsewhere", .ranks = 4},
    {.name = "waitany", .program = "choices waitany", .ranks = 3},
    {.name = "waitall", .program = "choices waitall", .ranks = 3},
    {.name = "any-source", .program = "choices any", .ranks = 3},
    {.name = "any-source-of-nobody", .program = "choices nobody", .ranks = 3},
    {.name = "one-computes", .program = "choices computing", .ranks = 3},
    {.name = "critical", .program = "locked critical", .ranks = 2},
    {.name = "critical-states", .program = "locked critical", .ranks = 2, STATES},
    {.name = "critical-gomp", .program = "locked_gomp critical", .ranks = 2},
    {.name = "barrier", .program = "locked barrier", .ranks = 2},
    {.name = "barrier-states", .program = "locked barrier", .ranks = 2, STATES},
    {.name = "barrier-gomp", .program = "locked_gomp barrier", .ranks = 2},
    {.name = "barrier-computes", .program = "locked computing", .ranks = 2},
    {.name = "barrier-computes-gomp", .program = "locked_gomp computing", .ranks = 2},
};
enum { SCENARIOS = sizeof scenarios / sizeof *scenarios };

static struct job job;

static void
stop_job(void)
{
    job_stop(&job);
}

static void
expect_none(char *problem)
{
    if (problem != NULL)
        ck_abort_msg("%s", problem);
}

static void
start(const struct scenario *scenario, const struct build *build)
{
    if (build == NULL)
        ck_abort_msg("%s cannot build what these tests run on; see above", path_target_script());
    expect_none(job_start(&job, scenario, build));
    expect_none(wait_truth_contradiction(job.truths));
}

// Case numbers: the scenarios on the first build, then the same on the next.
START_TEST(knows_the_queues)
{
    struct command command = tool_command(path_dll());
    const struct build *build = build_make(_i / SCENARIOS);
    start(&scenarios[_i % SCENARIOS], build);
    tool_add_ranks(&command, &job);
    if (build->device == DEVICE_OB1)
        expect_none(tool_agree(&command, TOOL_SOMETHING, &job, compare_truth));
}
END_TEST

static void
add_case(Suite *suite, const char *build, const char *name, const TTest *test, int number)
{
    // Check keeps the name of a case and does not copy it.
    TCase *tcase = tcase_create(run_text("%s/%s", build, name));
    tcase_add_checked_fixture(tcase, NULL, stop_job);
    tcase_add_loop_test(tcase, test, number, number + 1);
    suite_add_tcase(suite, tcase);
}

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("waits");
    for (int build = 0; build < BUILDS; build++) {
        const struct build *described = build_describe(build);
        if ((described->device & LIVE_DEVICES) == 0)
            continue;
        for (int i = 0; i < SCENARIOS; i++)
            add_case(suite, described->name, scenarios[i].name, knows_the_queues,
                     build * SCENARIOS + i);
    }
    return suite;
}

int
main(void)
{
    run_adopt_orphans();
    SRunner *runner = srunner_create(make_suite());
    // Everything here has a deadline of its own, and the job must be ended whatever happens.
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    run_kill_all();
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
