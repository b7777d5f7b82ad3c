// SPDX-License-Identifier: BSD-3-Clause
// What the stacks of a process say of its report.
#include "mqshow/waits/resolve.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/process/memory.h"
#include "mqshow/report/arguments.h"
#include "mqshow/report/report.h"
#include "mqshow/stack/callargs.h"
#include "mqshow/stack/callsite.h"
#include "mqshow/stack/threads.h"
#include "mqshow/symbols/names.h"
#include "mqshow/symbols/symbolized.h"
#include "mqshow/waits/omp_finding.h"
#include "mqshow/waits/omp_progress.h"
#include "mqshow/waits/omp_wait.h"
#include "mqshow/waits/request_handles.h"
#include "mqshow/waits/wait_resolve.h"

#include <stdlib.h>
#include <string.h>

// The compiler makes a variable for each name of a critical construct, into which the runtime puts
// the lock or a pointer to it, or a pointer to a record that begins with one. A wait id that it
// leads to is no accident.

enum { HOPS = 2, SYMBOL_SHOWN = 1000 };

static bool
is_awaited(const struct openmp *omp, uint64_t lock)
{
    for (size_t i = 0; i < omp->n_threads && lock != 0; i++)
        if ((omp->threads[i].known & MQS_OMP_WAIT_ID) != 0 && omp->threads[i].wait_id == lock)
            return true;
    return false;
}

static void
find_lock_behind(struct openmp *omp, const struct image *image, const char *name, uint64_t addr)
{
    for (int i = 0; i < HOPS; i++) {
        if (!memory_read_uint(&image->debuggee, addr, (size_t) image->debuggee.pointer_size, &addr))
            return;
        if (!is_awaited(omp, addr) || openmp_symbolized(omp, addr))
            continue;
        *openmp_add_symbolized(omp) =
            (struct symbolized){.addr = addr, .symbol = escape_text(name, SYMBOL_SHOWN)};
        return;
    }
}

static bool
anything_is_awaited(const struct openmp *omp)
{
    for (size_t i = 0; i < omp->n_threads; i++)
        if (is_awaited(omp, omp->threads[i].wait_id))
            return true;
    return false;
}

/** Finds, among the variables that compilers make for critical constructs, those that lead to what
 * threads wait for, and adds them to omp->symbolized. */
static void
critical_find(struct openmp *omp, const struct image *image)
{
    if (!anything_is_awaited(omp))
        return;
    for (size_t i = 0; i < image->n_modules; i++) {
        const struct module *module = &image->modules[i];
        size_t at = 0;
        for (const struct symbol *symbol;
             (symbol = objfile_next_symbol(module->file, names_critical_prefix, &at)) != NULL;)
            find_lock_behind(omp, image, symbol->name, symbol->value + module->bias);
    }
}

// What stacks tell of the parallel regions that threads work in.
//
// GNU's runtime forgets the function of a region as soon as its threads have called it. A thread
// that was called to help in a region, one with a number other than 0, was called by the runtime's
// first function on its stack; when that has called others of the runtime instead, the thread is at
// the region's end, where it may execute tasks. The thread that began the region has called a
// function of the runtime for each region that it is in, and passed the region's function on.

/** Whether a frame is of a function that a compiler outlined. @param ret set to where that begins
 */
static bool
is_outlined(const struct frame *frame, const struct image *image, uint64_t *ret)
{
    return frame->runtime == RUNTIME_NONE && symbolized_is_outlined(image, frame->pc, ret);
}

/** Entry of the function that a thread was called for; 0: it does not execute it, or not known. */
static uint64_t
function_of_helper(const struct thread *thread, const struct image *image)
{
    size_t runtimes = 0;
    uint64_t found = 0;
    for (size_t i = thread->n_frames; i-- > 0 && thread->complete;) {
        const struct frame *frame = &thread->frames[i];
        if (frame->runtime == RUNTIME_C && runtimes == 0)
            continue;
        // A function whose address the runtime does not have in its code is the program's.
        uint64_t own;
        if (frame->runtime != RUNTIME_OPENMP)
            return runtimes == 1 && !callsite_entry(image, thread->frames[i + 1].address, &own) &&
                           is_outlined(frame, image, &found)
                       ? found
                       : 0;
        runtimes++;
    }
    return 0;
}

/** Whether a frame calls a function of the runtime that begins a region, which may have jumped to
 * another one at the region's end. */
