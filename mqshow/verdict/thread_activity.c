// SPDX-License-Identifier: BSD-3-Clause
// What a thread does.
#include "mqshow/verdict/thread_activity.h"

#include "mqshow/base/escape.h"
#include "mqshow/base/runtime.h"
#include "mqshow/report/device_wait.h"

#include <stdlib.h>
#include <string.h>

/** Beginnings of the names of functions in which a thread waits for another one of its process,
 * without the underscores in front. */
static const char *const waiting[] = {
    "pthread_mutex_lock", "lll_lock_wait",        "pthread_cond_wait",
    "pthread_join",       "pthread_clockjoin_ex", "pthread_barrier",
    "sem_wait",           "new_sem_wait",         "pthread_rwlock",
};

/** Functions of the C library in which a thread waits for something outside of its job. */
static const struct outside {
    struct system_call call;
    const char *functions[24];
} outside[] = {
    {{.one = "reads", .many = "read"},
     {"read", "pread64", "pread", "readv", "preadv", "fread", "getline", "fgets", "scanf"}},
    {{.one = "writes", .many = "write"},
     {"write", "pwrite64", "pwrite", "writev", "pwritev", "fwrite", "fflush"}},
    {{.one = "waits for a file system", .many = "wait for a file system"},
     {"fsync",     "fdatasync", "open",      "open64",     "openat",  "close",
      "fopen",     "fclose",    "stat",      "lstat",      "fstat",   "newfstatat",
      "statx",     "access",    "faccessat", "getdents64", "readdir", "ftruncate",
      "fallocate", "unlink",    "mkdir",     "rename",     "statfs"}},
    {{.one = "waits for a device", .many = "wait for a device"}, {"ioctl"}},
    {{.one = "waits for a file lock", .many = "wait for a file lock", .for_ever = true},
     {"flock", "lockf", "fcntl", "fcntl64"}},
    {{.one = "waits for input or output", .many = "wait for input or output"},
     {"poll", "ppoll", "select", "pselect", "epoll_wait", "epoll_pwait"}},
    {{.one = "waits for the network", .many = "wait for the network"},
     {"accept", "accept4", "connect", "recv", "recvfrom", "recvmsg", "send", "sendto", "sendmsg"}},
    {{.one = "sleeps", .many = "sleep"}, {"sleep", "usleep", "nanosleep", "clock_nanosleep"}},
    {{.one = "waits for a signal", .many = "wait for a signal", .for_ever = true},
     {"pause", "sigsuspend", "sigwait"}},
    {{.one = "waits for a child process", .many = "wait for a child process", .for_ever = true},
     {"system", "wait", "waitpid", "wait4", "waitid"}},
    {{.one = "waits", .many = "wait", .for_ever = true}, {"pthread_mutex_lock"}},
    {{.one = "waits for another process", .many = "wait for another process", .for_ever = true},
     {"msgrcv"}},
    {{.one = "waits for a time", .many = "wait for a time"},
     {"sem_timedwait", "sem_clockwait", "pthread_cond_timedwait", "pthread_cond_clockwait",
      "pthread_mutex_timedlock", "pthread_mutex_clocklock", "pthread_timedjoin_np",
      "pthread_clockjoin_np"}},
};

/** Likewise where only the kernel names the call. */
static const struct system_call by_kernel[] = {
    [CALL_WAITS_FILE] = {.one = "waits for input or output", .many = "wait for input or output"},
    [CALL_WAITS_MEMORY] = {.one = "waits for a time", .many = "wait for a time"},
    [CALL_WAITS_TIME] = {.one = "sleeps", .many = "sleep"},
    [CALL_WAITS_SIGNAL] = {.one = "waits for a signal",
                           .many = "wait for a signal",
                           .for_ever = true},
    [CALL_WAITS_CHILD] = {.one = "waits for a child process",
                          .many = "wait for a child process",
                          .for_ever = true},
    [CALL_WAITS_PROCESS] = {.one = "waits for another process",
                            .many = "wait for another process",
                            .for_ever = true},
};

