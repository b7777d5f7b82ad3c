// SPDX-License-Identifier: BSD-3-Clause
// Signals that end this program, blocked until what it has started is gone: when it is gone itself,
// no process is stopped any more, and no launcher still runs.
#ifndef MQSHOW_BASE_SIGNALS_H
#define MQSHOW_BASE_SIGNALS_H

#include <stdbool.h>

/** Blocks them, except those that are handled or ignored already, until signals_unblock() was
 * called as often. System calls that wait return EINTR when one comes. */
void signals_block(void);

/** Whether one has come. */
bool signals_pending(void);

/** Lets them end the program again, at once if one has come. */
void signals_unblock(void);

/** The same however often they were blocked: for a worker, which calls it first. */
void signals_unblock_in_worker(void);

#endif
