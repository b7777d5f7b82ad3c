// SPDX-License-Identifier: BSD-3-Clause
// The job that the tests in gdb look at.
#include "gdb_job.h"

#include "tests/live/compare.h"
#include "tests/live/paths.h"
#include "tests/live/run.h"
#include "tests/live/tool.h"

#include <stdlib.h>

struct job gdb_job;

static void
stop_job(void)
{
    job_stop(&gdb_job);
}

void
gdb_expect_none(char *problem)
{
    if (problem != NULL)
        ck_abort_msg("%s", problem);
}

static const struct build *
get_build(bool debug)
{
    const struct build *build = build_make(debug); // Open MPI's two come first
    if (build == NULL)
        ck_abort_msg("%s cannot build what these tests run on; see above", path_target_script());
    return build;
}

const char *
gdb_job_pid_text(size_t i)
{
    return json_string_value(json_array_get(gdb_job.pids, i));
}

pid_t
gdb_job_pid(size_t i)
{
    return (pid_t) atoi(gdb_job_pid_text(i));
}

void
gdb_job_start(const struct scenario *scenario, bool debug)
{
    gdb_expect_none(job_start(&gdb_job, scenario, get_build(debug)));
    struct command command = tool_command(path_dll());
    tool_add_ranks(&command, &gdb_job);
    gdb_expect_none(tool_agree(&command, TOOL_ALL, &gdb_job, compare_truth));
}

void
gdb_add_case(Suite *suite, const char *kind, const char *name, const TTest *test, int number)
{
    // Check keeps the name of a case and does not copy it.
    TCase *tcase = tcase_create(run_text("%s/%s", kind, name));
    tcase_add_checked_fixture(tcase, NULL, stop_job);
    tcase_add_loop_test(tcase, test, number, number + 1);
    suite_add_tcase(suite, tcase);
}
