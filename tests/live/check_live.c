// SPDX-License-Identifier: BSD-3-Clause
// Real jobs: what mqshow reports with our DLL is what the programs know of themselves, and differs
// from what the MPI library's own DLL says only as the list of reviewed differences explains. Made
// into two programs for each MPI: LIVE_DEVICES are the devices whose builds it runs on, and
// LIVE_TARGETS says whether on those of tests/targets or on the distribution's packages.
//
// CK_RUN_CASE=stock/wildcards runs one case; CK_VERBOSITY=verbose lists them all.
// MQS_VENDOR_DIFFERENCES names another list; with an empty one the differences are all printed.
#include "aftermath.h"
#include "compare.h"
#include "label_words.h"
#include "limits.h"
#include "paths.h"
#include "scenarios.h"
#include "suite.h"
#include "tool.h"
#include "tests/check_set.h"
#include "tree.h"
#include "vendor_diff.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { TEXT_SECONDS = 600, END_SECONDS = 120, RELEASE_SECONDS = 2 };

static json_t *limits;      // what cannot be seen
static json_t *reviewed;    // differences from the vendor's DLL
static const char *running; // BUILD/SCENARIO

// A job of a scenario on a build.
static void
start(const struct scenario *scenario, const struct build *build)
{
    static char name[128];
    snprintf(name, sizeof name, "%s/%s", build->name, scenario->name);
    running = name;
    suite_start(scenario, build);
}

static char *
compare_within_limits(const json_t *truth, const json_t *report)
{
    return limits_compare(limits, running, truth, report);
}

// What is not matched by Open MPI itself always has something that cannot be shown.
static enum tool_need
need_of(const struct build *build)
{
    return build->device == DEVICE_OB1 ? TOOL_ALL : TOOL_SOMETHING;
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
    json_array_foreach (suite_job.truths, i, truth) {
        suite_expect_none(aftermath_stopped(pid_of(truth)));
        suite_expect_none(aftermath_idle(pid_of(truth)));
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
        suite_expect_none(tool_run(command, TOOL_SOMETHING, &first));
        suite_expect_none(tool_run(&forced, TOOL_SOMETHING, &second));
        free(difference);
        difference = compare_reports(first, second);
        json_decref(second);
        json_decref(first);
        if (difference == NULL)
            return;
    }
    suite_expect_none(difference);
}

static json_t *
look(const char *dll)
{
    struct command command = tool_command(dll);
    json_t *report = NULL;
    tool_add_ranks(&command, &suite_job);
    suite_expect_none(tool_run(&command, TOOL_SOMETHING, &report));
    return report;
}

static void
expect_reviewed(const json_t *lines)
{
    size_t i, unexplained = 0;
    json_t *line;
    json_array_foreach (lines, i, line) {
        if (vendor_reviewed_find(reviewed, json_string_value(line)) != NULL)
            continue;
        fprintf(stderr, "not reviewed: %s\n", json_string_value(line));
        unexplained++;
    }
    if (unexplained > 0)
        ck_abort_msg("%zu differences from the vendor's DLL are not in %s; see above", unexplained,
                     path_vendor_differences(LIVE_DEVICES));
}

// Of the job, whose ranks are where they block.
static void
expect_vendor_differs_as_reviewed(const struct build *build)
{
    size_t i;
    json_t *truth, *lines = json_array();
    json_t *ours = look(path_dll()), *theirs = look(build->vendor_dll);
    json_array_foreach (suite_job.truths, i, truth)
        vendor_diff(running, compare_find_process(ours, pid_of(truth)),
                    compare_find_process(theirs, pid_of(truth)), lines);
    json_decref(theirs);
    json_decref(ours);
    expect_reviewed(lines);
    json_decref(lines);
}

// A quick DLL is needed for a large scenario, and queues for a comparison.
static bool
vendor_can_run(const struct scenario *scenario, const struct build *build)
{
    return build->has_vendor_dll && scenario->other_pml == NULL && !scenario->is_large;
}

