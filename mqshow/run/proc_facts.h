// SPDX-License-Identifier: BSD-3-Clause
// What the system says of a process, without reading its memory: whether it goes on, what limits
// its memory, what has come to its sockets.
#ifndef MQSHOW_RUN_PROC_FACTS_H
#define MQSHOW_RUN_PROC_FACTS_H

#include "mqshow/job/job.h"
#include "mqshow/report/report.h"

/** Adds it to the report of a process of this machine. @param job that the process is of */
void proc_facts_add(struct report *report, const struct job *job, pid_t pid);

/** Adds only whether it goes on. */
void proc_facts_add_state(struct report *report, pid_t pid);

#endif
