// SPDX-License-Identifier: BSD-3-Clause
// What the control group of a process says of its memory.
#ifndef MQSHOW_PROCESS_MEMORY_GROUP_H
#define MQSHOW_PROCESS_MEMORY_GROUP_H

#include <sys/types.h>

struct memory_group {
    char *name;     // of the control group; NULL: not known
    long oom_kills; // its processes that the kernel has killed for want of memory; -1: not known
    long pressure;  // percent of the last 10 s in which all of it waited for memory; -1: not known
    long machine_pressure; // likewise all of the machine
};

/** Reads it. Of a process that has ended the group may not be known any more: that of its parent is
 * read then. memory_group_deinit() frees it.
 */
struct memory_group memory_group_read(pid_t pid);
void memory_group_deinit(struct memory_group *group);

#endif
