// SPDX-License-Identifier: BSD-3-Clause
// The processes of a run, without reading them.
#ifndef MQSHOW_RUN_LIST_H
#define MQSHOW_RUN_LIST_H

#include "mqshow/run/run.h"

#include <stdio.h>

/** Prints a line, or in JSON an object, for each process: rank, machine, pid, program. */
void list_print(FILE *out, const struct run *run);

#endif
