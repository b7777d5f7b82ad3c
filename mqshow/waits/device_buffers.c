// SPDX-License-Identifier: BSD-3-Clause
// Which operations of MPI have their data in memory of a device.
#include "mqshow/waits/device_buffers.h"

#include "mqshow/base/device_calls.h"
#include "mqshow/symbols/objfile.h"

static bool
has_driver(const struct image *image)
{
    for (size_t i = 0; i < image->n_modules; i++) {
        const struct device_library *library = device_library_find(image->modules[i].file->path);
        if (library && library->drives)
            return true;
    }
    return false;
}

static void
mark_queue(struct operations *queue, const struct maps *maps)
{
    for (size_t i = 0; i < queue->count; i++) {
        struct operation *op = &queue->items[i];
        if (HAS(op, OP_BUFFER) && !op->system_buffer && maps_is_reserved(maps, op->buffer))
            SET(op, OP_DEVICE_BUFFER, device_buffer, true);
    }
}

void
device_buffers_set(struct report *report, const struct image *image, const struct maps *maps)
{
    if (!has_driver(image))
        return;
    for (size_t i = 0; i < report->comms.count; i++)
        for (int op_class = 0; op_class < QUEUES; op_class++)
            mark_queue(communicator_queue(&report->comms.items[i], op_class), maps);
}
