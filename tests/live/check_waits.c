// SPDX-License-Identifier: BSD-3-Clause
// Real jobs in which ranks wait for each other: what mqshow says of the whole job is what the
// programs know of it, live and of cores. Made into one program for each MPI: LIVE_DEVICES are the
// devices whose builds it runs on.
//
// CK_RUN_CASE=stock/cycle-of-3 runs one case; CK_VERBOSITY=verbose lists them all.
#include "compare.h"
#include "cores.h"
#include "paths.h"
#include "suite.h"
#include "tests/check_set.h"
#include "tool.h"
#include "verdict.h"
#include "wait_truth.h"

#include <stdlib.h>

#define STATES .variable = "OMP_DEBUG=enabled"
// Tested on each device of the packages: what is read there in another way. The others differ in
// the verdict only, which is the same for the same queues and stacks: those of one build will do,
// and so do its cores. On targets everything is read as check_live's jobs are: they are for all
// tests.
#define EVERYWHERE .everywhere = true

static const struct scenario scenarios[] = {
    {.name = "sends", .program = "deadlock sends", .ranks = 2, EVERYWHERE},
    {.name = "cycle-of-2", .program = "deadlock receives 2", .ranks = 2},
    {.name = "cycle-of-3", .program = "deadlock receives 3", .ranks = 4},
    {.name = "cycle-large-counts", .program = "deadlock large 3", .ranks = 4},
    {.name = "cycle-of-16", .program = "deadlock receives 16", .ranks = 16},
    {.name = "wrong-tag", .program = "mismatch tag", .ranks = 2, EVERYWHERE},
    {.name = "wrong-communicator", .program = "mismatch communicator", .ranks = 2},
    {.name = "member-computes", .program = "members computing", .ranks = 4},
    {.name = "member-receives", .program = "members receiving", .ranks = 4, EVERYWHERE},
    {.name = "session-barrier", .program = "sessions barrier", .ranks = 4, EVERYWHERE},
    {.name = "members-elsewhere", .program = "members elsewhere", .ranks = 4},
    {.name = "members-apart", .program = "members apart", .ranks = 4},
    {.name = "members-rootless", .program = "members rootless", .ranks = 4, EVERYWHERE},
    {.name = "waitany", .program = "choices waitany", .ranks = 3, EVERYWHERE},
    {.name = "waitany-others", .program = "choices others", .ranks = 3, EVERYWHERE},
    {.name = "waitall", .program = "choices waitall", .ranks = 3},
    {.name = "waitall-O0", .program = "choices_O0 waitall", .ranks = 3},
    {.name = "waitall-O2", .program = "choices_O2 waitall", .ranks = 3, EVERYWHERE},
    {.name = "any-source", .program = "choices any", .ranks = 3},
    {.name = "any-source-of-nobody", .program = "choices nobody", .ranks = 3, EVERYWHERE},
    {.name = "one-computes", .program = "choices computing", .ranks = 3},
    {.name = "critical", .program = "locked critical", .ranks = 2},
    {.name = "critical-states", .program = "locked critical", .ranks = 2, STATES, EVERYWHERE},
    {.name = "unnamed-states", .program = "locked unnamed", .ranks = 2, STATES},
    {.name = "critical-gomp", .program = "locked_gomp critical", .ranks = 2},
    {.name = "barrier", .program = "locked barrier", .ranks = 2},
    {.name = "barrier-states", .program = "locked barrier", .ranks = 2, STATES},
    {.name = "barrier-gomp", .program = "locked_gomp barrier", .ranks = 2, EVERYWHERE},
    {.name = "barrier-computes", .program = "locked computing", .ranks = 2},
    {.name = "barrier-computes-gomp", .program = "locked_gomp computing", .ranks = 2},
};
enum { SCENARIOS = sizeof scenarios / sizeof *scenarios, SETTLE_SECONDS = 300 };

