// SPDX-License-Identifier: BSD-3-Clause
// Whether a thread waits for a device, such as a GPU, as its stack says.
#include "mqshow/report/device_wait.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/device_calls.h"
#include "mqshow/base/intern.h"

#include <string.h>

/** The innermost frames of a stack that are of calls that wait for a device. */
struct calls {
    size_t count; // with those of the C library that they have called
    const struct device_call *call;
    const char *function;                 // the outermost one that users call; NULL: none is known
    enum device_api api;                  // of that, or of the library
    const struct device_library *library; // the outermost one that drives a device; NULL: none
    bool waits;                           // not only for what may run without a device, too
};

/** The line of a frame's function. One of the program's own that is named like one of these has a
 * source file, and what is linked in has none, but for what comes as source, too. */
static const struct device_call *
call_of(const struct frame_record *frame, const struct device_library *library)
{
    const struct device_call *call = frame->function ? device_call_find(frame->function) : NULL;
    bool is_source = call && (call->waits == DEVICE_WAITS_PART || call->above);
    return library || !frame->file || is_source ? call : NULL;
}

static struct calls
find_calls(const struct thread_record *thread)
{
    struct calls calls = {.count = 0};
    for (; calls.count < thread->stack.count; calls.count++) {
        const struct frame_record *frame = &thread->stack.items[calls.count];
        const struct device_library *library =
            frame->module ? device_library_find(frame->module) : NULL;
        const struct device_call *call = call_of(frame, library);
        if (frame_is_python(frame) || (!call && !library && frame_runtime(frame) != RUNTIME_C))
            break;
        if (library && library->drives)
            calls.library = library;
        if (call && call->waits != DEVICE_WAITS_PART) {
            calls.call = call;
            calls.function = frame->function;
            calls.api = call->api == DEVICE_NCCL && library ? library->api : call->api;
            calls.waits |= !call->above;
        }
    }
    return calls;
}

/** Whether a thread sleeps, or gives up the processor. */
static bool
is_blocked(const struct thread_record *thread)
{
    const char *function = thread->stack.items[0].function;
    return (HAS(thread, THREAD_KERNEL) && thread->kernel.sleeps) ||
           (function && runtime_is_named(function, "sched_yield"));
}

/** Whether somebody else has called them. The threads of a device's libraries begin in these. */
static bool
has_caller(const struct thread_record *thread, size_t first)
{
    for (size_t i = first; i < thread->stack.count; i++)
        if (frame_runtime(&thread->stack.items[i]) != RUNTIME_C)
            return true;
    return false;
}

/** Libraries of MPI ask a device again and again in calls of which nothing is known. */
static bool
waits(const struct thread_record *thread, const struct calls *calls)
{
    bool drives = calls->library && (calls->call || !thread->call);
    if ((!calls->waits && !drives) || !has_caller(thread, calls->count))
        return false;
    enum device_waits what = calls->call ? calls->call->waits : DEVICE_WAITS_PART;
    return what != DEVICE_WAITS_NOTHING && (what != DEVICE_WAITS_LAUNCH || is_blocked(thread));
}

size_t
device_wait_caller(const struct thread_record *thread)
{
    struct calls calls = find_calls(thread);
    return waits(thread, &calls) ? calls.count : 0;
}

/** The library that a thread began in; NULL: in none of these, or not known. */
static const struct device_library *
library_of(const struct thread_record *thread)
{
    const struct frame_record *frames = thread->stack.items;
    size_t i = HAS(thread, THREAD_COMPLETE) && thread->complete ? thread->stack.count : 0;
    while (i > 0 && frame_runtime(&frames[i - 1]) == RUNTIME_C)
        i--;
    return i > 0 && frames[i - 1].module ? device_library_find(frames[i - 1].module) : NULL;
}

bool
device_runs_function(const struct thread_record *thread)
{
    const struct device_library *library = library_of(thread);
    return library && library->drives && HAS(thread, THREAD_FRAME) && thread->frame.function;
}

