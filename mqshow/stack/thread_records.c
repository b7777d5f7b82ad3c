// SPDX-License-Identifier: BSD-3-Clause
// The threads of a report: what is kept of their stacks when the process is not read any more.

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/mpi_calls.h"
#include "mqshow/process/core.h"
#include "mqshow/process/device_files.h"
#include "mqshow/process/memory.h"
#include "mqshow/process/procfs.h"
#include "mqshow/process/system_wait.h"
#include "mqshow/report/device_wait.h"
#include "mqshow/report/report.h"
#include "mqshow/stack/futex_object.h"
#include "mqshow/stack/threads.h"
#include "mqshow/symbols/image.h"

#include "target/machine/machine.h"

#include <stdlib.h>
#include <string.h>

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

static void
set_arguments(struct thread_record *record, const struct call_arguments *arguments)
{
    struct arguments_record *set = &record->arguments;
    if (arguments->communicator != 0)
        SET(set, ARGUMENTS_COMMUNICATOR, communicator, arguments->communicator);
    if (arguments->has_peer)
        SET(set, ARGUMENTS_PEER, peer, arguments->peer);
    if (arguments->has_tag)
        SET(set, ARGUMENTS_TAG, tag, arguments->tag);
    if (arguments->has_buffer)
        SET(set, ARGUMENTS_BUFFER, buffer, arguments->buffer);
    if (arguments->has_count)
        SET(set, ARGUMENTS_COUNT, count, arguments->count);
    record->has |= set->has != 0 ? 1u << THREAD_ARGUMENTS : 0;
}

static const char *
keep_escaped(struct report *report, const char *text)
{
    return text != NULL ? report_keep(report, escape_text(text, SIZE_MAX)) : NULL;
}

/** Who must act before the call ends, by id and name. */
static void
set_holders(struct report *report, struct thread_record *record, const struct pid_list *holders)
{
    struct system_record *system = &record->system;
    for (size_t i = 0; i < holders->count; i++) {
        pid_t pid = holders->items[i];
        char *name = procfs_thread_name(pid, pid);
        *ALLOC_ADD(record->holders.items, record->holders.count, record->holders.capacity) = pid;
        *ALLOC_ADD(system->programs.items, system->programs.count, system->programs.capacity) =
            keep_escaped(report, name != NULL ? name : "?");
        free(name);
    }
    if (holders->count > 0) {
        record->has |= 1u << THREAD_HOLDERS;
        system->has |= 1u << SYSTEM_PROGRAMS;
    }
}

static void
set_mount(struct report *report, struct system_record *system, const struct mount *mount)
{
    if (mount->point == NULL)
        return;
    system->mount = keep_escaped(report, mount->point);
    system->file_system = keep_escaped(report, mount->type);
    system->sort = report_intern(report, mount_sort(mount->type));
}

/** Whether it is in a call to the system that the user's code has made, or MPI-IO for it. */
static bool
is_in_system(const struct thread_record *record, const struct thread *thread)
{
    return (thread->call == NULL || mpi_call_is_io(thread->call)) &&
           thread->frames[0].runtime == RUNTIME_C && HAS(record, THREAD_FRAME);
}

/** What the thread waits for in that. A thread that cannot be stopped has no stack: that call is
 * all that is known. What MPI-IO waits for but files is its own affair.
 */
static void
set_system_wait(struct report *report, struct thread_record *record, const struct thread *thread,
                const struct debuggee *process)
{
    struct system_record *system = &record->system;
    bool has_stack = thread->n_frames > 0;
    if (has_stack && !is_in_system(record, thread))
        return;
    struct system_wait wait = system_wait_read(process, thread->tid);
    bool is_meant = thread->call == NULL || (wait.file != NULL && *wait.file == '/');
    if (is_meant && system_wait_is_known(&wait) && (has_stack || wait.kernel.uninterruptible)) {
        record->system_file = keep_escaped(report, wait.file);
        system->call = report_intern(report, wait.call);
        system->endpoint = keep_escaped(report, wait.endpoint);
        system->full = keep_escaped(report, wait.full);
        system->driver = report_intern(report, wait.driver);
        set_mount(report, system, &wait.mount);
        set_holders(report, record, &wait.holders);
        if (wait.kernel.uninterruptible) {
            SET(system, SYSTEM_UNINTERRUPTIBLE, uninterruptible, true);
            system->module = report_intern(report, wait.kernel.module);
            system->function = report_intern(report, wait.kernel.function);
        }
        if (wait.times_out)
            SET(system, SYSTEM_TIMES_OUT, times_out, true);
        record->has |= 1u << THREAD_SYSTEM;
    }
    system_wait_deinit(&wait);
}

/** Where it sleeps. What programs and libraries have of their files is the process's own, which a
 * core does not say. */
