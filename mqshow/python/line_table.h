// SPDX-License-Identifier: BSD-3-Clause
// Which line of its source a code object's instruction is of.
#ifndef MQSHOW_PYTHON_LINE_TABLE_H
#define MQSHOW_PYTHON_LINE_TABLE_H

#include <stddef.h>
#include <stdint.h>

/** Looks an instruction up.
 * @param minor of the release, 3.x, which has a table of its own kind
 * @param first the line where the function begins
 * @param at    bytes from the first instruction
 * @return 0: not known
 */
int line_table_find(int minor, const unsigned char *table, size_t size, int first, int64_t at);

#endif
