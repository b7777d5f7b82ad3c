// SPDX-License-Identifier: BSD-3-Clause
// Signals that end this program, put off until what it has started is gone: when it is gone itself,
// no process stands still any more, and no launcher runs on.
#ifndef MQSHOW_BASE_ENDING_H
#define MQSHOW_BASE_ENDING_H

#include <stdbool.h>

/** Puts them off, those that somebody else handles or ignores excepted, until ending_let() was
 * called as often. System calls that wait return EINTR when one comes. */
void ending_put_off(void);

/** Whether one has come. */
bool ending_is_near(void);

/** Lets them end the program again, at once if one has come. */
void ending_let(void);

/** The same however often they were put off: for a worker, which calls it first. */
void ending_let_in_worker(void);

#endif
