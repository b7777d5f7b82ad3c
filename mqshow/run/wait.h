// SPDX-License-Identifier: BSD-3-Clause
// "mqshow wait": watches a job until it ends, or nothing in it has moved for so long.
#ifndef MQSHOW_RUN_WAIT_H
#define MQSHOW_RUN_WAIT_H

#include "mqshow/base/options.h"

#include <stdio.h>

/** Exit codes beside those of the program: why there is a report. */
enum { EXIT_UNMOVED = 3, EXIT_STOPPED = 4, EXIT_SIGNAL = 5 };

/** Runs the command, and prints a line that says how it ended. @return the exit code */
int wait_main(const struct options *options, FILE *out);

#endif
