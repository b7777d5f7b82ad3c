// SPDX-License-Identifier: BSD-3-Clause
// Regions, threads and tasks of OpenMP in words.
#include "mqshow/text/omp_text.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/search.h"
#include "mqshow/report/place.h"
#include "mqshow/symbols/names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { RANGES_SHOWN = 3, ANCESTORS_SHOWN = 4 };

char *
omp_text_join(char *text, const char *separator, char *more)
{
    bool none = !*text || !*more;
    char *joined = alloc_format("%s%s%s", text, none ? "" : separator, more);
    free(text);
    free(more);
    return joined;
}

char *
omp_text_numbers(const int64_t *numbers, size_t count, bool all)
{
    char *text = alloc_text("");
    size_t ranges = 0;
    for (size_t i = 0, end; i < count; i = end, ranges++) {
        if (ranges == RANGES_SHOWN && !all)
            return omp_text_join(text, ", ", alloc_text("..."));
        for (end = i + 1; end < count && numbers[end] == numbers[end - 1] + 1;)
            end++;
        // Two in a row are no range worth the name.
        end = end == i + 2 ? i + 1 : end;
        text = omp_text_join(
            text, ", ",
            end == i + 1 ? alloc_format("%" PRId64, numbers[i])
                         : alloc_format("%" PRId64 "-%" PRId64, numbers[i], numbers[end - 1]));
    }
    return text;
}

/** "ring.c:14", or the function when there is no line. */
static char *
short_code(const struct openmp *omp, uint64_t addr)
{
    const struct symbolized *symbolized = openmp_symbolized(omp, addr);
    if (symbolized && symbolized->file)
        return alloc_format("%s:%d", base_name(symbolized->file), symbolized->line);
    return symbolized && symbolized->function ? alloc_text(symbolized->function)
                                              : alloc_format("0x%" PRIx64, addr);
}

char *
omp_text_code(const struct openmp *omp, uint64_t addr)
{
    const struct symbolized *symbolized = openmp_symbolized(omp, addr);
    const char *function = symbolized ? symbolized->function : NULL;
    if (addr == 0)
        return alloc_text("");
    if (function && !symbolized->file)
        return alloc_format("in %s", function);
    return omp_text_join(
        alloc_text("at "), "",
        omp_text_join(short_code(omp, addr), " in ", alloc_text(function ? function : "")));
}

static char *
count_text(const mqs_omp_region *region)
{
    if ((region->known & MQS_OMP_TASK_COUNTS) == 0 ||
        (region->tasks_queued == 0 && region->tasks_running == 0))
        return alloc_text("");
    return alloc_format("tasks: %" PRId64 " queued, %" PRId64 " running", region->tasks_queued,
                        region->tasks_running);
}

char *
omp_text_region_name(const struct openmp *omp, const mqs_omp_region *region)
{
    if (openmp_is_outermost(region))
        return alloc_text("initial region");
    if (openmp_is_league(region)) // its function is the runtime's own
        return alloc_text("teams construct");
    bool has_function = (region->known & MQS_OMP_FUNCTION) != 0;
    return omp_text_join(alloc_text("region"), " ",
                         has_function ? omp_text_code(omp, region->function) : alloc_text(""));
}

char *
omp_text_region(const struct openmp *omp, const mqs_omp_region *region)
{
    const char *what = openmp_is_league(region) ? "league" : "team";
    bool has_size = (region->known & MQS_OMP_TEAM_SIZE) != 0;
    bool has_level = (region->known & MQS_OMP_LEVEL) != 0;
    char *text = omp_text_region_name(omp, region);
    text = omp_text_join(text, "   ",
                         has_size ? alloc_format("%s of %" PRId64, what, region->team_size)
                                  : alloc_format("%s of ?", what));
    text = omp_text_join(text, ", ",
                         has_level ? alloc_format("level %" PRId64, region->level)
                                   : alloc_text("level ?"));
    return omp_text_join(text, "   ", count_text(region));
}

