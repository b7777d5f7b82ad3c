// SPDX-License-Identifier: BSD-3-Clause
// The devices of processes in which threads wait for one, as their drivers describe them.
#ifndef MQSHOW_RUN_DEVICES_H
#define MQSHOW_RUN_DEVICES_H

#include "mqshow/run/run.h"

/** Adds them to the reports of processes that run on this machine. No process is stopped
 * meanwhile. What was asked lately is not asked again, so that samples in a row ask once. */
void devices_add(struct run *run, struct document *document);

void devices_deinit(struct run *run);

#endif
