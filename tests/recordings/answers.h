// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * What the library says of a process, as the live tests compare it with the program's own record.
 */
#ifndef MQS_TESTS_RECORDINGS_ANSWERS_H
#define MQS_TESTS_RECORDINGS_ANSWERS_H

#include "tests/script/debugger.h"

#include <jansson.h>

/** Asks everything about a process that was started (debugger_start()).
 * @param said what the library said at the start, one of its messages
 * @return a document like that of `mqshow --json` with this one process, with the members that a
 *         record of a program has, and "messages"; to be released
 */
json_t *answers(struct debugger *debugger, const char *said, json_int_t pid);

#endif