static bool
begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static bool
waits_in(const char *function)
{
    for (size_t i = 0; i < sizeof waiting / sizeof *waiting; i++)
        if (begins(function + strspn(function, "_"), waiting[i]))
            return true;
    return false;
}

static struct thread_activity
in_call(const char *name)
{
    const struct mpi_call *call = mpi_call_find(name);
    if (!call || call->waits == MPI_NOTHING)
        return (struct thread_activity){.doing = mpi_call_polls(name) ? DOING_WORK : DOING_UNKNOWN};
    static const enum doing doing[] = {[MPI_MESSAGES] = DOING_MESSAGES,
                                       [MPI_COLLECTIVE] = DOING_COLLECTIVE,
                                       [MPI_PARTNERS] = DOING_OUTSIDE};
    return (struct thread_activity){.doing = doing[call->waits], .call = call};
}

/** Whether the kernel says that a thread sleeps until another thread of its process writes to a
 * word of memory, and for no limited time. */
static bool
sleeps_for_thread(const struct kernel_record *kernel)
{
    return kernel->sleeps && HAS(kernel, KERNEL_WAITS_FOR) &&
           kernel->waits_for == CALL_WAITS_MEMORY && !kernel->times_out && !kernel->shared;
}

bool
thread_has_moved(const struct job_thread *thread)
{
    return HAS(thread->record, THREAD_MOVED) && thread->record->moved;
}

static bool
has_device_call(const struct job_thread *thread)
{
    const struct device_record *device = &thread->record->device;
    return HAS(thread->record, THREAD_DEVICE) && (device->call || device->library);
}

bool
thread_waits_for_device(const struct job_thread *thread)
{
    return has_device_call(thread) && !device_waits_for_ranks(&thread->record->device);
}

bool
thread_waits_for_ranks(const struct job_thread *thread)
{
    return has_device_call(thread) && device_waits_for_ranks(&thread->record->device);
}

bool
thread_has_object(const struct thread_record *record)
{
    return HAS(record, THREAD_KERNEL) && record->kernel.object != NULL;
}

bool
thread_has_owner(const struct thread_record *record)
{
    return thread_has_object(record) && HAS(&record->kernel, KERNEL_OWNER);
}

bool
thread_joins(const struct thread_record *record)
{
    return thread_has_owner(record) && strcmp(record->kernel.object, "a thread") == 0;
}

bool
thread_lacks_owner(const struct job_index *job, const struct job_thread *thread)
{
    const struct process_entry *process = &job->processes[thread->process];
    if (!thread_has_owner(thread->record))
        return false;
    for (uint32_t i = process->first_thread; i < process->first_thread + process->n_threads; i++)
        if (job->threads[i].tid == thread->record->kernel.owner)
            return false;
    return true;
}

/** What a thread does in the functions of the C library that the user's code has called. Where the
 * kernel does not say it, their names do, as of one that is just being woken; a futex alone may
 * have a time limit. */
static enum doing
in_library(const struct job_thread *thread)
{
    const struct thread_record *record = thread->record;
    bool has_futex = false, has_names = true;
    if (HAS(record, THREAD_KERNEL) && record->kernel.sleeps)
        return sleeps_for_thread(&record->kernel) ? DOING_LOCK : DOING_REST;
    if (thread_system_call(thread).name)
        return DOING_REST;
    for (size_t i = 0; i < record->stack.count; i++) {
        const char *function = record->stack.items[i].function;
        if (frame_runtime(&record->stack.items[i]) != RUNTIME_C)
            break;
        if (function && waits_in(function))
            return DOING_LOCK;
        has_futex |= function && begins(function, "do_futex_wait");
        has_names &= function && strcmp(function, "syscall") != 0;
    }
    return has_futex                                 ? DOING_REST
           : HAS(record, THREAD_KERNEL) || has_names ? DOING_WORK
                                                     : DOING_UNKNOWN;
}

