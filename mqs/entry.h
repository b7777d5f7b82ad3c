// SPDX-License-Identifier: BSD-3-Clause
// Shared by the files that hold the exported functions.
#ifndef MQS_ENTRY_H
#define MQS_ENTRY_H

#include "mqs/session.h"

#define EXPORT __attribute__((visibility("default")))

/** The result that a status is to a debugger. */
int entry_result(enum status status);

/** The session of a process and its current communicator.
 * @return STATUS_MISUSE before the process or the iterator is set up, STATUS_END past the last
 */
CHECKED enum status
entry_current(mqs_process *process, struct session **ret_session, const struct comm **ret_comm);

/** Copies a message for the debugger to print with at most one %s in it: there is none.
 * @return `to`, or NULL when the text is empty
 */
char *entry_message(char *to, size_t size, const char *text);

#endif
