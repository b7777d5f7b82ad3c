// SPDX-License-Identifier: BSD-3-Clause
// An operation as a line of a table.
#ifndef MQSHOW_TEXT_PRINT_OPERATION_H
#define MQSHOW_TEXT_PRINT_OPERATION_H

#include "mqshow/report/report.h"

struct table;

enum { OPERATION_COLUMNS = 6 };

/** Adds a line. @param marks whether it says that the operation did not move */
void print_operation(struct table *table, const struct operations *operations,
                     const struct operation *op, int op_class, bool marks);

#endif