/** Whether a thread waits in a library that the program has called and that has threads of its own,
 * or a device, to end that. One whose owner is known it may wait for, too. */
static bool
is_served(const struct thread_record *record, const struct frame_record *caller)
{
    if (!caller->module || !runtime_helpers(caller->module))
        return false;
    for (const struct frame_record *frame = caller + 1;
         frame < record->stack.items + record->stack.count; frame++)
        if (frame_runtime(frame) != RUNTIME_C && !text_equals(frame->module, caller->module))
            return true;
    return false; // it is one of those
}

/** From the functions that the user's code has called. */
static struct thread_activity
on_stack(const struct job_thread *thread)
{
    const struct thread_record *record = thread->record;
    size_t i = 0;
    while (i < record->stack.count && frame_runtime(&record->stack.items[i]) == RUNTIME_C)
        i++;
    const struct frame_record *caller = i < record->stack.count ? &record->stack.items[i] : NULL;
    enum runtime runtime = caller ? frame_runtime(caller) : RUNTIME_NONE;
    if (caller && !thread_has_owner(record) && is_served(record, caller))
        return (struct thread_activity){.doing = DOING_WORK};
    enum doing doing = runtime == RUNTIME_MPI      ? DOING_UNKNOWN
                       : runtime == RUNTIME_OPENMP ? DOING_LOCK
                                                   : in_library(thread);
    return (struct thread_activity){
        .doing = doing,
        .guessed = doing == DOING_LOCK && !thread_has_object(record),
    };
}

const struct omp_wait_record *
thread_wait(const struct job_index *job, const struct job_thread *thread)
{
    const struct openmp *omp = &job->processes[thread->process].report->omp;
    return thread->openmp ? openmp_wait(omp, thread->openmp) : NULL;
}

bool
thread_waits_inside(const struct thread_activity *activity)
{
    return activity->doing == DOING_LOCK || activity->doing == DOING_BARRIER ||
           activity->doing == DOING_TASKS || activity->doing == DOING_ABSENT;
}

bool
thread_is_at_end(const struct job_thread *thread)
{
    return thread->openmp &&
           strcmp(thread->openmp->state_name, "wait_barrier_implicit_parallel") == 0;
}

int64_t
thread_absent(const struct job_index *job, const struct job_thread *thread)
{
    const mqs_omp_thread *openmp = thread->openmp;
    const struct process_entry *process = &job->processes[thread->process];
    bool is_known = openmp && (openmp->known & MQS_OMP_TEAM_SIZE) != 0 &&
                    !process->report->incomplete && process->n_threads > 0;
    return is_known && openmp->team_size > process->n_threads
               ? openmp->team_size - (int64_t) process->n_threads
               : 0;
}

static enum doing
doing_of_wait(const struct omp_wait_record *wait)
{
    switch (wait->kind) {
    case OMP_WAITS_BARRIER:
        return DOING_BARRIER;
    case OMP_WAITS_TASKWAIT:
    case OMP_WAITS_TASKGROUP:
    case OMP_WAITS_DEPEND:
    case OMP_WAITS_TASK:
        return DOING_TASKS;
    default:
        return DOING_LOCK;
    }
}

/** Whether a thread is in the runtime, and is not known to wait there. */
static bool
is_overhead(const mqs_omp_thread *thread)
{
    return strcmp(thread->state_name, "overhead") == 0;
}

