// SPDX-License-Identifier: BSD-3-Clause
// The job that the tests in gdb look at.
#include "gdb_job.h"

#include "tests/live/compare.h"
#include "tests/live/paths.h"
#include "tests/live/tool.h"

#include <stdlib.h>

const char *
gdb_job_pid_text(size_t i)
{
    return json_string_value(json_array_get(suite_job.pids, i));
}

pid_t
gdb_job_pid(size_t i)
{
    return (pid_t) atoi(gdb_job_pid_text(i));
}

void
gdb_job_start(const struct scenario *scenario, bool debug)
{
    suite_start(scenario, suite_build(debug)); // Open MPI's two come first
    struct command command = tool_command(path_dll());
    tool_add_ranks(&command, &suite_job);
    bool is_whole = scenario->other_pml == NULL;
    suite_expect_none(tool_agree(&command, is_whole ? TOOL_ALL : TOOL_SOMETHING, &suite_job,
                                 is_whole ? compare_truth : compare_communicators));
}