static bool
begins_region(const struct thread *thread, size_t number, const struct image *image)
{
    static const char begin[] = "GOMP_parallel";
    if (number == 0 || thread->frames[number].runtime != RUNTIME_NONE ||
        thread->frames[number - 1].runtime != RUNTIME_OPENMP)
        return false;
    const char *symbol = callsite_symbol(image, thread->frames[number].address);
    return symbol && strncmp(symbol, begin, sizeof begin - 1) == 0;
}

/** Entry of the function that is passed on at a call that begins a region; 0: not known. */
static uint64_t
function_passed(const struct thread *thread, size_t caller, const struct image *image)
{
    static const struct parameter parameter = {.number = 0, .name = "fn", .width = 8};
    uint64_t function = 0, entry = 0;
    if (caller > 1 && is_outlined(&thread->frames[caller - 2], image, &entry))
        return entry;
    return callargs_find(image, thread, caller, "GOMP_parallel", &parameter, &function) &&
                   symbolized_is_outlined(image, function, &entry) && entry == function
               ? function
               : 0;
}

/** The region around another; NULL: not known. LLVM's runtime does not show all serialised ones. */
static const mqs_omp_region *
region_around(const struct openmp *omp, const mqs_omp_region *region)
{
    const uint32_t needed = MQS_OMP_PARENT | MQS_OMP_LEVEL;
    const mqs_omp_region *around =
        (region->known & needed) == needed ? openmp_region(omp, region->parent) : NULL;
    bool is_next =
        around && (around->known & MQS_OMP_LEVEL) != 0 && around->level + 1 == region->level;
    return is_next ? around : NULL;
}

/** How many regions that a thread has begun are within this one, which it has begun, too.
 * @return -1 when that is not known
 */
static int
count_within(const struct openmp *omp, const mqs_omp_region *region, const mqs_omp_thread *thread)
{
    const mqs_omp_region *at =
        (thread->known & MQS_OMP_REGION) != 0 ? openmp_region(omp, thread->region) : NULL;
    for (int count = 0; at && (size_t) count < omp->n_regions; count++) {
        if ((at->known & MQS_OMP_PRIMARY) == 0 || at->primary != thread->number)
            return -1;
        if (at == region)
            return count;
        at = region_around(omp, at);
    }
    return -1;
}

/** Entry of a region's function, by the stack of the thread that has begun the region; 0: not
 * known.
 */
static uint64_t
function_of_primary(const struct openmp *omp, const struct threads *threads,
                    const struct image *image, const mqs_omp_region *region)
{
    const mqs_omp_thread *primary =
        (region->known & MQS_OMP_PRIMARY) != 0 ? openmp_thread(omp, region->primary) : NULL;
    const struct thread *thread = primary ? omp_stack(threads, primary) : NULL;
    int within = thread ? count_within(omp, region, primary) : -1;
    for (size_t i = 0; within >= 0 && i < thread->n_frames; i++)
        if (begins_region(thread, i, image) && within-- == 0)
            return function_passed(thread, i, image);
    return 0;
}

/** The function of a region as its threads tell it; 0 when they do not. */
static uint64_t
function_of(const struct openmp *omp, const struct threads *threads, const struct image *image,
            const mqs_omp_region *region)
{
    struct member *members;
    uint64_t found = 0;
    size_t count = openmp_members(omp, region, &members);
    for (size_t i = 0; i < count && found == 0; i++) {
        const struct thread *thread =
            members[i].num > 0 ? omp_stack(threads, members[i].thread) : NULL;
        found = thread ? function_of_helper(thread, image) : 0;
    }
    free(members);
    return found != 0 ? found : function_of_primary(omp, threads, image, region);
}

static bool
is_wanted(const mqs_omp_region *region)
{
    return (region->known & MQS_OMP_FUNCTION) == 0 && !openmp_is_outermost(region);
}

/** Whether a function is one of the runtime's, by which LLVM's calls what programs of gcc give it.
 */
static bool
is_wrapper(const struct image *image, uint64_t function)
{
    return image_runtime_at(image, function) == RUNTIME_OPENMP;
}

static void
forget_wrappers(struct openmp *omp, const struct image *image)
{
    for (size_t i = 0; i < omp->n_regions; i++)
        if (is_wrapper(image, omp->regions[i].function))
            omp->regions[i].known &= ~(uint32_t) MQS_OMP_FUNCTION;
    for (size_t i = 0; i < omp->n_tasks; i++)
        if (is_wrapper(image, omp->tasks[i].function))
            omp->tasks[i].known &= ~(uint32_t) MQS_OMP_FUNCTION;
}

/** Finds the functions of regions whose runtime does not remember them. A function that no stack
 * tells for certain stays unknown. */