/** From OpenMP's state of the thread, and what it waits for; DOING_UNKNOWN: that says nothing. */
static enum doing
in_state(const struct job_index *job, const struct job_thread *thread)
{
    const mqs_omp_thread *openmp = thread->openmp;
    const struct openmp *omp = &job->processes[thread->process].report->omp;
    const struct omp_wait_record *wait = thread_wait(job, thread);
    if (!openmp)
        return DOING_UNKNOWN;
    if (wait && strcmp(openmp->state_name, "idle") != 0)
        return doing_of_wait(wait);
    if (!*openmp->state_name)
        return (openmp->known & MQS_OMP_WAIT_ID) != 0 && openmp_symbolized(omp, openmp->wait_id)
                   ? DOING_LOCK
                   : DOING_UNKNOWN;
    if (strcmp(openmp->state_name, "idle") == 0)
        return DOING_IDLE;
    if (is_overhead(openmp)) // in the runtime
        return !HAS(thread->record, THREAD_KERNEL) || !sleeps_for_thread(&thread->record->kernel)
                   ? DOING_WORK
               : thread_absent(job, thread) > 0 ? DOING_ABSENT
                                                : DOING_LOCK;
    if (begins(openmp->state_name, "wait_barrier"))
        return DOING_BARRIER;
    if (begins(openmp->state_name, "wait_task"))
        return DOING_TASKS;
    return begins(openmp->state_name, "wait_") ? DOING_LOCK : DOING_UNKNOWN;
}

static struct system_call
device_call(const struct device_record *device)
{
    return (struct system_call){.name = device->call ? device->call : device->library,
                                .one = device_wait_text(device, false),
                                .many = device_wait_text(device, true),
                                .device = !device_waits_for_ranks(device),
                                .ranks = device_waits_for_ranks(device),
                                .library = !device->call};
}

const char *
system_call_word(const struct system_call *call)
{
    return call->device ? "device" : call->name ? "system call" : "computes";
}

void
system_call_add(struct strbuf *words, const struct system_call *call, bool many)
{
    strbuf_add(words, call->library ? "%s in %s" : "%s in %s()", many ? call->many : call->one,
               call->name);
}

struct system_call
thread_system_call(const struct job_thread *thread)
{
    if (has_device_call(thread))
        return device_call(&thread->record->device);
    const char *function = NULL; // that the user's code has called
    // What MPI calls is no cause, but for files.
    bool is_cause = !thread->call || HAS(thread->record, THREAD_SYSTEM);
    for (size_t i = 0; i < thread->record->stack.count && is_cause; i++) {
        if (frame_runtime(&thread->record->stack.items[i]) != RUNTIME_C)
            break;
        function = thread->record->stack.items[i].function;
    }
    if (thread->record->stack.count == 0) // it could not be stopped
        function = thread->record->system.call;
    // That of a mutex for another process only if it is known which: it may be its own.
    if (function && runtime_is_named(function, "pthread_mutex_lock") &&
        thread->record->holders.count == 0)
        function = NULL;
    for (size_t i = 0; function && i < sizeof outside / sizeof *outside; i++)
        for (const char *const *name = outside[i].functions; *name; name++)
            if (runtime_is_named(function, *name))
                return (struct system_call){.name = *name,
                                            .one = outside[i].call.one,
                                            .many = outside[i].call.many,
                                            .for_ever = outside[i].call.for_ever};
    const struct kernel_record *kernel = &thread->record->kernel;
    if (thread->call || !HAS(thread->record, THREAD_KERNEL) || sleeps_for_thread(kernel) ||
        !kernel->call)
        return (struct system_call){.name = NULL};
    struct system_call call = by_kernel[kernel->waits_for];
    if (kernel->waits_for == CALL_WAITS_MEMORY && !kernel->times_out) // others may write it, too
        call = (struct system_call){.one = "waits", .many = "wait"};
    call.name = kernel->call;
    return call;
}

bool
thread_communicates(const struct job_thread *thread)
{
    static const char *const progress[] = {"sched_yield", "opal_progress",
                                           "ompi_request_default_wait", "ompi_comm_nextcid"};
    for (size_t i = 0; i < thread->record->stack.count; i++) {
        const struct frame_record *frame = &thread->record->stack.items[i];
        enum runtime runtime = frame_runtime(frame);
        if (runtime != RUNTIME_C && runtime != RUNTIME_MPI)
            return false;
        for (size_t k = 0; frame->function && k < sizeof progress / sizeof *progress; k++)
            if (begins(runtime_plain_name(frame->function), progress[k]))
                return true;
    }
    return false;
}

