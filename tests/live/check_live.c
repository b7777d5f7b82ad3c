// SPDX-License-Identifier: BSD-3-Clause
// Real jobs: what mqshow reports with our DLL is what the programs know of themselves.
//
// CK_RUN_CASE=stock/wildcards runs one case; CK_VERBOSITY=verbose lists them all.
#include "aftermath.h"
#include "compare.h"
#include "paths.h"
#include "scenarios.h"
#include "tool.h"

#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

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

static const struct build *
get_build(bool debug)
{
    const struct build *build = debug ? build_debug() : build_stock();
    if (build == NULL)
        ck_abort_msg("%s cannot build what these tests run on; see above", path_target_script());
    return build;
}

static pid_t
pid_of(const json_t *truth)
{
    return (pid_t) json_integer_value(json_object_get(truth, "pid"));
}

static void
expect_all_run(void)
{
    size_t i;
    json_t *truth;
    json_array_foreach (job.truths, i, truth) {
        expect_none(aftermath_stopped(pid_of(truth)));
        expect_none(aftermath_idle(pid_of(truth)));
    }
}

// The built-in layout must tell the same as the debug information. The processes may move between
// two looks, so that one look that agrees is enough.
static void
expect_same_by_builtin(const struct command *command)
{
    struct command forced = *command;
    char *difference = NULL;
    command_add(&forced, "--layout", "built-in", NULL);
    for (int tries = 0; tries < 10; tries++) {
        json_t *first = NULL, *second = NULL;
        expect_none(tool_run(command, TOOL_SOMETHING, &first));
        expect_none(tool_run(&forced, TOOL_SOMETHING, &second));
        free(difference);
        difference = compare_reports(first, second);
        json_decref(second);
        json_decref(first);
        if (difference == NULL)
            return;
    }
    expect_none(difference);
}

// Case numbers: the scenarios on the stock packages, then the same on the debug builds.
START_TEST(agrees_with_the_program)
{
    const struct scenario *scenario = &scenarios[_i % scenario_count];
    const struct build *build = get_build(_i >= scenario_count);
    struct command command = tool_command(path_dll());
    expect_none(job_start(&job, scenario, build));
    tool_add_ranks(&command, &job);
    if (scenario->other_pml == NULL)
        expect_none(tool_agree(&command, TOOL_ALL, &job, compare_truth));
    else
        expect_none(tool_agree(&command, TOOL_SOMETHING, &job, compare_communicators));
    if (build->has_debug_info)
        expect_same_by_builtin(&command);
    expect_all_run();
}
END_TEST

static bool
is_said(const json_t *messages, const char *word)
{
    size_t i;
    json_t *message;
    json_array_foreach (messages, i, message) {
        if (strstr(json_string_value(message), word) != NULL)
            return true;
    }
    return false;
}

// Where the queues cannot be seen, an empty one would be a lie.
static void
expect_queues_unknown(const json_t *process, const char *pml)
{
    size_t i;
    json_t *comm;
    ck_assert_msg(is_said(json_object_get(process, "messages"), pml),
                  "no message says that PML %s keeps the queues", pml);
    json_array_foreach (json_object_get(process, "communicators"), i, comm) {
        ck_assert_ptr_null(json_object_get(comm, "receives"));
        ck_assert_ptr_null(json_object_get(comm, "unexpected"));
    }
}

START_TEST(says_what_another_pml_hides)
{
    const struct scenario *scenario = &scenarios[_i % scenario_count];
    struct command command = tool_command(path_dll());
    size_t i;
    json_t *truth, *report = NULL;
    expect_none(job_start(&job, scenario, get_build(_i >= scenario_count)));
    tool_add_ranks(&command, &job);
    expect_none(tool_run(&command, TOOL_SOMETHING, &report));
    json_array_foreach (job.truths, i, truth)
        expect_queues_unknown(compare_find_process(report, pid_of(truth)), scenario->other_pml);
    json_decref(report);
}
END_TEST

static const struct scenario demo = {.name = "job", .program = "hybrid", .ranks = 4};

START_TEST(finds_the_ranks_of_a_job)
{
    struct command command = tool_command(path_dll());
    expect_none(job_start(&job, &demo, get_build(_i == 1)));
    char *mpirun = run_text("%d", (int) job.mpirun);
    command_add(&command, "--job", mpirun, NULL);
    expect_none(tool_agree(&command, TOOL_ALL, &job, compare_truth));
    free(mpirun);
}
END_TEST

static const struct scenario large = {
    .name = "interrupted", .program = "many 5000 10 5000", .ranks = 2};

// Starts the tool and interrupts it after some milliseconds.
static void
interrupt_tool(const struct command *command, long milliseconds)
{
    char *output = run_text("%s/mqshow-output", job.folder);
    pid_t tool = run_in_background(command, (char *[]){NULL}, output);
    int status;
    run_sleep_ms(milliseconds);
    kill(tool, SIGINT);
    double deadline = run_clock() + 10;
    while (waitpid(tool, &status, WNOHANG) == 0) {
        if (run_clock() > deadline)
            ck_abort_msg("mqshow does not end after an interrupt at %ld ms", milliseconds);
        run_sleep_ms(2);
    }
    free(output);
}

START_TEST(survives_an_interrupted_look)
{
    struct command command = tool_command(path_dll());
    size_t i;
    json_t *truth, *report = NULL;
    expect_none(job_start(&job, &large, get_build(_i == 1)));
    tool_add_ranks(&command, &job);
    double started = run_clock();
    expect_none(tool_run(&command, TOOL_ALL, &report));
    long whole = (long) ((run_clock() - started) * 1000);
    json_decref(report);
    for (int round = 0; round < 25; round++) {
        interrupt_tool(&command, random() % (whole + 1));
        json_array_foreach (job.truths, i, truth)
            expect_none(aftermath_stopped(pid_of(truth)));
    }
    expect_all_run();
    expect_none(tool_agree(&command, TOOL_ALL, &job, compare_truth));
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
    static const char *const builds[] = {"stock", "debug"};
    Suite *suite = suite_create("live");
    for (int build = 0; build < 2; build++) {
        for (int i = 0; i < scenario_count; i++) {
            int number = build * scenario_count + i;
            add_case(suite, builds[build], scenarios[i].name, agrees_with_the_program, number);
            if (scenarios[i].other_pml != NULL)
                add_case(suite, builds[build], scenarios[i].name, says_what_another_pml_hides,
                         number);
        }
        add_case(suite, builds[build], "job", finds_the_ranks_of_a_job, build);
        add_case(suite, builds[build], "interrupted", survives_an_interrupted_look, build);
    }
    return suite;
}

int
main(void)
{
    run_adopt_orphans();
    srandom(1);
    SRunner *runner = srunner_create(make_suite());
    // Everything here has a deadline of its own, and the job must be ended whatever happens.
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    run_kill_all();
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
