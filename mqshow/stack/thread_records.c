// SPDX-License-Identifier: BSD-3-Clause
// The threads of a report: what is kept of their stacks when the process is not read any more.

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/process/system_wait.h"
#include "mqshow/report/report.h"
#include "mqshow/stack/python_merge.h"
#include "mqshow/stack/threads.h"

#include <stdlib.h>

static const char *
keep(struct report *report, const char *text)
{
    return text != NULL ? intern_keep(report->texts, text) : NULL;
}

static void
set_line(struct report *report, struct frame_record *record, const struct srcloc_line *line)
{
    record->function = keep(report, line->function);
    record->symbol = keep(report, line->symbol);
    record->file = keep(report, line->file);
    if (line->line > 0)
        SET(record, FRAME_LINE, line, line->line);
}

/** @param line NULL: nothing is known */
static void
add_frame(struct report *report, struct thread_record *record, const struct frame *frame,
          const struct srcloc_line *line)
{
    struct frame_record *added =
        ALLOC_ADD(record->stack.items, record->stack.count, record->stack.capacity);
    record_init(&frame_record_type, added);
    if (line != NULL) {
        set_line(report, added, line);
        added->construct = keep(report, line->construct);
    }
    added->module = keep(report, frame->module);
    SET(added, FRAME_ADDRESS, address, frame->address);
    if (frame->module != NULL && added->function == NULL)
        SET(added, FRAME_OFFSET, offset, frame->address - frame->bias);
}

static void
add_native_frames(struct report *report, struct thread_record *record, const struct frame *frame)
{
    for (size_t k = 0; frame->srcloc != NULL && k < frame->srcloc->count; k++)
        add_frame(report, record, frame, &frame->srcloc->lines[k]);
    if (frame->srcloc == NULL)
        add_frame(report, record, frame, NULL);
}

static void
set_python_line(struct report *report, struct frame_record *record,
                const struct python_frame *frame)
{
    record->function = keep(report, frame->function);
    record->file = keep(report, frame->file);
    record->language = keep(report, "python");
    if (frame->line > 0)
        SET(record, FRAME_LINE, line, frame->line);
}

static void
add_python_frames(struct report *report, struct thread_record *record,
                  const struct python_place *place)
{
    for (size_t i = 0; i < place->count; i++) {
        struct frame_record *added =
            ALLOC_ADD(record->stack.items, record->stack.count, record->stack.capacity);
        record_init(&frame_record_type, added);
        set_python_line(report, added, &place->frames[i]);
    }
}

/** The stack of a thread that runs Python: its functions are where the interpreter is. */
static void
add_merged_stack(struct report *report, struct thread_record *record, const struct thread *thread,
                 const struct python_thread *python)
{
    struct python_place *places = python_merge(thread, python);
    for (size_t i = 0; i < thread->n_frames; i++) {
        add_python_frames(report, record, &places[i]);
        if (thread->frames[i].runtime != RUNTIME_PYTHON)
            add_native_frames(report, record, &thread->frames[i]);
    }
    add_python_frames(report, record, &places[thread->n_frames]);
    free(places);
    if (python_is_innermost(thread)) {
        record_init(&frame_record_type, &record->frame);
        set_python_line(report, &record->frame, &python->frames[0]);
        record->has |= 1u << THREAD_FRAME;
        record->runtime = NULL;
    }
}

static void
add_stack(struct report *report, struct thread_record *record, const struct thread *thread,
          const struct python_thread *python)
{
    if (python != NULL)
        add_merged_stack(report, record, thread, python);
    for (size_t i = 0; python == NULL && i < thread->n_frames; i++)
        add_native_frames(report, record, &thread->frames[i]);
    record->has |= 1u << THREAD_STACK;
}

/** The id of the OpenMP thread that a thread is; NULL: it is none. */
static const char *
openmp_id(struct report *report, pid_t tid)
{
    for (size_t i = 0; i < report->omp.n_threads; i++) {
        const mqs_omp_thread *thread = &report->omp.threads[i];
        if ((thread->known & MQS_OMP_TID) != 0 && thread->tid == tid && *thread->id != '\0')
            return report_keep(report, escape_text(thread->id, sizeof thread->id));
    }
    return NULL;
}

static void
set_wait(struct thread_record *record, const struct thread_wait *wait)
{
    if (wait->count == 0)
        return;
    struct awaits_record *set = &record->awaits;
    SET(set, AWAITS_NEEDS, needs, wait->needs_any ? AWAITS_ANY : AWAITS_ALL);
    SET(set, AWAITS_CERTAIN, certain, wait->certain);
    if (wait->others)
        SET(set, AWAITS_OTHERS, others_too, true);
    set->requests.items = alloc_zeroed(wait->count, sizeof *set->requests.items);
    set->requests.count = set->requests.capacity = wait->count;
    for (size_t i = 0; i < wait->count; i++)
        set->requests.items[i] = wait->items[i].request;
    set->has |= 1u << AWAITS_REQUESTS;
    record->has |= 1u << THREAD_AWAITS;
}

/** What the thread waits for in a call to the system that the user's code has made. */
static void
set_system_wait(struct report *report, struct thread_record *record, const struct thread *thread,
                const struct debuggee *process)
{
    if (thread->call != NULL || thread->n_frames == 0 || thread->frames[0].runtime != RUNTIME_C ||
        !HAS(record, THREAD_FRAME))
        return;
    struct system_wait wait = system_wait_read(process, thread->tid);
    if (wait.file != NULL)
        record->system_file = report_keep(report, escape_text(wait.file, SIZE_MAX));
    for (size_t i = 0; i < wait.n_holders; i++)
        *ALLOC_ADD(record->holders.items, record->holders.count, record->holders.capacity) =
            wait.holders[i];
    if (wait.n_holders > 0)
        record->has |= 1u << THREAD_HOLDERS;
    system_wait_deinit(&wait);
}

static void
add_thread(struct report *report, struct thread_record *record, const struct thread *thread,
           const struct python_thread *python, const struct debuggee *process)
{
    record_init(&thread_record_type, record);
    SET(record, THREAD_TID, tid, thread->tid);
    record->name = keep(report, thread->name);
    record->call = keep(report, thread->call);
    if (thread->user != NULL) {
        set_line(report, &record->frame, &thread->user->srcloc->lines[0]);
        record->has |= 1u << THREAD_FRAME;
    }
    record->openmp = openmp_id(report, thread->tid);
    set_wait(record, &thread->wait);
    if (thread->communicator != 0)
        SET(record, THREAD_COMMUNICATOR, communicator, thread->communicator);
    record->runtime = runtime_name(thread->owner);
    add_stack(report, record, thread, python);
    set_system_wait(report, record, thread, process);
    SET(record, THREAD_COMPLETE, complete, thread->complete);
}

void
thread_records_add(struct report *report, const struct threads *threads,
                   const struct debuggee *process)
{
    report->threads.items = alloc_zeroed(threads->count, sizeof *report->threads.items);
    report->threads.count = report->threads.capacity = threads->count;
    for (size_t i = 0; i < threads->count; i++)
        add_thread(report, &report->threads.items[i], &threads->items[i],
                   python_thread(&threads->python, threads->items[i].tid), process);
    if (threads->python.problem != NULL)
        report_problem(report, alloc_text(threads->python.problem));
}
