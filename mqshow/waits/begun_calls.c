// SPDX-License-Identifier: BSD-3-Clause
// Which calls have begun the nonblocking collectives of a process.
#include "mqshow/waits/wait_resolve.h"

#include "mqshow/base/alloc.h"
#include "mqshow/process/memory.h"
#include "mqshow/report/report.h"
#include "mqshow/stack/begun.h"
#include "mqshow/stack/threads.h"
#include "mqshow/symbols/image.h"
#include "mqshow/waits/request_handles.h"

enum { FRAMES_MAX = 10, ALL_FRAMES_MAX = 1000 }; // of the program's code, that are looked into

/** The collective in progress whose request a handle is; NULL: there is none. */
static struct nonblocking_record *
find_collective(struct report *report, const struct request_handles *handles, uint64_t handle)
{
    for (size_t i = 0; i < report->comms.count; i++)
        for (size_t k = 0; k < report->comms.items[i].nonblocking.count; k++) {
            struct nonblocking_record *record = &report->comms.items[i].nonblocking.items[k];
            uint64_t own;
            if (HAS(record, NONBLOCKING_REQUEST) && handles_get(handles, record->request, &own) &&
                own == handle)
                return record;
        }
    return NULL;
}

/** Notes the call where its handle is still that of a collective like what it has begun. */
static void
note(struct report *report, const struct image *image, const struct request_handles *handles,
     const struct begun_call *call)
{
    uint64_t handle;
    struct nonblocking_record *record =
        memory_read_uint(&image->debuggee, call->address, (size_t) handles->conventions.handle_size,
                         &handle)
            ? find_collective(report, handles, handle)
            : NULL;
    if (!record || record->call || record->persistent != call->persistent)
        return;
    record->call = report_keep(report, alloc_text(call->name));
    record_init(&frame_record_type, &record->caller);
    SET(&record->caller, FRAME_ADDRESS, address, call->after);
    record->has |= 1u << NONBLOCKING_CALLER;
}

static bool
has_collectives(const struct report *report)
{
    for (size_t i = 0; i < report->comms.count; i++)
        if (report->comms.items[i].nonblocking.count > 0)
            return true;
    return false;
}

void
begun_calls_find(struct report *report, const struct threads *threads, const struct image *image,
                 const struct request_handles *handles)
{
    struct begun begun;
    struct begun_call found[FLOW_MARKS];
    size_t left = ALL_FRAMES_MAX;
    if (!handles->known || !has_collectives(report))
        return;
    begun_init(&begun, image);
    for (size_t i = 0; i < threads->count; i++) {
        const struct thread *thread = &threads->items[i];
        size_t looked = 0;
        for (size_t k = 0; k < thread->n_frames && thread->mpi_end != 0; k++) {
            if (thread->frames[k].runtime != RUNTIME_NONE)
                continue;
            if (looked++ == FRAMES_MAX || left-- == 0)
                break;
            size_t count = begun_find(&begun, thread, k, found);
            for (size_t n = 0; n < count; n++)
                note(report, image, handles, &found[n]);
        }
    }
    begun_deinit(&begun);
}

void
begun_calls_symbolize(struct report *report, const struct image *image)
{
    for (size_t i = 0; i < report->comms.count; i++)
        for (size_t k = 0; k < report->comms.items[i].nonblocking.count; k++) {
            struct nonblocking_record *record = &report->comms.items[i].nonblocking.items[k];
            if (HAS(record, NONBLOCKING_CALLER))
                frame_record_set(report, &record->caller, image, record->caller.address);
        }
}
