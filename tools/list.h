// SPDX-License-Identifier: BSD-3-Clause
// The processes of a run, without a look at them.
#ifndef TOOLS_LIST_H
#define TOOLS_LIST_H

#include "tools/show.h"

#include <stdio.h>

/** Prints a line, or in JSON an object, for each process: rank, machine, pid, program. */
void list_print(FILE *out, const struct show *show);

#endif