const char *
device_collectives_of(const struct thread_record *thread)
{
    const struct device_library *library = library_of(thread);
    bool is_so = library && (library->api == DEVICE_NCCL || library->api == DEVICE_RCCL ||
                             library->api == DEVICE_ONECCL);
    return is_so ? device_api_name(library->api) : NULL;
}

/** Whether the thread's own frame is one of these calls, or has no name. */
static bool
is_within(const struct thread_record *thread, size_t count)
{
    if (!thread->frame.function)
        return true;
    for (size_t i = 0; i < count; i++)
        if (frame_is_same_line(&thread->frame, &thread->stack.items[i]))
            return true;
    return false;
}

/** What has called them is the thread's own frame; it may have no name. */
static void
set_frame(struct thread_record *thread, size_t caller)
{
    struct frame_record *own = &thread->frame;
    if (!HAS(thread, THREAD_FRAME) || !is_within(thread, caller))
        return;
    record_init(&frame_record_type, own);
    for (size_t i = caller; i < thread->stack.count && !own->function; i++) {
        const struct frame_record *frame = &thread->stack.items[i];
        const char *symbol = frame->symbol ? frame->symbol : frame->function;
        if (!frame->function || runtime_starts(symbol) || frame_runtime(frame) != RUNTIME_NONE)
            continue;
        own->function = frame->function;
        own->symbol = frame->symbol;
        own->file = frame->file;
        if (HAS(frame, FRAME_LINE))
            SET(own, FRAME_LINE, line, frame->line);
    }
}

/** The outermost function of torch.distributed that packages have called since the program's own
 * innermost function; NULL: none. */
static const struct frame_record *
torch_call(const struct thread_record *thread)
{
    const struct frame_record *call = NULL;
    for (size_t i = 0; i < thread->stack.count; i++) {
        const struct frame_record *frame = &thread->stack.items[i];
        if (!frame_is_python(frame))
            continue;
        if (!frame->file || !runtime_is_installed(frame->file))
            break;
        if (frame->function && device_is_torch_call(frame->function, frame->file))
            call = frame;
    }
    return call;
}

/** A call of torch.distributed in which the thread sleeps, but not for a device. */
static void
set_torch(struct report *report, struct thread_record *thread)
{
    struct device_record *device = &thread->device;
    const struct frame_record *call = torch_call(thread);
    if (!call || !is_blocked(thread) ||
        (HAS(thread, THREAD_DEVICE) && !device_waits_for_ranks(device)))
        return;
    thread->has |= 1u << THREAD_DEVICE;
    device->api = report_intern(report, device_api_name(DEVICE_TORCH));
    device->call = report_keep(report, alloc_format("%s.%s", device->api, call->function));
    SET(device, DEVICE_WAITS_FOR, waits_for, DEVICE_WAITS_RANKS);
}

static void
set_device(struct report *report, struct thread_record *thread)
{
    struct calls calls = find_calls(thread);
    struct device_record *device = &thread->device;
    if (!waits(thread, &calls))
        return;
    thread->has |= 1u << THREAD_DEVICE;
    set_frame(thread, calls.count);
    device->api =
        report_intern(report, device_api_name(calls.call ? calls.api : calls.library->api));
    if (calls.call) {
        device->call = report_keep(report, device_call_plain(calls.function));
        SET(device, DEVICE_WAITS_FOR, waits_for, (uint8_t) calls.call->waits);
    }
    if (calls.library)
        device->library = report_intern(report, calls.library->name);
}

void
device_wait_set(struct report *report, struct thread_record *thread)
{
    set_device(report, thread);
    set_torch(report, thread);
}

bool
device_waits_for_ranks(const struct device_record *device)
{
    return HAS(device, DEVICE_WAITS_FOR) && device->waits_for == DEVICE_WAITS_RANKS;
}

const char *
device_wait_text(const struct device_record *device, bool many)
{
    static const char *const texts[][2] = {{"waits for the device", "wait for the device"},
                                           {"waits for the GPU", "wait for the GPU"},
                                           {"waits for other ranks", "wait for other ranks"}};
    return texts[device_waits_for_ranks(device)              ? 2
                 : device->api && device_is_gpu(device->api) ? 1
                                                             : 0][many];
}
