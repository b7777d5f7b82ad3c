// SPDX-License-Identifier: BSD-3-Clause
// The threads of a process as JSON; members that are not known are left out.
#include "tools/json.h"
#include "tools/openmp.h"
#include "tools/threads.h"

static void
set_line(json_t *object, const struct code_line *line)
{
    json_set_text(object, "function", line->function);
    json_set_text(object, "symbol", line->symbol);
    json_set_text(object, "file", line->file);
    json_set_integer(object, "line", line->line > 0, line->line);
}

static json_t *
frame_json(const struct frame *frame, const struct code_line *line)
{
    json_t *object = json_object();
    if (line != NULL)
        set_line(object, line);
    json_set_text(object, "construct", line != NULL ? line->construct : NULL);
    json_set_text(object, "module", frame->module);
    json_set_hex(object, "address", true, frame->address);
    return object;
}

static json_t *
stack_json(const struct thread *thread)
{
    json_t *array = json_array();
    for (size_t i = 0; i < thread->n_frames; i++) {
        const struct frame *frame = &thread->frames[i];
        for (size_t k = 0; frame->code != NULL && k < frame->code->count; k++)
            json_array_append_new(array, frame_json(frame, &frame->code->lines[k]));
        if (frame->code == NULL)
            json_array_append_new(array, frame_json(frame, NULL));
    }
    return array;
}

static void
set_user_frame(json_t *object, const struct thread *thread)
{
    if (thread->user == NULL)
        return;
    json_t *frame = json_object();
    set_line(frame, &thread->user->code->lines[0]);
    json_object_set_new(object, "frame", frame);
}

/** Names the thread of the OpenMP runtime that this is. */
static void
set_openmp(json_t *object, const struct openmp *omp, pid_t tid)
{
    for (size_t i = 0; i < omp->n_threads; i++)
        if ((omp->threads[i].known & MQS_OMP_TID) != 0 && omp->threads[i].tid == tid)
            json_set_raw_text(object, "openmp", omp->threads[i].id, sizeof omp->threads[i].id);
}

static void
set_awaits(json_t *object, const struct awaits *awaits)
{
    if (awaits->count == 0)
        return;
    json_t *requests = json_array();
    for (size_t i = 0; i < awaits->count; i++)
        json_array_append_new(
            requests, json_sprintf("0x%llx", (unsigned long long) awaits->items[i].request));
    json_object_set_new(object, "awaits",
                        json_pack("{s:s, s:b, s:o}", "needs", awaits->needs_any ? "any" : "all",
                                  "certain", awaits->certain, "requests", requests));
    if (awaits->others)
        json_object_set_new(json_object_get(object, "awaits"), "others", json_true());
}

static json_t *
thread_json(const struct thread *thread, const struct openmp *omp)
{
    json_t *object = json_object();
    json_set_integer(object, "tid", true, thread->tid);
    json_set_text(object, "name", thread->name);
    json_set_text(object, "call", thread->call);
    set_user_frame(object, thread);
    set_openmp(object, omp, thread->tid);
    set_awaits(object, &thread->awaits);
    json_set_hex(object, "communicator", thread->communicator != 0, thread->communicator);
    json_set_text(object, "runtime", runtime_name(thread->owner));
    json_object_set_new(object, "stack", stack_json(thread));
    json_set_bool(object, "stack_complete", true, thread->complete);
    return object;
}

json_t *
json_threads(const struct threads *threads, const struct openmp *omp)
{
    json_t *array = json_array();
    for (size_t i = 0; i < threads->count; i++)
        json_array_append_new(array, thread_json(&threads->items[i], omp));
    return array;
}
