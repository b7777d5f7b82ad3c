// SPDX-License-Identifier: BSD-3-Clause
// In gdb, "mpi waitfor" judges as mqshow does.
#include "gdb.h"
#include "gdb_job.h"
#include "tests/check_set.h"
#include "tests/live/aftermath.h"
#include "tests/live/paths.h"
#include "tests/live/tool.h"
#include "tests/live/verdict.h"

#include <stdlib.h>

#define JOB(kind, command, ...)                                           \
    {                                                                     \
        .name = "verdict-" kind, .program = command, .ranks = __VA_ARGS__ \
    }

enum { TRIES = 10 };

// What judges is mqshow's code, and so is what it is told: a job of each kind will do on the stock
// packages, and two on those of MPICH.
static const struct {
    enum check_set stock, mpich, debug; // the first set that has it
    struct scenario scenario;
} plans[] = {
    {FULL_SET, NO_SET, ALL_SET, JOB("sends", "deadlock sends", 2)},
    {QUICK_SET, NO_SET, ALL_SET, JOB("receives", "deadlock receives 2", 2)},
    {QUICK_SET, FULL_SET, ALL_SET, JOB("critical", "locked critical", 2)},
    {FULL_SET, NO_SET, NO_SET,
     JOB("unnamed", "locked unnamed", 2, .variable = "OMP_DEBUG=enabled")},
    {ALL_SET, NO_SET, ALL_SET, JOB("gomp", "locked_gomp critical", 2)},
    {ALL_SET, NO_SET, ALL_SET, JOB("barrier", "locked barrier", 2)},
    {ALL_SET, ALL_SET, NO_SET, JOB("wrong-tag", "mismatch tag", 2)},
    {FULL_SET, ALL_SET, NO_SET, JOB("members", "members receiving", 4)},
    {QUICK_SET, FULL_SET, NO_SET, JOB("waitany", "choices waitany", 3)},
};
enum { PLANS = sizeof plans / sizeof *plans };

static enum check_set
first_set(int plan, const struct build *build)
{
    return build->device == DEVICE_UCX && build->is_packaged ? plans[plan].mpich
           : build->device != DEVICE_OB1 || build->is_wheel  ? NO_SET
           : build->is_packaged                              ? plans[plan].stock
                                                             : plans[plan].debug;
}

static json_t *
look_with_mqshow(void)
{
    struct command command = tool_command(path_dll());
    json_t *report = NULL;
    tool_add_ranks(&command, &suite_job);
    suite_expect_none(tool_run(&command, TOOL_SOMETHING, &report));
    return report;
}

// The lines of a script.
static char *
attach_all(void)
{
    size_t i;
    const json_t *pid;
    char *ret = run_text("%s", "");
    json_array_foreach (suite_job.pids, i, pid) {
        char *before = ret;
        ret = i == 0 ? run_text("attach %s\n", json_string_value(pid))
                     : run_text("%sadd-inferior\ninferior %zu\nattach %s\n", before, i + 1,
                                json_string_value(pid));
        free(before);
    }
    return ret;
}

static json_t *
look_with_gdb(void)
{
    json_error_t error;
    char *path = run_text("%s/gdb-verdict", suite_job.folder), *attach = attach_all();
    char *script = run_text("%spipe mpi waitfor --json | cat >%s\n", attach, path);
    suite_expect_none(gdb_run_script(suite_job.folder, script));
    json_t *report = json_load_file(path, 0, &error);
    ck_assert_msg(report != NULL, "%s:%d: %s", path, error.line, error.text);
    free(script);
    free(attach);
    free(path);
    return report;
}

// gdb looks once.
static char *
compare(bool counts)
{
    json_t *of_mqshow = look_with_mqshow(), *of_gdb = look_with_gdb();
    json_t *expected = json_pack("[O]", of_mqshow);
    char *difference = verdict_compare(suite_job.truths, of_gdb, VERDICT_OF_ONE_LOOK, counts);
    if (difference == NULL)
        difference = verdict_compare_parts(expected, of_gdb);
    json_decref(expected);
    json_decref(of_gdb);
    json_decref(of_mqshow);
    return difference;
}

// Case numbers: the plans on the first build, then the same on the next.
START_TEST(judges_as_mqshow_does)
{
    char *difference = NULL;
    const struct build *build = suite_build(_i / PLANS);
    suite_start(&plans[_i % PLANS].scenario, build);
    for (int tries = 0; tries < TRIES && (tries == 0 || difference != NULL); tries++) {
        free(difference);
        difference = compare(build->device == DEVICE_OB1); // Open MPI counts its messages
    }
    suite_expect_none(difference);
    for (size_t i = 0; i < json_array_size(suite_job.pids); i++)
        suite_expect_none(aftermath_stopped(gdb_job_pid(i)));
}
END_TEST

void
gdb_add_verdicts(Suite *suite)
{
    for (int i = 0; i < PLANS * BUILDS; i++) {
        const struct build *build = build_describe(i / PLANS);
        if (first_set(i % PLANS, build) <= check_set())
            suite_add_case(suite, build->name, plans[i % PLANS].scenario.name,
                           judges_as_mqshow_does, i);
    }
}
