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

enum { TRIES = 10 };

// Of builds of MPI: bits by their numbers.
enum { STOCK = 1 << 0, DEBUG = 1 << 1, MPICH_STOCK = 1 << 2 };

static const struct {
    struct scenario scenario;
    int builds;
} plans[] = {
    {{.name = "verdict-sends", .program = "deadlock sends", .ranks = 2}, STOCK | DEBUG},
    {{.name = "verdict-receives", .program = "deadlock receives 2", .ranks = 2}, STOCK | DEBUG},
    {{.name = "verdict-critical", .program = "locked critical", .ranks = 2},
     STOCK | DEBUG | MPICH_STOCK},
    {{.name = "verdict-unnamed",
      .program = "locked unnamed",
      .ranks = 2,
      .variable = "OMP_DEBUG=enabled"},
     STOCK},
    {{.name = "verdict-critical-gomp", .program = "locked_gomp critical", .ranks = 2},
     STOCK | DEBUG},
    {{.name = "verdict-barrier", .program = "locked barrier", .ranks = 2}, STOCK | DEBUG},
    {{.name = "verdict-wrong-tag", .program = "mismatch tag", .ranks = 2}, STOCK | MPICH_STOCK},
    {{.name = "verdict-member-receives", .program = "members receiving", .ranks = 4},
     STOCK | MPICH_STOCK},
    {{.name = "verdict-waitany", .program = "choices waitany", .ranks = 3}, STOCK | MPICH_STOCK},
};
enum { PLANS = sizeof plans / sizeof *plans };
// What judges is mqshow's code, and so is what it is told: in the quick set a job of each kind.
static const int quick_plans = 1 << 1 | 1 << 2 | 1 << 8;

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
        if (check_set_is_quick() && (i >= PLANS || (quick_plans & 1 << i) == 0))
            continue;
        if (!check_set_is("all") && (DEBUG & 1 << i / PLANS) != 0)
            continue;
        if ((plans[i % PLANS].builds & 1 << i / PLANS) != 0 &&
            build_is_tested(i / PLANS, build_describe(i / PLANS)->device))
            suite_add_case(suite, build_describe(i / PLANS)->name, plans[i % PLANS].scenario.name,
                           judges_as_mqshow_does, i);
    }
}
