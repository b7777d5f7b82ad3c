// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * Whether a process that was looked at goes on as before.
 */
#ifndef MQS_TESTS_LIVE_AFTERMATH_H
#define MQS_TESTS_LIVE_AFTERMATH_H

#include <sys/types.h>

/** Whether no thread of the process is stopped or traced.
 * @return NULL if so, else what is wrong, on the heap
 */
char *aftermath_stopped(pid_t pid);

/** Whether the process runs: within some seconds its threads use time or wait anew.
 * @return NULL if so, else what is wrong, on the heap
 */
char *aftermath_idle(pid_t pid);

#endif