// Case numbers: the scenarios on the first build, then the same on the next.
START_TEST(agrees_with_the_program)
{
    const struct scenario *scenario = &scenarios[_i % scenario_count];
    const struct build *build = suite_build(_i / scenario_count);
    struct command command = tool_command(path_dll());
    start(scenario, build);
    tool_add_ranks(&command, &suite_job);
    if (scenario->other_pml == NULL)
        suite_expect_none(tool_agree(&command, need_of(build), &suite_job, compare_within_limits));
    else
        suite_expect_none(tool_agree(&command, TOOL_SOMETHING, &suite_job, compare_communicators));
    if (build->has_builtin)
        expect_same_by_builtin(&command);
    if (vendor_can_run(scenario, build))
        expect_vendor_differs_as_reviewed(build);
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

// Where the queues cannot be seen, an empty one would be a lie. What is kept of receives is a part.
static void
expect_queues_unknown(const json_t *process, const char *pml)
{
    size_t i;
    json_t *comm;
    const char *keeper = strrchr(pml, ' ');
    ck_assert_msg(is_said(json_object_get(process, "messages"), keeper),
                  "no message says that%s keeps the queues", keeper);
    json_array_foreach (json_object_get(process, "communicators"), i, comm) {
        ck_assert_ptr_null(json_object_get(comm, "unexpected"));
        const json_t *incomplete = json_object_get(comm, "incomplete");
        ck_assert_str_eq(json_string_value(json_array_get(incomplete, 0)), "receives");
    }
}

static size_t
count_words(const char *text, const char *words)
{
    size_t count = 0;
    for (; (text = strstr(text, words)) != NULL; text += strlen(words))
        count++;
    return count;
}

static size_t
count_communicators(const json_t *report)
{
    size_t i, count = 0;
    json_t *process;
    json_array_foreach (json_object_get(report, "processes"), i, process)
        count += json_array_size(json_object_get(process, "communicators"));
    return count;
}

// The text and the table have as many gaps as there are.
static void
expect_gaps_told(const json_t *report, const char *pml)
{
    struct command command = {.count = 0}, merge = {.count = 0};
    char *gap = run_text("unexpected messages not read: pml %s; receives incomplete", pml);
    char *file = run_text("%s/report.json", suite_job.folder);
    command_add(&command, path_mqshow(), "--dll", path_dll(), "--all", NULL);
    tool_add_ranks(&command, &suite_job);
    struct outcome outcome = run(&command, TEXT_SECONDS);
    ck_assert_uint_eq(count_words(outcome.out, gap), count_communicators(report));
    ck_assert_ptr_null(strstr(outcome.out, "nothing pending"));
    outcome_deinit(&outcome);
    ck_assert_int_eq(json_dump_file(report, file, 0), 0);
    char *table = run_text("%s/report.csv", suite_job.folder);
    command_add(&merge, path_mqshow(), "merge", "--csv", table, file, NULL);
    outcome = run(&merge, TEXT_SECONDS);
    ck_assert_ptr_null(strstr(outcome.out, "is there"));
    outcome_deinit(&outcome);
    char *rows = run_read_file(table);
    ck_assert_uint_eq(count_words(rows, ",not read,"), count_communicators(report));
    free(rows);
    free(table);
    free(file);
    free(gap);
}

// The programs know of pending operations on all communicators.
START_TEST(says_what_another_pml_hides)
{
    const struct scenario *scenario = &scenarios[_i % scenario_count];
    struct command command = tool_command(path_dll());
    size_t i;
    json_t *truth, *report = NULL;
    start(scenario, suite_build(_i / scenario_count));
    tool_add_ranks(&command, &suite_job);
    suite_expect_none(tool_run(&command, TOOL_SOMETHING, &report));
    json_array_foreach (suite_job.truths, i, truth)
        expect_queues_unknown(compare_find_process(report, pid_of(truth)), scenario->other_pml);
    const char *kind =
        json_string_value(json_object_get(json_object_get(report, "verdict"), "kind"));
    ck_assert_str_eq(kind, "unknown");
    expect_gaps_told(report, scenario->other_pml);
    json_decref(report);
}
END_TEST

static const struct scenario demo = {.name = "job", .program = "hybrid", .ranks = 4};

START_TEST(finds_the_ranks_of_a_job)
{
    struct command command = tool_command(path_dll());
    const struct build *build = suite_build(_i);
    start(&demo, build);
    char *starter = run_text("%d", (int) suite_job.starter);
    command_add(&command, "--job", starter, NULL);
    suite_expect_none(tool_agree(&command, need_of(build), &suite_job, compare_within_limits));
    free(starter);
}
END_TEST

static const struct scenario regions[] = {
    {.name = "tree", .program = "omp_regions", .ranks = 2, .variable = "OMP_DEBUG=enabled"},
    {.name = "tree-gomp", .program = "omp_regions_gomp", .ranks = 2},
};

enum { REGIONS = sizeof regions / sizeof *regions };

START_TEST(draws_the_regions)
{
    struct command command = {.count = 0};
    size_t i;
    json_t *truth;
    suite_start(&regions[_i % REGIONS], suite_build(_i / REGIONS));
    command_add(&command, path_mqshow(), "--all", "--dll", path_dll(), NULL);
    tool_add_ranks(&command, &suite_job);
    struct outcome outcome = run(&command, TEXT_SECONDS);
    json_array_foreach (suite_job.truths, i, truth)
        suite_expect_none(tree_missing(truth, outcome.out));
    outcome_deinit(&outcome);
}
END_TEST

static const struct scenario labelled = {.name = "labels", .program = "labels", .ranks = 4};

static json_t *
look_at_labels(const struct build *build, const char *comm)
{
    struct command command = tool_command(path_dll());
    json_t *report = NULL;
    tool_add_ranks(&command, &suite_job);
    if (comm != NULL)
        command_add(&command, "--comm", comm, NULL);
    suite_expect_none(tool_run(&command, need_of(build), &report));
    return report;
}

// Also, a label selects its communicator and no other one.
START_TEST(labels_communicators)
{
    const struct build *build = suite_build(_i);
    start(&labelled, build);
    json_t *report = look_at_labels(build, NULL);
    suite_expect_none(labels_wrong(report, (build->device & DEVICES_OPENMPI) != 0));
    char *label = labels_odd_half(report);
    json_decref(report);
    report = look_at_labels(build, label);
    size_t i;
    json_t *process;
    json_array_foreach (json_object_get(report, "processes"), i, process) {
        const json_t *comms = json_object_get(process, "communicators");
        json_int_t rank = json_integer_value(json_object_get(process, "rank"));
        ck_assert_uint_eq(json_array_size(comms), rank % 2 == 1);
        const char *found = json_string_value(json_object_get(json_array_get(comms, 0), "label"));
        ck_assert(rank % 2 == 0 || strcmp(found, label) == 0);
    }
    json_decref(report);
    free(label);
}
END_TEST

// What a limit leaves out is not taken for absent.
START_TEST(knows_what_a_limit_hides)
{
    struct command command = {.count = 0};
    suite_start(&demo, suite_build(_i));
    command_add(&command, path_mqshow(), "--dll", path_dll(), "--all", "--limit", "1", NULL);
    tool_add_ranks(&command, &suite_job);
    struct outcome outcome = run(&command, TEXT_SECONDS);
    ck_assert_msg(strstr(outcome.out, "receives, unexpected messages incomplete\n") != NULL, "%s",
                  outcome.out);
    ck_assert_msg(strncmp(outcome.out, "cannot tell", 11) == 0, "%s", outcome.out);
    outcome_deinit(&outcome);
}
END_TEST

static const struct scenario large = {
    .name = "interrupted", .program = "many 1000 4 1000", .ranks = 2};

// Starts the tool and interrupts it after some milliseconds, with none maybe before it is the tool.
static void
interrupt_tool(const struct command *command, long milliseconds)
{
    char *output = run_text("%s/mqshow-output", suite_job.folder);
    pid_t tool = run_in_background(command, (char *[]){NULL}, output);
    int status;
    run_sleep_ms(milliseconds);
    kill(tool, SIGINT);
    double deadline = run_clock() + END_SECONDS;
    while (waitpid(tool, &status, WNOHANG) == 0) {
        if (run_clock() > deadline)
            ck_abort_msg("mqshow does not end after an interrupt at %ld ms", milliseconds);
        run_sleep_ms(2);
    }
    free(output);
}

// Those that read processes for mqshow may end a moment after it.
static char *
stopped_for_good(pid_t pid)
{
    double deadline = run_clock() + RELEASE_SECONDS;
    char *ret;
    while ((ret = aftermath_stopped(pid)) != NULL && run_clock() < deadline) {
        free(ret);
        run_sleep_ms(10);
    }
    return ret;
}

START_TEST(survives_an_interrupted_look)
{
    struct command command = tool_command(path_dll());
    size_t i;
    json_t *truth, *report = NULL;
    const struct build *build = suite_build(_i);
    start(&large, build);
    tool_add_ranks(&command, &suite_job);
    double started = run_clock();
    suite_expect_none(tool_run(&command, need_of(build), &report));
    long whole = (long) ((run_clock() - started) * 1000);
    json_decref(report);
    for (int round = 0; round < 25; round++) {
        interrupt_tool(&command, whole * round / 24);
        json_array_foreach (suite_job.truths, i, truth)
            suite_expect_none(stopped_for_good(pid_of(truth)));
    }
    expect_all_run();
    suite_expect_none(tool_agree(&command, need_of(build), &suite_job, compare_within_limits));
}
END_TEST

// A limit that does not show any more would hide the next one.
START_TEST(needs_every_limit)
{
    const json_t *unused = vendor_reviewed_unused(limits, "*-stock/*");
    if (unused != NULL)
        ck_abort_msg("nothing is missing any more: %s",
                     json_string_value(json_object_get(unused, "pattern")));
}
END_TEST

// Likewise an explanation of a difference that there is no more.
START_TEST(needs_every_explanation)
{
    const json_t *unused = vendor_reviewed_unused(reviewed, "");
    if (unused != NULL)
        ck_abort_msg("no difference matches any more: %s",
                     json_string_value(json_object_get(unused, "pattern")));
}
END_TEST

static void
add_build(Suite *suite, int number)
{
    const struct build *build = build_describe(number);
    for (int i = 0; i < scenario_count; i++) {
        int at = number * scenario_count + i;
        if (scenario_set(&scenarios[i], number) > check_set())
            continue;
        suite_add_case(suite, build->name, scenarios[i].name, agrees_with_the_program, at);
        if (scenarios[i].other_pml != NULL)
            suite_add_case(suite, build->name, scenarios[i].name, says_what_another_pml_hides, at);
    }
    // What follows does not depend on what matches messages.
    if (scenario_set_of_build(build) > check_set())
        return;
    suite_add_case(suite, build->name, labelled.name, labels_communicators, number);
    if (build->device == DEVICE_OB1)
        suite_add_case(suite, build->name, "limit", knows_what_a_limit_hides, number);
    // Its ranks are found as within a node.
    if (build->device != DEVICE_OFI)
        suite_add_case(suite, build->name, "job", finds_the_ranks_of_a_job, number);
    for (int i = 0; i < REGIONS && scenario_openmp_runs_on(build); i++)
        suite_add_case(suite, build->name, regions[i].name, draws_the_regions,
                       number * REGIONS + i);
    // Which libraries a process has makes no difference when its reader is ended.
    if (build->is_packaged && build->device == DEVICE_OB1)
        suite_add_case(suite, build->name, "interrupted", survives_an_interrupted_look, number);
}

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("live");
    bool has_vendor_dll = false;
    for (int i = 0; i < BUILDS; i++) {
        if (!build_is_tested(i, LIVE_DEVICES) || build_describe(i)->is_packaged == LIVE_TARGETS)
            continue;
        add_build(suite, i);
        has_vendor_dll = has_vendor_dll || build_describe(i)->has_vendor_dll;
    }
    // The builds of the targets have all limits and differences.
    TCase *tcase = tcase_create("lists");
    if (LIVE_TARGETS && check_set() == ALL_SET) {
        tcase_add_test(tcase, needs_every_limit);
        if (has_vendor_dll)
            tcase_add_test(tcase, needs_every_explanation);
    }
    suite_add_tcase(suite, tcase);
    return suite;
}

int
main(void)
{
    limits = limits_load(LIVE_DEVICES);
    reviewed = vendor_reviewed_load(path_vendor_differences(LIVE_DEVICES));
    if (limits == NULL || reviewed == NULL)
        return EXIT_FAILURE;
    int status = suite_run(make_suite());
    json_decref(reviewed);
    json_decref(limits);
    return status;
}