char *
omp_text_thread(const mqs_omp_thread *thread)
{
    char *text = (thread->known & MQS_OMP_THREAD_NUM) != 0
                     ? alloc_format("thread %" PRId64, thread->thread_num)
                     : alloc_text("thread ?");
    return (thread->known & MQS_OMP_TEAM_SIZE) != 0
               ? omp_text_join(text, "", alloc_format(" of %" PRId64, thread->team_size))
               : text;
}

char *
omp_text_tid(const mqs_omp_thread *thread)
{
    return (thread->known & MQS_OMP_TID) != 0 ? alloc_format("tid %" PRId64, thread->tid)
                                              : alloc_text("tid ?");
}

char *
omp_text_state(const mqs_omp_thread *thread)
{
    if ((thread->known & MQS_OMP_STATE) == 0)
        return alloc_text("");
    // A state of the runtime's own may have no name.
    return thread->state_name[0] != '\0'
               ? escape_text(thread->state_name, sizeof thread->state_name)
               : alloc_format("state 0x%" PRIx64, (uint64_t) thread->state);
}

/** "thread 1", by its number in a region, or "tid 4711". */
static char *
name_of(const struct openmp *omp, int32_t region, int32_t number)
{
    const mqs_omp_thread *thread = openmp_thread(omp, number);
    if (!thread)
        return alloc_text("thread ?");
    bool is_of = (thread->known & MQS_OMP_REGION) != 0 && thread->region == region &&
                 (thread->known & MQS_OMP_THREAD_NUM) != 0;
    return is_of ? alloc_format("thread %" PRId64, thread->thread_num) : omp_text_tid(thread);
}

/** "thread 1", "threads 0, 2-5": threads by their numbers in a region, where all are of it, else
 * by their tids; many as their number. */
static char *
names_of(const struct openmp *omp, int32_t region, const int32_t *numbers, size_t count)
{
    int64_t *nums = alloc_zeroed(count + 1, sizeof *nums);
    bool good = count > 1;
    for (size_t i = 0; i < count; i++) {
        const mqs_omp_thread *thread = openmp_thread(omp, numbers[i]);
        good &= thread && (thread->known & MQS_OMP_REGION) != 0 && thread->region == region &&
                (thread->known & MQS_OMP_THREAD_NUM) != 0;
        nums[i] = good ? thread->thread_num : 0;
    }
    qsort(nums, count, sizeof *nums, compare_int64);
    char *ranges = omp_text_numbers(nums, count, false);
    char *text = count == 1 ? name_of(omp, region, numbers[0])
                 : good     ? alloc_format("threads %s", ranges)
                            : alloc_format("one of %zu threads", count);
    free(ranges);
    free(nums);
    return text;
}

char *
omp_text_wait(const struct openmp *omp, const mqs_omp_thread *thread)
{
    const struct omp_wait_record *wait = openmp_wait(omp, thread);
    int32_t region = (thread->known & MQS_OMP_REGION) != 0 ? thread->region : MQS_OMP_NONE;
    if (!wait)
        return alloc_text("");
    bool is_barrier = wait->kind == OMP_WAITS_BARRIER;
    const struct omp_call *call = omp_call_find(wait->call);
    const char *state = wait->call ? call ? call->state : "" : thread->state_name;
    // Without a call it is at the end, unless its state is that of any barrier.
    bool ends = strcmp(state, "wait_barrier_implicit_parallel") == 0 ||
                (!wait->call && strcmp(state, "wait_barrier") != 0);
    char *text = is_barrier
                     ? alloc_text(ends ? "waits at the end of the region" : "waits at a barrier")
                     : omp_text_join(alloc_text("waits for"), " ", omp_wait(omp, thread));
    if (HAS(wait, OMP_WAIT_HOLDER) && wait->holder == thread->number)
        return omp_text_join(text, ", held by ", alloc_text("itself"));
    if (HAS(wait, OMP_WAIT_HOLDER))
        return omp_text_join(text, wait->kind == OMP_WAITS_ORDERED ? " after " : ", held by ",
                             name_of(omp, region, wait->holder));
    if (wait->candidates.count > 0)
        return omp_text_join(text, ", possibly held by ",
                             names_of(omp, region, wait->candidates.items, wait->candidates.count));
    if (wait->missing.count > 0)
        return omp_text_join(text, is_barrier ? " for " : " from ",
                             names_of(omp, region, wait->missing.items, wait->missing.count));
    return text;
}

