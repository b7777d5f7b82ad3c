// SPDX-License-Identifier: BSD-3-Clause
// Running mqshow on a job, until what it reports agrees with the job's own records.
#include "tool.h"
#include "paths.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { TOOL_SECONDS = 600, AGREE_SECONDS = 300 };

struct command
tool_command(const char *dll)
{
    struct command command = {.count = 0};
    command_add(&command, path_mqshow(), "--json", "--dll", dll, NULL);
    return command;
}

void
tool_add_ranks(struct command *command, const struct job *job)
{
    size_t i;
    json_t *pid;
    json_array_foreach (job->pids, i, pid) {
        command_add(command, json_string_value(pid), NULL);
    }
}

static char *
parse(const struct outcome *outcome, enum tool_need need, json_t **ret_report)
{
    json_error_t error;
    if (outcome->timed_out || !WIFEXITED(outcome->status) ||
        WEXITSTATUS(outcome->status) > (int) need)
        return run_text("mqshow %s (status 0x%x): %s", outcome->timed_out ? "hangs" : "fails",
                        (unsigned int) outcome->status, outcome->err);
    json_t *report = json_loads(outcome->out, 0, &error);
    if (report == NULL)
        return run_text("mqshow prints no JSON (status 0x%x): line %d: %s: %s",
                        (unsigned int) outcome->status, error.line, error.text, outcome->err);
    *ret_report = report;
    return NULL;
}

char *
tool_run(const struct command *command, enum tool_need need, json_t **ret_report)
{
    struct outcome outcome = run(command, TOOL_SECONDS);
    char *ret = parse(&outcome, need, ret_report);
    outcome_deinit(&outcome);
    return ret;
}

static char *
look_once(const struct command *command, enum tool_need need, const struct job *job,
          char *(*compare)(const json_t *, const json_t *) )
{
    size_t i;
    json_t *truth, *report = NULL;
    char *ret = tool_run(command, need, &report);
    json_array_foreach (job->truths, i, truth) {
        if (ret == NULL)
            ret = compare(truth, report);
    }
    json_decref(report);
    return ret;
}

char *
tool_agree(const struct command *command, enum tool_need need, const struct job *job,
           char *(*compare)(const json_t *, const json_t *) )
{
    double deadline = run_clock() + AGREE_SECONDS;
    char *difference;
    while ((difference = look_once(command, need, job, compare)) != NULL &&
           run_clock() < deadline) {
        free(difference);
        run_sleep_ms(100);
    }
    return difference;
}
