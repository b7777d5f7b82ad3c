// SPDX-License-Identifier: BSD-3-Clause
// The processes of a job on several machines as one word of a command line:
// "node1=793-794+800,node2=789-790".
#ifndef MQSHOW_JOB_PIDLIST_H
#define MQSHOW_JOB_PIDLIST_H

#include "mqshow/job/job.h"

/** Appends the processes of a node to a list, with its name.
 * @param list to free(), NULL at first
 * @return the list, moved
 */
char *pidlist_add(char *list, const struct job *job, int node);

/** Adds to a job the processes that a list names for one machine.
 * @param as the machine; NULL: whichever name in it means this machine
 * @return NULL, or what is wrong, to free()
 */
char *pidlist_read(const char *list, const char *as, struct job *job);

#endif