char *
omp_text_place(const struct report *report, const mqs_omp_thread *thread)
{
    for (size_t i = 0; i < report->threads.count; i++) {
        const struct thread_record *record = &report->threads.items[i];
        const struct frame_record *frame =
            text_equals(record->openmp, thread->id) ? place_of(record).frame : NULL;
        if (!frame)
            continue;
        char *function = alloc_text(frame->function ? frame->function : "");
        if (!frame->file || !HAS(frame, FRAME_LINE))
            return omp_text_join(alloc_text(*function ? "in" : ""), " ", function);
        return omp_text_join(alloc_format("at %s:%" PRId64, base_name(frame->file), frame->line),
                             " in ", function);
    }
    return alloc_text("");
}

static char *
task_code(const struct openmp *omp, const mqs_omp_task *task)
{
    return (task->known & MQS_OMP_FUNCTION) != 0 ? short_code(omp, task->function)
                                                 : alloc_text("?");
}

/** "fib.c:12 (3 times)". */
static char *
repeated(char *code, size_t times)
{
    if (times == 1)
        return code;
    char *text = alloc_format("%s (%zu times)", code, times);
    free(code);
    return text;
}

/** Appends the explicit tasks from `task` on outwards, those of one place in a row together, and
 * the implicit task that began it. A chain of more tasks than there are goes round in a circle. */
static char *
add_ancestors(const struct openmp *omp, char *text, const mqs_omp_task *task, bool all)
{
    size_t shown = 0, steps = 0, left_out = 0;
    while (task && openmp_is_explicit(task) && steps < omp->n_tasks) {
        char *code = task_code(omp, task);
        size_t times = 0;
        for (bool same = true; same && steps < omp->n_tasks; steps++, times++) {
            task = openmp_generating(omp, task);
            char *next = task && openmp_is_explicit(task) ? task_code(omp, task) : NULL;
            same = text_equals(next, code);
            free(next);
        }
        bool fits = all || shown++ < ANCESTORS_SHOWN;
        left_out += fits ? 0 : times;
        char *more = fits ? repeated(code, times) : code;
        if (fits)
            text = omp_text_join(text, ", ", more);
        else
            free(more);
    }
    if (left_out > 0)
        text = omp_text_join(text, ", ", alloc_format("%zu more", left_out));
    if (task && !openmp_is_explicit(task) && (task->known & MQS_OMP_THREAD_NUM) != 0)
        text = omp_text_join(text, ", ", alloc_format("thread %" PRId64, task->thread_num));
    return text;
}

char *
omp_text_task(const struct openmp *omp, const mqs_omp_thread *thread, bool all)
{
    const mqs_omp_task *task =
        (thread->known & MQS_OMP_TASK) != 0 ? openmp_task(omp, thread->task) : NULL;
    if (!task || !openmp_is_explicit(task))
        return alloc_text("");
    bool has_code = (task->known & MQS_OMP_FUNCTION) != 0;
    char *text = omp_text_join(alloc_text("task"), " ",
                               has_code ? omp_text_code(omp, task->function) : alloc_text("?"));
    char *from = add_ancestors(omp, alloc_text(""), openmp_generating(omp, task), all);
    return omp_text_join(text, ", from ", from);
}
