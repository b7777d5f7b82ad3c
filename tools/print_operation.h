// SPDX-License-Identifier: BSD-3-Clause
// An operation as a line of a table.
#ifndef TOOLS_PRINT_OPERATION_H
#define TOOLS_PRINT_OPERATION_H

#include "tools/model.h"

struct libscols_line;

enum { OPERATION_COLUMNS = 6 };

/** Fills the cells of a line. */
void print_operation(struct libscols_line *line, const struct operation *op, int op_class);

#endif
