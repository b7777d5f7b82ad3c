// SPDX-License-Identifier: BSD-3-Clause
// An end for work that this program does itself, on files and processes that may be damaged: what
// worker processes do is ended by worker_pool.h.
#ifndef MQSHOW_BASE_WATCHDOG_H
#define MQSHOW_BASE_WATCHDOG_H

/** Ends this program, printing why, unless watchdog_end() comes within so many seconds; 0: never.
 * @param work what is being done, "looking for the processes"
 */
void watchdog_begin(const char *work, int seconds);

void watchdog_end(void);

#endif