static void
regions_find_functions(struct openmp *omp, const struct threads *threads, const struct image *image)
{
    forget_wrappers(omp, image);
    for (size_t i = 0; i < omp->n_regions; i++) {
        mqs_omp_region *region = &omp->regions[i];
        uint64_t function = is_wanted(region) ? function_of(omp, threads, image, region) : 0;
        region->function = function != 0 ? function : region->function;
        region->known |= function != 0 ? (uint32_t) MQS_OMP_FUNCTION : 0;
    }
}

// The functions of undeferred tasks, which GNU's runtime does not keep either: the thread that
// executes one has called GOMP_task, which calls the function.

static mqs_omp_task *
task_of(struct openmp *omp, int32_t number)
{
    const mqs_omp_task *task = openmp_task(omp, number);
    return task ? &omp->tasks[task - omp->tasks] : NULL;
}

static bool
calls_task(const struct thread *thread, size_t number, const struct image *image)
{
    const char *symbol = callsite_symbol(image, thread->frames[number].address);
    return symbol && strcmp(symbol, "GOMP_task") == 0;
}

/** Finds the functions of the task that a thread executes and of those that generated it, as long
 * as each waits for the next one. */
static void
find_task_functions(struct openmp *omp, const mqs_omp_thread *record, const struct thread *thread,
                    const struct image *image)
{
    mqs_omp_task *task = (record->known & MQS_OMP_TASK) != 0 ? task_of(omp, record->task) : NULL;
    for (size_t i = 0; i + 2 < thread->n_frames && task && openmp_is_explicit(task); i++) {
        const struct frame *frame = &thread->frames[i];
        uint64_t function;
        if (frame->runtime != RUNTIME_NONE || thread->frames[i + 1].runtime != RUNTIME_OPENMP)
            continue;
        if (thread->frames[i + 2].runtime != RUNTIME_NONE || !calls_task(thread, i + 2, image))
            return;
        if ((task->known & MQS_OMP_FUNCTION) == 0 && is_outlined(frame, image, &function)) {
            task->function = function;
            task->known |= MQS_OMP_FUNCTION;
        }
        task = (task->known & MQS_OMP_GENERATING) != 0 ? task_of(omp, task->generating) : NULL;
    }
}

static void
tasks_find_functions(struct openmp *omp, const struct threads *threads, const struct image *image)
{
    for (size_t i = 0; i < omp->n_threads; i++) {
        const mqs_omp_thread *record = &omp->threads[i];
        const struct thread *thread = omp_stack(threads, record);
        if (thread)
            find_task_functions(omp, record, thread, image);
    }
}

// All that stacks and memory say.

static bool
is_of_openmp(const struct openmp *omp, pid_t tid)
{
    for (size_t i = 0; i < omp->n_threads; i++)
        if ((omp->threads[i].known & MQS_OMP_TID) != 0 && omp->threads[i].tid == tid)
            return true;
    return false;
}

/** Adds the other threads of the process, if those of the runtime can be told apart. */
static void
add_others(struct openmp *omp, const struct threads *threads)
{
    for (size_t i = 0; i < omp->n_threads; i++)
        if ((omp->threads[i].known & MQS_OMP_TID) == 0)
            return;
    omp->others_are_known = threads->count > 0;
    for (size_t i = 0; i < threads->count; i++) {
        if (is_of_openmp(omp, threads->items[i].tid))
            continue;
        *ALLOC_ADD(omp->others, omp->n_others, omp->others_capacity) = threads->items[i].tid;
    }
}

void
resolve_stacks(struct report *report, struct threads *threads, struct image *image,
               const struct dll *dll, mqs_process *process)
{
    struct request_handles handles;
    if (!stacks_unwind(threads, image))
        report_problem(report, alloc_text("not all stacks of its threads can be read"));
    handles_init(&handles, dll, process);
    wait_find_mpi_parts(threads);
    call_operations_add(report, threads, image, &handles);
    wait_find_requests(report, threads, image, &handles);
    begun_calls_find(report, threads, image, &handles);
    if (!HAS(report, PROCESS_OPENMP))
        return;
    add_others(&report->omp, threads);
    regions_find_functions(&report->omp, threads, image);
    omp_waits_find(report, threads, image, dll);
    omp_progress_find(&report->omp, image);
    critical_find(&report->omp, image);
    tasks_find_functions(&report->omp, threads, image);
}

void
resolve_addresses(struct report *report, struct threads *threads, const struct image *image)
{
    openmp_symbolize(&report->omp, image);
    symbolize_threads(threads, image);
    begun_calls_symbolize(report, image);
    wait_resolve(threads);
    thread_records_add(report, threads, image);
    arguments_check(report);
}