/** The call that a function of the library is the work of: "mca_pml_ob1_recv" that of MPI_Recv, as
 * OMPIO calls it, "PMPI_Recv" as ROMIO does; NULL: none. */
static const struct mpi_call *
call_of_function(const char *function)
{
    static const char modules[] = "mca_pml_";
    static const struct {
        const char *work, *call;
    } works[] = {{"recv", "MPI_Recv"}, {"send", "MPI_Send"}};
    const char *work =
        begins(function, modules) ? strchr(function + sizeof modules - 1, '_') : NULL;
    for (size_t i = 0; work && i < sizeof works / sizeof *works; i++)
        if (strcmp(work + 1, works[i].work) == 0)
            return mpi_call_find(works[i].call);
    return mpi_call_find(function);
}

const struct mpi_call *
thread_inner_call(const struct job_thread *thread)
{
    for (size_t i = 0; i < thread->record->stack.count; i++) {
        const struct frame_record *frame = &thread->record->stack.items[i];
        enum runtime runtime = frame_runtime(frame);
        if (runtime != RUNTIME_C && runtime != RUNTIME_MPI)
            return NULL;
        const struct mpi_call *call = frame->function ? call_of_function(frame->function) : NULL;
        if (call)
            return call->waits == MPI_MESSAGES && !call->requests ? call : NULL;
    }
    return NULL;
}

/** Whether it is known for whom a thread waits, and that all of these are of the job. */
static bool
waits_outside(const struct job_index *job, const struct job_thread *thread)
{
    size_t count, others;
    const struct system_record *system = &thread->record->system;
    if (thread->record->holders.count + thread->record->partners.count == 0 ||
        (HAS(system, SYSTEM_TIMES_OUT) && system->times_out))
        return false;
    free(thread_holders(job, thread, &count, &others));
    return count > 0 && others == 0;
}

struct thread_activity
thread_activity_of(const struct job_index *job, const struct job_thread *thread)
{
    if (thread_waits_for_device(thread)) // which nobody of the job ends
        return (struct thread_activity){.doing = DOING_WORK};
    if (thread_waits_for_ranks(thread)) // which of them nobody knows
        return (struct thread_activity){.doing = DOING_UNKNOWN};
    if (thread->call) {
        struct thread_activity activity = in_call(thread->call);
        if (!activity.call && HAS(thread->record, THREAD_SYSTEM))
            activity.doing = waits_outside(job, thread)                ? DOING_OUTSIDE
                             : thread_system_call(thread).name != NULL ? DOING_WORK
                                                                       : activity.doing;
        if (activity.doing == DOING_OUTSIDE && !waits_outside(job, thread))
            activity.doing = DOING_UNKNOWN;
        return activity;
    }
    if (HAS(thread->record, THREAD_GIL_HOLDER))
        return (struct thread_activity){.doing = DOING_LOCK};
    enum doing state = in_state(job, thread);
    if (state != DOING_UNKNOWN)
        return (struct thread_activity){
            .doing = state, .guessed = state == DOING_LOCK && is_overhead(thread->openmp)};
    if (thread->record->stack.count == 0)
        return (struct thread_activity){
            .doing = HAS(thread->record, THREAD_SYSTEM) ? DOING_WORK : DOING_UNKNOWN};
    if (!HAS(thread->record, THREAD_FRAME) || report_helper(thread->record))
        return (struct thread_activity){.doing = thread->openmp ? DOING_IDLE : DOING_HELP};
    if (waits_outside(job, thread))
        return (struct thread_activity){.doing = DOING_OUTSIDE};
    return on_stack(thread);
}
