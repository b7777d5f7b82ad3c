// SPDX-License-Identifier: BSD-3-Clause
// The threads of a report.
#ifndef MQSHOW_STACK_THREAD_RECORDS_H
#define MQSHOW_STACK_THREAD_RECORDS_H

struct report;
struct threads;

/** Adds the threads to a report, with what was found out about them and its OpenMP threads. */
void thread_records_add(struct report *report, const struct threads *threads);

#endif