static void
set_kernel(struct report *report, struct thread_record *record, const struct system_state *system,
           const struct image *image)
{
    struct kernel_record *kernel = &record->kernel;
    const struct call_kind *kind = call_kind_of(&system->made);
    if (!system->known)
        return;
    record->has |= 1u << THREAD_KERNEL;
    SET(kernel, KERNEL_SLEEPS, sleeps, system->made.number >= 0);
    if (!kernel->sleeps || kind == NULL)
        return;
    uint64_t word = call_word(kind, &system->made);
    kernel->call = report_intern(report, kind->name);
    SET(kernel, KERNEL_WAITS_FOR, waits_for, (uint8_t) call_waits_for(kind));
    SET(kernel, KERNEL_TIMES_OUT, times_out, call_times_out(kind, &system->made));
    if (word == 0)
        return;
    SET(kernel, KERNEL_WORD, word, word);
    SET(kernel, KERNEL_SHARED, shared, system->shared && image_module_at(image, word) == NULL);
}

/** Whether a thread has begun since the threads were listed. */
static bool
has_begun(const struct debuggee *process, pid_t tid)
{
    struct procfs_stat stat;
    return process->core == NULL && procfs_stat(process->pid, tid, &stat);
}

/** Whether the owner of what a thread waits for is known: it is one of the process's threads, or
 * still has that now that it is seen not to be. */
static bool
has_owner(const struct futex_object *object, const struct threads *threads,
          const struct thread *thread, const struct image *image)
{
    if (object->owner <= 0 || threads_find(threads, object->owner) != NULL)
        return object->owner > 0;
    if (has_begun(&image->debuggee, object->owner))
        return false;
    struct futex_object again = futex_object_find(threads, thread, image);
    free(again.name);
    return again.owner == object->owner;
}

/** What a futex is for. One in memory that others may have, too, is looked at elsewhere. */
static void
set_object(struct report *report, struct thread_record *record, const struct threads *threads,
           const struct thread *thread, const struct image *image)
{
    struct kernel_record *kernel = &record->kernel;
    if (!HAS(kernel, KERNEL_WORD) || kernel->shared)
        return;
    struct futex_object object = futex_object_find(threads, thread, image);
    if (object.name != NULL)
        kernel->object = report_keep(report, object.name);
    if (has_owner(&object, threads, thread, image))
        SET(kernel, KERNEL_OWNER, owner, object.owner);
}

static void
set_partners(struct thread_record *record, const struct partners *partners)
{
    for (size_t i = 0; i < partners->count; i++)
        *ALLOC_ADD(record->partners.items, record->partners.count, record->partners.capacity) =
            partners->items[i];
    if (partners->count > 0)
        record->has |= 1u << THREAD_PARTNERS;
}

static void
set_lock(struct thread_record *record, const struct asked_lock *lock)
{
    if (!lock->known)
        return;
    SET(&record->lock, WINDOW_LOCK_WINDOW, window, lock->window);
    if (lock->target >= 0)
        SET(&record->lock, WINDOW_LOCK_TARGET, target, lock->target);
    if (lock->exclusive)
        SET(&record->lock, WINDOW_LOCK_EXCLUSIVE, exclusive, true);
    record->has |= 1u << THREAD_LOCK;
}

/** Python's lock that the thread waits for. */
static void
set_gil(struct thread_record *record, const struct thread *thread, const struct python *python,
        const struct image *image)
{
    const struct machine *machine = machine_of(image_machine(image));
    pid_t holder =
        thread->n_frames > 0 && thread->frames[0].runtime == RUNTIME_C && machine != NULL
            ? python_gil_holder(python, thread->tid, thread->registers[machine->arguments[0]])
            : 0;
    if (holder != 0)
        SET(record, THREAD_GIL_HOLDER, gil_holder, holder);
}

/** Whether it is the thread that called MPI_Init, where that can be told: by its pthread_t, else by
 * the id that the C library has for that thread. */
static void
set_mpi_main(struct report *report, struct thread_record *record, const struct threads *threads,
             const struct thread *thread, const struct image *image)
{
    uint64_t main = report->mpi.main_thread;
    pid_t tid;
    if (!HAS(&report->mpi, MPI_MAIN_THREAD))
        return;
    if (thread->system.pthread != 0)
        SET(record, THREAD_MPI_MAIN, mpi_main, thread->system.pthread == main);
    else if (image_machine(image) == EM_X86_64 && memory_read_tid(&image->debuggee, main, &tid) &&
             threads_find(threads, tid) != NULL)
        SET(record, THREAD_MPI_MAIN, mpi_main, tid == thread->tid);
}

static void
add_thread(struct report *report, struct thread_record *record, const struct thread *thread,
           const struct threads *threads, const struct image *image)
{
    const struct python *python = &threads->python;
    record_init(&thread_record_type, record);
    SET(record, THREAD_TID, tid, thread->tid);
    record->name = report_intern(report, thread->name);
    set_mpi_main(report, record, threads, thread, image);
    record->call = report_intern(report, thread->call);
    if (thread->user != NULL) {
        frame_record_set_line(report, &record->frame, &thread->user->srcloc->lines[0]);
        record->has |= 1u << THREAD_FRAME;
    }
    record->openmp = openmp_id(report, thread->tid);
    set_wait(record, &thread->wait);
    if (thread->communicator != 0)
        SET(record, THREAD_COMMUNICATOR, communicator, thread->communicator);
    set_arguments(record, &thread->arguments);
    record->file = keep_escaped(report, thread->file);
    record->port = keep_escaped(report, thread->port);
    record->runtime = runtime_name(thread->owner);
    stack_record_add(report, record, thread, python_thread(python, thread->tid));
    set_system_wait(report, record, thread, &image->debuggee);
    set_kernel(report, record, &thread->system, image);
    set_object(report, record, threads, thread, image);
    device_wait_set(report, record);
    set_partners(record, &thread->partners);
    set_lock(record, &thread->lock);
    set_gil(record, thread, python, image);
    SET(record, THREAD_COMPLETE, complete, thread->complete);
}

