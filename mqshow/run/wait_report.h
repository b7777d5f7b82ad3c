// SPDX-License-Identifier: BSD-3-Clause
// The report of "mqshow wait": samples and verdict of a job that does not move, and the file.
#ifndef MQSHOW_RUN_WAIT_REPORT_H
#define MQSHOW_RUN_WAIT_REPORT_H

#include "mqshow/run/sampler.h"

#include <stdio.h>

/** For how many microseconds the process was stopped that was stopped longest. */
int64_t report_longest_stop(const struct document *document);

/** Takes a report, again where the verdict is open. @return microseconds for which it has stopped a
 * process at most */
int64_t wait_report_take(struct run *run, struct sampler *ret);

/** "rank 3 is stopped (SIGSTOP)", of the first one of those that are stopped, to free(); NULL: none
 * is. */
char *wait_report_stopped(const struct document *document);

/** Saves a report and prints a line. @param why the report was taken @return whether it is saved */
bool wait_report_save(struct sampler *report, const char *why, const char *path, FILE *out);

#endif
