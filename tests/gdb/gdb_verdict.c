// SPDX-License-Identifier: BSD-3-Clause
// In gdb, "mpi waitfor" judges as mqshow does.
#include "gdb.h"
#include "gdb_job.h"
#include "tests/live/aftermath.h"
#include "tests/live/paths.h"
#include "tests/live/tool.h"
#include "tests/live/verdict.h"

#include <stdlib.h>

enum { TRIES = 10, RANKS = 2 };

static const struct scenario scenarios[] = {
    {.name = "verdict-sends", .program = "deadlock sends", .ranks = RANKS},
    {.name = "verdict-receives", .program = "deadlock receives 2", .ranks = RANKS},
    {.name = "verdict-critical", .program = "locked critical", .ranks = RANKS},
    {.name = "verdict-critical-gomp", .program = "locked_gomp critical", .ranks = RANKS},
    {.name = "verdict-barrier", .program = "locked barrier", .ranks = RANKS},
};
enum { SCENARIOS = sizeof scenarios / sizeof *scenarios };

static json_t *
look_with_mqshow(void)
{
    struct command command = tool_command(path_dll());
    json_t *report = NULL;
    tool_add_ranks(&command, &suite_job);
    suite_expect_none(tool_run(&command, TOOL_SOMETHING, &report));
    return report;
}

static json_t *
look_with_gdb(void)
{
    json_error_t error;
    char *path = run_text("%s/gdb-verdict", suite_job.folder);
    char *script = run_text("attach %s\nadd-inferior\ninferior 2\nattach %s\n"
                            "pipe mpi waitfor --json | cat >%s\n",
                            gdb_job_pid_text(0), gdb_job_pid_text(1), path);
    suite_expect_none(gdb_run_script(suite_job.folder, script));
    json_t *report = json_load_file(path, 0, &error);
    ck_assert_msg(report != NULL, "%s:%d: %s", path, error.line, error.text);
    free(script);
    free(path);
    return report;
}

// gdb looks once.
static char *
compare(void)
{
    json_t *of_mqshow = look_with_mqshow(), *of_gdb = look_with_gdb();
    json_t *expected = json_pack("[O]", of_mqshow);
    char *difference = verdict_compare(suite_job.truths, of_gdb, VERDICT_OF_ONE_LOOK, true);
    if (difference == NULL)
        difference = verdict_compare_parts(expected, of_gdb);
    json_decref(expected);
    json_decref(of_gdb);
    json_decref(of_mqshow);
    return difference;
}

START_TEST(judges_as_mqshow_does)
{
    char *difference = NULL;
    gdb_job_start(&scenarios[_i % SCENARIOS], _i >= SCENARIOS);
    for (int tries = 0; tries < TRIES && (tries == 0 || difference != NULL); tries++) {
        free(difference);
        difference = compare();
    }
    suite_expect_none(difference);
    for (size_t i = 0; i < RANKS; i++)
        suite_expect_none(aftermath_stopped(gdb_job_pid(i)));
}
END_TEST

void
gdb_add_verdicts(Suite *suite)
{
    for (int i = 0; i < SCENARIOS; i++) {
        suite_add_case(suite, "stock", scenarios[i].name, judges_as_mqshow_does, i);
        suite_add_case(suite, "debug", scenarios[i].name, judges_as_mqshow_does, SCENARIOS + i);
    }
}
