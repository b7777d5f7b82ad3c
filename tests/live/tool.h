// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * Running mqshow on a job.
 */
#ifndef MQS_TESTS_LIVE_TOOL_H
#define MQS_TESTS_LIVE_TOOL_H

#include "job.h"
#include "run.h"

/** The beginning of a command line of mqshow with JSON output that loads `dll`. */
struct command tool_command(const char *dll);

/** Appends the pids of all ranks of the job; the texts are the job's. */
void tool_add_ranks(struct command *command, const struct job *job);

/** How much mqshow must be able to show: its highest exit status that will do. */
enum tool_need { TOOL_ALL, TOOL_SOMETHING };

/** Runs mqshow.
 * @param ret_report what it printed, to be released; set when the result is NULL
 * @return NULL, or what went wrong, on the heap
 */
char *tool_run(const struct command *command, enum tool_need need, json_t **ret_report);

/** Runs mqshow on all ranks again and again, until the report agrees with the records.
 * @param compare compare_truth() or compare_communicators()
 * @return NULL, or the difference that is left after some time, on the heap
 */
char *tool_agree(const struct command *command, enum tool_need need, const struct job *job,
                 char *(*compare)(const json_t *truth, const json_t *report));

#endif
