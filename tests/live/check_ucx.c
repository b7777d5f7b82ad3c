// SPDX-License-Identifier: BSD-3-Clause
// Open MPI's PML ucx over other releases of UCX than the distribution's: what mqshow reports is
// what the programs know of themselves, by the built-in layout of that release.
//
// CK_RUN_CASE=pml-ucx-1.15/wildcards runs one case.
#include "limits.h"
#include "paths.h"
#include "scenarios.h"
#include "suite.h"
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Receives with and without a mask, messages, sends of all modes, pieces, what is being received.
static const char *const names[] = {"wildcards", "unexpected",          "persistent", "sends",
                                    "datatypes", "matched-receive-ucx", "transit-few"};

static json_t *limits;
static char running[128]; // BUILD/SCENARIO

static char *
compare_within_limits(const json_t *truth, const json_t *report)
{
    return limits_compare(limits, running, truth, report);
}

// "built-in UCX 1.15, 4.1" on the build pml-ucx-1.15.
static void
expect_layout(const struct command *command, const struct build *build)
{
    char *wanted = run_text("UCX %s", strrchr(build->name, '-') + 1);
    json_t *report = NULL;
    const json_t *process;
    size_t i;

    suite_expect_none(tool_run(command, TOOL_SOMETHING, &report));
    json_array_foreach (json_object_get(report, "processes"), i, process) {
        const char *layout =
            json_string_value(json_object_get(json_object_get(process, "mpi"), "layout"));
        ck_assert_ptr_nonnull(layout);
        ck_assert_ptr_nonnull(strstr(layout, wanted));
        ck_assert_ptr_null(strstr(layout, " as "));
    }
    json_decref(report);
    free(wanted);
}

// Case numbers: the scenarios on the first build, then the same on the next.
START_TEST(agrees_with_the_program)
{
    const struct scenario *scenario = &scenarios[_i % scenario_count];
    const struct build *build = suite_build(_i / scenario_count);
    struct command command = tool_command(path_dll());

    snprintf(running, sizeof running, "%s/%s", build->name, scenario->name);
    suite_start(scenario, build);
    tool_add_ranks(&command, &suite_job);
    suite_expect_none(tool_agree(&command, TOOL_SOMETHING, &suite_job, compare_within_limits));
    expect_layout(&command, build);
}
END_TEST

static void
add_build(Suite *suite, int number)
{
    for (int i = 0; i < scenario_count; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (strcmp(scenarios[i].name, names[k]) == 0)
                suite_add_case(suite, build_describe(number)->name, names[k],
                               agrees_with_the_program, number * scenario_count + i);
}

int
main(void)
{
    Suite *suite = suite_create("ucx");

    limits = limits_load(DEVICE_PML_UCX);
    if (limits == NULL)
        return EXIT_FAILURE;
    for (int i = 0; i < BUILDS; i++)
        if (build_describe(i)->libucp != NULL)
            add_build(suite, i);
    const int status = suite_run(suite);
    json_decref(limits);
    return status;
}
