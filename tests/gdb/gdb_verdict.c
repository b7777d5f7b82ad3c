// SPDX-License-Identifier: BSD-3-Clause
// In gdb, "mpi waitfor" judges as mqshow does.
#include "gdb.h"
#include "gdb_job.h"
#include "tests/live/aftermath.h"
#include "tests/live/paths.h"
#include "tests/live/tool.h"
#include "tests/live/verdict.h"

#include <stdlib.h>
#include <string.h>

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

static const char *
text_of(const json_t *document, const char *member)
{
    const json_t *verdict = json_object_get(document, "verdict");
    const char *text = json_string_value(json_object_get(verdict, member));
    return text != NULL ? text : "";
}

// gdb looks once. What mqshow needs several looks for is but possible there.
static void
weaken(json_t *of_mqshow, const json_t *of_gdb)
{
    if (json_object_get(of_mqshow, "looks") != NULL &&
        strncmp(text_of(of_gdb, "text"), "possible deadlock", strlen("possible deadlock")) == 0)
        json_object_set(json_object_get(of_mqshow, "verdict"), "kind",
                        json_object_get(json_object_get(of_gdb, "verdict"), "kind"));
}

static char *
compare(void)
{
    json_t *of_mqshow = look_with_mqshow(), *of_gdb = look_with_gdb();
    json_t *expected = json_pack("[o]", of_mqshow);
    weaken(of_mqshow, of_gdb);
    char *difference = verdict_compare(suite_job.truths, of_gdb);
    // The truth knows of no possible deadlocks.
    if (difference == NULL || strstr(difference, "possible deadlock") != NULL) {
        free(difference);
        difference = verdict_compare(expected, of_gdb);
    }
    json_decref(of_gdb);
    json_decref(expected);
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
