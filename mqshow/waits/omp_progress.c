// SPDX-License-Identifier: BSD-3-Clause
// Whether an OpenMP runtime did anything for threads that wait in it.
//
// An id of a record begins with its address. What is there need not be understood: as long as
// threads wait for each other, nothing of it changes but what a thread that seeks for a task puts
// into its own record.
#include "mqshow/waits/omp_progress.h"

#include "mqshow/process/memory.h"
#include "mqshow/report/openmp.h"
#include "mqshow/symbols/image.h"

#include <stdlib.h>

// What is read of each, no more than it has: what lies behind it may be data that others change.
enum { THREAD_BYTES = 1408, REGION_BYTES = 1024, TASK_BYTES = 128, LOCK_BYTES = 4, PIECE = 64 };

/** FNV-1a, of 64 bits. */
static const uint64_t basis = 0xcbf29ce484222325, prime = 0x100000001b3;

struct progress_sum {
    const struct image *image;
    uint64_t hash;
    int64_t bytes; // that could be read
};

/** Adds memory, as far as it can be read. */
static void
add_memory(struct progress_sum *sum, uint64_t addr, size_t size)
{
    unsigned char bytes[PIECE];
    for (size_t at = 0; addr != 0 && at < size; at += sizeof bytes) {
        size_t length = size - at < sizeof bytes ? size - at : sizeof bytes;
        if (!memory_read(&sum->image->debuggee, addr + at, length, bytes))
            return;
        sum->bytes += (int64_t) length;
        for (size_t i = 0; i < length; i++)
            sum->hash = (sum->hash ^ bytes[i]) * prime;
    }
}

static void
add_record(struct progress_sum *sum, const char *id, size_t size)
{
    add_memory(sum, strtoull(id, NULL, 16), size);
}

static void
add_region_and_task(struct progress_sum *sum, const struct openmp *omp,
                    const mqs_omp_thread *thread)
{
    const mqs_omp_region *region =
        (thread->known & MQS_OMP_REGION) != 0 ? openmp_region(omp, thread->region) : NULL;
    const mqs_omp_task *task =
        (thread->known & MQS_OMP_TASK) != 0 ? openmp_task(omp, thread->task) : NULL;
    if (region)
        add_record(sum, region->id, REGION_BYTES);
    if (task)
        add_record(sum, task->id, TASK_BYTES);
}

void
omp_progress_find(struct openmp *omp, const struct image *image)
{
    for (size_t i = 0; omp->waits && i < omp->n_threads; i++) {
        struct omp_wait_record *wait = &omp->waits[i];
        struct progress_sum sum = {.image = image, .hash = basis};
        if (!HAS(wait, OMP_WAIT_KIND))
            continue;
        if (wait->kind < OMP_WAITS_BARRIER)
            add_record(&sum, omp->threads[i].id, THREAD_BYTES);
        else
            add_region_and_task(&sum, omp, &omp->threads[i]);
        if (HAS(wait, OMP_WAIT_OBJECT) && wait->kind < OMP_WAITS_BARRIER)
            add_memory(&sum, wait->object, LOCK_BYTES);
        if (sum.bytes == 0)
            continue;
        SET(wait, OMP_WAIT_PROGRESS, progress, sum.hash);
        SET(wait, OMP_WAIT_PROGRESS_BYTES, progress_bytes, sum.bytes);
    }
}
