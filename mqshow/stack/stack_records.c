// SPDX-License-Identifier: BSD-3-Clause
// The stacks of a report: what is kept of frames when the process is not read any more.

#include "mqshow/base/alloc.h"
#include "mqshow/report/report.h"
#include "mqshow/stack/python_merge.h"
#include "mqshow/stack/threads.h"
#include "mqshow/symbols/image.h"

#include <stdlib.h>

void
frame_record_set_line(struct report *report, struct frame_record *record,
                      const struct srcloc_line *line)
{
    record->function = report_intern(report, line->function);
    record->symbol = report_intern(report, line->symbol);
    record->file = report_intern(report, line->file);
    if (line->line > 0)
        SET(record, FRAME_LINE, line, line->line);
}

/** @param line NULL: nothing is known */
static void
set_frame(struct report *report, struct frame_record *record, const struct frame *frame,
          const struct srcloc_line *line)
{
    record_init(&frame_record_type, record);
    if (line != NULL) {
        frame_record_set_line(report, record, line);
        record->construct = report_intern(report, line->construct);
    }
    record->module = report_intern(report, frame->module);
    SET(record, FRAME_ADDRESS, address, frame->address);
    if (frame->module != NULL && record->function == NULL)
        SET(record, FRAME_OFFSET, offset, frame->address - frame->bias);
}

void
frame_record_set(struct report *report, struct frame_record *record, const struct image *image,
                 uint64_t after)
{
    const struct module *module = image_module_at(image, after - 1);
    const struct srcloc *srcloc =
        module != NULL ? srcloc_at(module->file, after - 1 - module->bias) : NULL;
    struct frame frame = {.address = after};
    if (module != NULL) {
        frame.module = module->file->path;
        frame.bias = module->bias;
    }
    set_frame(report, record, &frame, srcloc != NULL ? &srcloc->lines[0] : NULL);
}

/** @param line NULL: nothing is known */
static void
add_frame(struct report *report, struct thread_record *record, const struct frame *frame,
          const struct srcloc_line *line)
{
    set_frame(report, ALLOC_ADD(record->stack.items, record->stack.count, record->stack.capacity),
              frame, line);
}

/** The functions that are inlined at a frame; the last line is that of the function itself. */
static void
add_inlined(struct report *report, struct thread_record *record, const struct frame *frame)
{
    for (size_t k = 0; frame->srcloc != NULL && k + 1 < frame->srcloc->count; k++)
        add_frame(report, record, frame, &frame->srcloc->lines[k]);
}

static void
add_function(struct report *report, struct thread_record *record, const struct frame *frame)
{
    const struct srcloc *srcloc = frame->srcloc;
    add_frame(report, record, frame, srcloc != NULL ? &srcloc->lines[srcloc->count - 1] : NULL);
}

void
frame_record_set_python(struct report *report, struct frame_record *record,
                        const struct python_frame *frame)
{
    record_init(&frame_record_type, record);
    record->function = report_intern(report, frame->function);
    record->file = report_intern(report, frame->file);
    record->language = report_intern(report, "python");
    if (frame->line > 0)
        SET(record, FRAME_LINE, line, frame->line);
}

static void
add_python_frames(struct report *report, struct thread_record *record,
                  const struct python_place *place)
{
    for (size_t i = 0; i < place->count; i++)
        frame_record_set_python(
            report, ALLOC_ADD(record->stack.items, record->stack.count, record->stack.capacity),
            &place->frames[i]);
}

/** The stack of a thread that runs Python: its functions are where the interpreter is. */
static void
add_merged_stack(struct report *report, struct thread_record *record, const struct thread *thread,
                 const struct python_thread *python)
{
    struct python_place *places = python_merge(thread, python);
    for (size_t i = 0; i < thread->n_frames; i++) {
        add_inlined(report, record, &thread->frames[i]); // which Python's functions have called
        add_python_frames(report, record, &places[i]);
        add_function(report, record, &thread->frames[i]);
    }
    add_python_frames(report, record, &places[thread->n_frames]);
    free(places);
    if (python_is_innermost(thread)) {
        frame_record_set_python(report, &record->frame, &python->frames[0]);
        record->has |= 1u << THREAD_FRAME;
        record->runtime = NULL;
    }
}

void
stack_record_add(struct report *report, struct thread_record *record, const struct thread *thread,
                 const struct python_thread *python)
{
    if (python != NULL)
        add_merged_stack(report, record, thread, python);
    for (size_t i = 0; python == NULL && i < thread->n_frames; i++) {
        add_inlined(report, record, &thread->frames[i]);
        add_function(report, record, &thread->frames[i]);
    }
    record->has |= 1u << THREAD_STACK;
}
