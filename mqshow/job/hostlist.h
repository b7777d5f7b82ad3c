// SPDX-License-Identifier: BSD-3-Clause
// Lists of machines as users, Slurm and clush write them: "n[1-3,7],m5", "rack[1-2]n[01-16]-ib".
#ifndef MQSHOW_JOB_HOSTLIST_H
#define MQSHOW_JOB_HOSTLIST_H

#include "mqshow/job/nodes.h"

/** Adds the machines of a list to `nodes`, each once.
 * @return NULL, or what is wrong with it, to free(); then some may have been added
 */
char *hostlist_read(const char *list, struct nodes *nodes);

#endif
