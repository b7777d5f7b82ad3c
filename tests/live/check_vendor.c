// SPDX-License-Identifier: BSD-3-Clause
// The MPI library's own DLL and ours on the same hanging processes: they may differ only in what
// the list of reviewed differences explains. Made into one program for each MPI, like check_live.c.
//
// CK_RUN_CASE=debug/wildcards runs one case. MQS_VENDOR_DIFFERENCES names another list; with an
// empty one the differences are all printed.
#include "compare.h"
#include "limits.h"
#include "paths.h"
#include "scenarios.h"
#include "suite.h"
#include "tool.h"
#include "vendor_diff.h"

#include <stdio.h>
#include <stdlib.h>

static json_t *reviewed, *limits;
static const char *running; // BUILD/SCENARIO

static char *
compare_within_limits(const json_t *truth, const json_t *report)
{
    return limits_compare(limits, running, truth, report);
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
                     path_vendor_differences(LIVE_DIFFERENCES));
}

// Case numbers: the scenarios on the first build, then the same on the next.
START_TEST(differs_as_reviewed)
{
    const struct build *build = suite_build(_i / scenario_count);
    const struct scenario *scenario = &scenarios[_i % scenario_count];
    struct command command = tool_command(path_dll());
    size_t i;
    json_t *truth, *lines = json_array();
    char *name = run_text("%s/%s", build->name, scenario->name);
    running = name;
    suite_start(scenario, build);
    // First let every rank get to where it blocks.
    tool_add_ranks(&command, &suite_job);
    suite_expect_none(tool_agree(&command, build->device == DEVICE_OB1 ? TOOL_ALL : TOOL_SOMETHING,
                                 &suite_job, compare_within_limits));
    json_t *ours = look(path_dll()), *theirs = look(build->vendor_dll);
    json_array_foreach (suite_job.truths, i, truth) {
        json_int_t pid = json_integer_value(json_object_get(truth, "pid"));
        vendor_diff(name, compare_find_process(ours, pid), compare_find_process(theirs, pid),
                    lines);
    }
    json_decref(theirs);
    json_decref(ours);
    expect_reviewed(lines);
    json_decref(lines);
    free(name);
}
END_TEST

// An explanation of a difference that there is no more would hide the next one.
START_TEST(needs_every_explanation)
{
    const json_t *unused = vendor_reviewed_unused(reviewed);
    if (unused != NULL)
        ck_abort_msg("no difference matches any more: %s",
                     json_string_value(json_object_get(unused, "pattern")));
}
END_TEST

// A quick DLL is needed for a large scenario.
static bool
can_run(const struct scenario *scenario, const struct build *build)
{
    return scenario_runs_on(scenario, build) && scenario->other_pml == NULL && !scenario->is_large;
}

static void
add_build(Suite *suite, int number)
{
    const struct build *build = build_describe(number);
    for (int i = 0; i < scenario_count; i++) {
        int at = number * scenario_count + i;
        if (!can_run(&scenarios[i], build))
            continue;
        suite_add_case(suite, build->name, scenarios[i].name, differs_as_reviewed, at);
    }
}

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("vendor");
    for (int i = 0; i < BUILDS; i++) {
        const struct build *build = build_describe(i);
        if (build->has_vendor_dll && (build->device & LIVE_DEVICES) != 0)
            add_build(suite, i);
    }
    TCase *tcase = tcase_create("list");
    tcase_add_test(tcase, needs_every_explanation);
    suite_add_tcase(suite, tcase);
    return suite;
}

int
main(void)
{
    const char *path = path_vendor_differences(LIVE_DIFFERENCES);
    reviewed = vendor_reviewed_load(path);
    limits = vendor_reviewed_load(path_limits());
    if (reviewed == NULL || limits == NULL) {
        fprintf(stderr, "%s: cannot be read, or has a line without a reason\n",
                reviewed == NULL ? path : path_limits());
        return EXIT_FAILURE;
    }
    int status = suite_run(make_suite());
    json_decref(limits);
    json_decref(reviewed);
    return status;
}
