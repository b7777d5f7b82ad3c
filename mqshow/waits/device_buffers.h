// SPDX-License-Identifier: BSD-3-Clause
// Which operations of MPI have their data in memory of a device.
#ifndef MQSHOW_WAITS_DEVICE_BUFFERS_H
#define MQSHOW_WAITS_DEVICE_BUFFERS_H

#include "mqshow/process/maps.h"
#include "mqshow/report/report.h"
#include "mqshow/symbols/image.h"

/** Marks those of a process that has a driver's library loaded.
 * @param maps of the process, as it stood still */
void device_buffers_set(struct report *report, const struct image *image, const struct maps *maps);

#endif