// Looks at a healthy job, and those of all tests.
enum { HEALTHY_LOOKS = 10, HEALTHY_LOOKS_ALL = 100 };

static const struct scenario healthy = {
    .name = "healthy", .program = "healthy", .ranks = 4, EVERYWHERE};

static bool
has_cores(const struct build *build)
{
    return build->is_packaged && (build->device == DEVICE_OB1 || check_set() == ALL_SET);
}

static bool
runs_on(const struct scenario *scenario, const struct build *build)
{
    if (scenario->everywhere)
        return build->is_packaged || check_set() == ALL_SET;
    return has_cores(build) && !check_set_is_quick();
}

static void
start(const struct scenario *scenario, const struct build *build)
{
    suite_start(scenario, build);
    suite_expect_none(wait_truth_contradiction(suite_job.truths));
}

// What is wrong with one look; a false alarm ends the test whatever comes later.
static char *
look_once(const struct command *command, enum verdict_source source)
{
    bool counts = (LIVE_DEVICES & DEVICE_OB1) != 0; // Open MPI counts its messages
    json_t *report = NULL;
    suite_expect_none(tool_run(command, TOOL_SOMETHING, &report));
    suite_expect_none(verdict_false_alarm(suite_job.truths, report));
    char *ret = verdict_compare(suite_job.truths, report, source, counts);
    json_decref(report);
    return ret;
}

// The same of the job's cores, which end it.
static void
expect_the_same_of_cores(void)
{
    struct command command = tool_command(path_dll());
    suite_expect_none(cores_by_kernel(&suite_job));
    cores_add(&command, &suite_job);
    suite_expect_none(look_once(&command, VERDICT_OF_CORES));
}

// Case numbers: the scenarios on the first build, then the same on the next.
START_TEST(says_who_waits_for_whom)
{
    struct command command = tool_command(path_dll());
    const struct scenario *scenario = &scenarios[_i % SCENARIOS];
    const struct build *build = suite_build(_i / SCENARIOS);
    double deadline = run_clock() + SETTLE_SECONDS;
    char *difference;
    start(scenario, build);
    tool_add_ranks(&command, &suite_job);
    if (build->device == DEVICE_OB1)
        suite_expect_none(tool_agree(&command, TOOL_SOMETHING, &suite_job, compare_truth));
    // Some ranks are on their way still.
    while ((difference = look_once(&command, VERDICT_OF_LOOKS)) != NULL && run_clock() < deadline)
        free(difference);
    suite_expect_none(difference);
    if (has_cores(build) && (scenario->everywhere || check_set() == ALL_SET))
        expect_the_same_of_cores();
}
END_TEST

START_TEST(raises_no_false_alarm)
{
    struct command command = tool_command(path_dll());
    const struct build *build = suite_build(_i);
    int looks = (int) check_set_pick(HEALTHY_LOOKS, HEALTHY_LOOKS, HEALTHY_LOOKS_ALL);
    start(&healthy, build);
    tool_add_ranks(&command, &suite_job);
    for (int i = 0; i < looks; i++) {
        json_t *report = NULL;
        suite_expect_none(tool_run(&command, TOOL_SOMETHING, &report));
        suite_expect_none(verdict_false_alarm(suite_job.truths, report));
        json_decref(report);
        run_sleep_ms(random() % 50);
    }
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("waits");
    for (int build = 0; build < BUILDS; build++) {
        const struct build *described = build_describe(build);
        if (!build_is_tested(build, LIVE_DEVICES))
            continue;
        for (int i = 0; i < SCENARIOS; i++)
            if (runs_on(&scenarios[i], described))
                suite_add_case(suite, described->name, scenarios[i].name, says_who_waits_for_whom,
                               build * SCENARIOS + i);
        if (runs_on(&healthy, described))
            suite_add_case(suite, described->name, healthy.name, raises_no_false_alarm, build);
    }
    return suite;
}

int
main(void)
{
    return suite_run(make_suite());
}
