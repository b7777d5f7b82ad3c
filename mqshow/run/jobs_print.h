// SPDX-License-Identifier: BSD-3-Clause
// "mqshow" alone: the jobs that run on this machine.
#ifndef MQSHOW_RUN_JOBS_PRINT_H
#define MQSHOW_RUN_JOBS_PRINT_H

#include "mqshow/base/options.h"

/** Finds and prints those of this program's user, for root of all users. @return the exit code */
int jobs_print(const struct options *options, FILE *out);

#endif