static void
set_exception(struct report *report, const struct python_exception *exception)
{
    struct exception_record *record = &report->exception;
    if (exception->type == NULL)
        return;
    record->type = report_intern(report, exception->type);
    for (size_t i = 0; i < exception->n_frames; i++)
        frame_record_set_python(
            report, ALLOC_ADD(record->stack.items, record->stack.count, record->stack.capacity),
            &exception->frames[i]);
    record->has |= exception->n_frames > 0 ? 1u << EXCEPTION_STACK : 0;
    report->has |= 1u << PROCESS_EXCEPTION;
}

static bool
waits_for_device(const struct report *report)
{
    for (size_t i = 0; i < report->threads.count; i++)
        if (HAS(&report->threads.items[i], THREAD_DEVICE))
            return true;
    return false;
}

/** Which devices it may be that threads wait for: those that the process has. */
static void
set_device_files(struct report *report, const struct debuggee *process)
{
    char *files[DEVICE_FILES_MAX];
    if (process->core != NULL || process->stub != NULL || !waits_for_device(report))
        return;
    size_t count = device_files_find(process->pid, files);
    char *choice = device_choice_find(process->pid);
    for (size_t i = 0; i < report->threads.count; i++) {
        struct device_record *device = &report->threads.items[i].device;
        if (!HAS(&report->threads.items[i], THREAD_DEVICE))
            continue;
        for (size_t k = 0; k < count; k++)
            *ALLOC_ADD(device->files.items, device->files.count, device->files.capacity) =
                keep_escaped(report, files[k]);
        if (count > 0)
            device->has |= 1u << DEVICE_FILES;
        device->choice = keep_escaped(report, choice);
    }
    for (size_t k = 0; k < count; k++)
        free(files[k]);
    free(choice);
}

/** Whether none of the process's threads is known to have what a thread waits for. */
static bool
lacks_owner(const struct thread_record *record, const struct threads *threads)
{
    const struct kernel_record *kernel = &record->kernel;
    if (HAS(kernel, KERNEL_OWNER))
        return threads_find(threads, (pid_t) kernel->owner) == NULL;
    bool is_alone = threads->count == 1 && HAS(kernel, KERNEL_WORD) && !kernel->shared;
    return kernel->object != NULL || is_alone;
}

/** Likewise of OpenMP's, and of those of its team that it waits for. */
static bool
lacks_holder(const struct openmp *omp, const mqs_omp_thread *thread, const struct threads *threads)
{
    const struct omp_wait_record *wait = openmp_wait(omp, thread);
    bool lacks_team =
        (thread->known & MQS_OMP_TEAM_SIZE) != 0 && thread->team_size > (int64_t) threads->count;
    return lacks_team ||
           (wait != NULL && HAS(wait, OMP_WAIT_OBJECT) && !HAS(wait, OMP_WAIT_HOLDER));
}

/** Whether the process was forked, where that may be why a wait does not end. */
static void
set_forked(struct report *report, const struct threads *threads, const struct debuggee *process)
{
    const struct openmp *omp = &report->omp;
    const struct core *core = process->core;
    struct procfs_stat stat;
    bool lacks = false;
    for (size_t i = 0; i < threads->count; i++)
        lacks |= lacks_owner(&report->threads.items[i], threads);
    for (size_t i = 0; i < omp->n_threads; i++)
        lacks |= lacks_holder(omp, &omp->threads[i], threads);
    if (!lacks)
        return;
    if (core != NULL && core->flags != 0)
        SET(report, PROCESS_FORKED, forked, (core->flags & PROCFS_FORKED) != 0);
    else if (core == NULL && process->stub == NULL && procfs_stat(process->pid, 0, &stat))
        SET(report, PROCESS_FORKED, forked, stat.forked);
}

void
thread_records_add(struct report *report, const struct threads *threads, const struct image *image)
{
    report->threads.items = alloc_zeroed(threads->count, sizeof *report->threads.items);
    report->threads.count = report->threads.capacity = threads->count;
    for (size_t i = 0; i < threads->count; i++)
        add_thread(report, &report->threads.items[i], &threads->items[i], threads, image);
    set_forked(report, threads, &image->debuggee);
    set_exception(report, &threads->python.exception);
    set_device_files(report, &image->debuggee);
    if (threads->python.problem != NULL)
        report_problem(report, alloc_text(threads->python.problem));
}
