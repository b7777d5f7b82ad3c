// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * Running a program on a terminal that is none but in size.
 */
#ifndef MQS_TESTS_LIVE_TERMINAL_H
#define MQS_TESTS_LIVE_TERMINAL_H

#include "run.h"

enum { TERMINAL_ROWS = 24, TERMINAL_COLUMNS = 80 };

/** What a program writes to a terminal until it ends, on the heap; NULL when it has not ended after
 * so many seconds.
 */
char *terminal_run(const struct command *command, int seconds);

/** Whether some of what was written makes the terminal scroll, begun at its top. */
bool terminal_scrolls(const char *text);

#endif
