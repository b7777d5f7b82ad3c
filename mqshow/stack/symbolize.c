// SPDX-License-Identifier: BSD-3-Clause
// What the frames of threads are: functions and lines, the MPI call, the user's frame.

#include "mqshow/stack/callsite.h"
#include "mqshow/symbols/image.h"
#include "mqshow/base/mpi_calls.h"
#include "mqshow/stack/threads.h"

#include <stdlib.h>

static void
symbolize_frame(struct frame *frame, const struct image *image)
{
    const struct module *module = image_module_at(image, frame->pc);
    if (module != NULL)
        frame->srcloc = srcloc_at(module->file, frame->pc - module->bias);
}

static bool
is_starter(const struct frame *frame)
{
    return frame->srcloc != NULL && frame->srcloc->symbol != NULL &&
           runtime_starts(frame->srcloc->symbol);
}

static bool
is_users(const struct frame *frame)
{
    return frame->srcloc != NULL && frame->runtime == RUNTIME_NONE && !is_starter(frame);
}

/** The MPI call that a frame is one of, for free(); NULL: none. A function of the user's own that
 * is named like one has a source file; a library that was linked into the program has none.
 */
static char *
call_of(const struct frame *frame)
{
    bool has_symbol = frame->srcloc != NULL && frame->srcloc->symbol != NULL;
    bool is_mpi = has_symbol && (frame->runtime == RUNTIME_MPI ||
                                 (is_users(frame) && frame->srcloc->lines[0].file == NULL));
    return is_mpi ? mpi_call_name(frame->srcloc->symbol) : NULL;
}

/** The runtime that started a thread and is all that runs in it, as far as is known: code of no
 * file may be the user's. */
static enum runtime
owner_of(const struct thread *thread)
{
    enum runtime ret = RUNTIME_NONE;
    if (!thread->complete)
        return RUNTIME_NONE;
    for (size_t i = 0; i < thread->n_frames; i++) {
        const struct frame *frame = &thread->frames[i];
        if (!frame->srcloc)
            return RUNTIME_NONE;
        if (frame->runtime != RUNTIME_C && frame->runtime != RUNTIME_PYTHON && !is_starter(frame))
            ret = frame->runtime;
    }
    return ret;
}

static void
set_call(struct thread *thread, char *call)
{
    free(thread->call);
    thread->call = call;
    thread->user = NULL;
}

static void
symbolize_thread(struct thread *thread, const struct image *image)
{
    enum runtime inner = RUNTIME_NONE;
    for (size_t i = 0; i < thread->n_frames; i++) {
        const struct frame *frame = &thread->frames[i];
        char *call = call_of(frame);
        if (call != NULL) {
            set_call(thread, call);
        } else if (is_users(frame)) {
            // What MPI has called, such as a network's library, is no more the user's than that.
            call = inner == RUNTIME_MPI ? callsite_mpi_call(image, frame->address) : NULL;
            if (call != NULL)
                set_call(thread, call);
            if (thread->user == NULL)
                thread->user = frame;
        }
        inner = frame->runtime;
    }
    thread->owner = owner_of(thread);
    // A thread that MPI made may call other libraries; one of OpenMP's works for the user.
    if (thread->owner == RUNTIME_MPI)
        thread->user = NULL;
    if (thread->user != NULL || thread->call != NULL)
        thread->owner = RUNTIME_NONE;
}

void
symbolize_threads(struct threads *threads, const struct image *image)
{
    for (size_t i = 0; i < threads->count; i++) {
        struct thread *thread = &threads->items[i];
        for (size_t k = 0; k < thread->n_frames; k++)
            symbolize_frame(&thread->frames[k], image);
        symbolize_thread(thread, image);
    }
}
