// SPDX-License-Identifier: BSD-3-Clause
// Whether a thread waits for a device, such as a GPU, or for other processes whose devices are to
// do something with its own, as its stack says.
#ifndef MQSHOW_REPORT_DEVICE_WAIT_H
#define MQSHOW_REPORT_DEVICE_WAIT_H

#include "mqshow/report/report.h"

/** Sets the member of the record, if the thread is in functions that wait for a device, which
 * others than these have called. */
void device_wait_set(struct report *report, struct thread_record *thread);

/** The frame of the stack that has called these functions; 0: the thread is in none. */
size_t device_wait_caller(const struct thread_record *thread);

/** The library for collectives of devices that a thread is one of: "NCCL"; NULL: none. */
const char *device_collectives_of(const struct thread_record *thread);

/** Whether a thread of a device's driver runs a function of the program, which the program has
 * given to the device. */
bool device_runs_function(const struct thread_record *thread);

/** Whether it is a call that other processes, perhaps, are to make too. */
bool device_waits_for_ranks(const struct device_record *device);

/** "waits for the GPU", "wait for the device": one thread or process, or many. */
const char *device_wait_text(const struct device_record *device, bool many);

#endif
