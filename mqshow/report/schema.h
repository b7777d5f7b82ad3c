// SPDX-License-Identifier: BSD-3-Clause
// The JSON Schema of documents "mqs-ompd/1", made of report.def.
#ifndef MQSHOW_REPORT_SCHEMA_H
#define MQSHOW_REPORT_SCHEMA_H

#include <stdio.h>

/** Writes the schema, draft 2020-12. Members that it does not list are allowed, as newer versions
 * may have more. */
void schema_write(FILE *out);

#endif
