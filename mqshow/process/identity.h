// SPDX-License-Identifier: BSD-3-Clause
// Reading with the rights of the user whose processes are read.
#ifndef MQSHOW_PROCESS_IDENTITY_H
#define MQSHOW_PROCESS_IDENTITY_H

#include <sys/types.h>

/** Becomes the user of a process for good, with that one's groups, if this process is root's and
 * may: what is left of root's rights is to trace. Without a process, with no group.
 * @param user of the process; 0, or -1 for not known: nothing changes
 * @param pid  0: there is none
 */
void identity_take(long user, pid_t pid);

#endif
