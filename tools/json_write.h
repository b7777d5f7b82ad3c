// SPDX-License-Identifier: BSD-3-Clause
// Writing documents whose queues are packed.
#ifndef TOOLS_JSON_WRITE_H
#define TOOLS_JSON_WRITE_H

#include <jansson.h>
#include <stdio.h>

/** Like json_dumpf(), with packed queues as the arrays and operations that never matched as the
 * objects that they stand for, one after the other.
 * @param flags JSON_COMPACT or JSON_INDENT(), JSON_ENSURE_ASCII, JSON_REAL_PRECISION()
 */
void json_write(FILE *out, const json_t *value, size_t flags);

#endif
