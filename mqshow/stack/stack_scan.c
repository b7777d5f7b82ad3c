// SPDX-License-Identifier: BSD-3-Clause
// The words on a part of a thread's stack, and in its registers.

#include "mqshow/symbols/image.h"
#include "mqshow/process/bytes.h"
#include "mqshow/process/memory.h"
#include "mqshow/stack/threads.h"

enum { PAGE = 4096 };

static void
take_page(const struct image *image, uint64_t start, size_t size, stack_scan_ft take, void *context)
{
    unsigned char bytes[PAGE];
    size_t width = (size_t) image->debuggee.pointer_size;
    if (!memory_read(&image->debuggee, start, size, bytes))
        return;
    for (size_t at = 0; at + width <= size; at += width)
        take(context, start + at, bytes_uint(bytes + at, width));
}

void
stack_scan(const struct thread *thread, const struct image *image, stack_scan_ft take,
           void *context)
{
    if (thread->mpi_end != 0)
        stack_scan_range(thread, image, thread->mpi_start, thread->mpi_end, take, context);
}

void
stack_scan_range(const struct thread *thread, const struct image *image, uint64_t start,
                 uint64_t end, stack_scan_ft take, void *context)
{
    for (size_t i = 0; i < THREAD_REGISTERS; i++)
        take(context, 0, thread->registers[i]);
    for (uint64_t at = start, next; at < end; at = next) {
        next = (at | (PAGE - 1)) + 1;
        next = next < end ? next : end;
        take_page(image, at, (size_t) (next - at), take, context);
    }
}
