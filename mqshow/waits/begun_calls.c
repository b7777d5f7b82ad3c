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

#include <stdlib.h>

enum { FRAMES_MAX = 10, ALL_FRAMES_MAX = 1000 }; // of the program's code, that are looked into

/** The collectives in progress whose requests have handles. */
struct pending_collectives {
    struct pending_collective {
        struct nonblocking_record *record;
        uint64_t handle;
    } * items;
    size_t count, capacity;
};

static void
list_collectives(struct pending_collectives *ret, struct report *report,
                 const struct request_handles *handles)
{
    for (size_t i = 0; i < report->comms.count; i++)
        for (size_t k = 0; k < report->comms.items[i].nonblocking.count; k++) {
            struct nonblocking_record *record = &report->comms.items[i].nonblocking.items[k];
            uint64_t handle;
            if (HAS(record, NONBLOCKING_REQUEST) && handles_get(handles, record->request, &handle))
                *ALLOC_ADD(ret->items, ret->count, ret->capacity) =
                    (struct pending_collective){record, handle};
        }
}

/** Notes the call where its handle is still that of a collective like what it has begun. */
static void
note(struct report *report, const struct pending_collectives *collectives, uint64_t handle,
     const struct begun_call *call)
{
    size_t i = 0;
    while (i < collectives->count && collectives->items[i].handle != handle)
        i++;
    struct nonblocking_record *record =
        i < collectives->count ? collectives->items[i].record : NULL;
    if (!record || record->call || record->persistent != call->persistent)
        return;
    record->call = report_intern(report, call->name);
    record_init(&frame_record_type, &record->caller);
    SET(&record->caller, FRAME_ADDRESS, address, call->after);
    record->has |= 1u << NONBLOCKING_CALLER;
}

void
begun_calls_find(struct report *report, const struct threads *threads, const struct image *image,
                 const struct request_handles *handles)
{
    struct pending_collectives collectives = {.items = NULL};
    struct begun begun;
    struct begun_call found[FLOW_MARKS];
    size_t left = ALL_FRAMES_MAX;
    if (handles->known)
        list_collectives(&collectives, report, handles);
    begun_init(&begun, image);
    for (size_t i = 0; i < threads->count && collectives.count > 0; i++) {
        const struct thread *thread = &threads->items[i];
        size_t looked = 0;
        for (size_t k = 0; k < thread->n_frames && thread->mpi_end != 0; k++) {
            if (thread->frames[k].runtime != RUNTIME_NONE)
                continue;
            if (looked == FRAMES_MAX || left == 0)
                break;
            looked++;
            left--;
            size_t count = begun_find(&begun, thread, k, found);
            for (size_t n = 0; n < count; n++) {
                uint64_t handle;
                if (memory_read_uint(&image->debuggee, found[n].address,
                                     (size_t) handles->conventions.handle_size, &handle))
                    note(report, &collectives, handle, &found[n]);
            }
        }
    }
    begun_deinit(&begun);
    free(collectives.items);
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
