// SPDX-License-Identifier: BSD-3-Clause
// What a thread does.
#include "mqshow/verdict/situation.h"

#include "mqshow/base/runtime.h"

#include <string.h>

/** Beginnings of the names of functions in which a thread waits for another one of its process. */
static const char *const waiting[] = {
    "pthread_mutex_lock", "__pthread_mutex_lock", "___pthread_mutex_lock", "__lll_lock_wait",
    "lll_lock_wait",      "pthread_cond_wait",    "__pthread_cond_wait",   "___pthread_cond_wait",
    "pthread_join",       "__pthread_join",       "___pthread_join",       "__pthread_clockjoin_ex",
    "pthread_barrier",    "__pthread_barrier",    "___pthread_barrier",    "sem_wait",
    "__sem_wait",         "__new_sem_wait",       "pthread_rwlock",        "__pthread_rwlock",
    "___pthread_rwlock",  "do_futex_wait",
};

/** Functions of the C library in which a thread waits for something outside of its job. */
static const struct system_call outside[] = {
    {"read", "reads", "read", false},
    {"pread64", "reads", "read", false},
    {"pread", "reads", "read", false},
    {"readv", "reads", "read", false},
    {"fread", "reads", "read", false},
    {"getline", "reads", "read", false},
    {"fgets", "reads", "read", false},
    {"scanf", "reads", "read", false},
    {"write", "writes", "write", false},
    {"pwrite64", "writes", "write", false},
    {"pwrite", "writes", "write", false},
    {"writev", "writes", "write", false},
    {"fwrite", "writes", "write", false},
    {"fflush", "writes", "write", false},
    {"fsync", "waits for a file system", "wait for a file system", false},
    {"fdatasync", "waits for a file system", "wait for a file system", false},
    {"open", "waits for a file system", "wait for a file system", false},
    {"open64", "waits for a file system", "wait for a file system", false},
    {"openat", "waits for a file system", "wait for a file system", false},
    {"close", "waits for a file system", "wait for a file system", false},
    {"fopen", "waits for a file system", "wait for a file system", false},
    {"fclose", "waits for a file system", "wait for a file system", false},
    {"stat", "waits for a file system", "wait for a file system", false},
    {"flock", "waits for a file lock", "wait for a file lock", true},
    {"lockf", "waits for a file lock", "wait for a file lock", true},
    {"fcntl", "waits for a file lock", "wait for a file lock", true},
    {"fcntl64", "waits for a file lock", "wait for a file lock", true},
    {"poll", "waits for input or output", "wait for input or output", false},
    {"ppoll", "waits for input or output", "wait for input or output", false},
    {"select", "waits for input or output", "wait for input or output", false},
    {"pselect", "waits for input or output", "wait for input or output", false},
    {"epoll_wait", "waits for input or output", "wait for input or output", false},
    {"ioctl", "waits for input or output", "wait for input or output", false},
    {"accept", "waits for the network", "wait for the network", false},
    {"connect", "waits for the network", "wait for the network", false},
    {"recv", "waits for the network", "wait for the network", false},
    {"recvfrom", "waits for the network", "wait for the network", false},
    {"recvmsg", "waits for the network", "wait for the network", false},
    {"send", "waits for the network", "wait for the network", false},
    {"sendto", "waits for the network", "wait for the network", false},
    {"sendmsg", "waits for the network", "wait for the network", false},
    {"sleep", "sleeps", "sleep", false},
    {"usleep", "sleeps", "sleep", false},
    {"nanosleep", "sleeps", "sleep", false},
    {"clock_nanosleep", "sleeps", "sleep", false},
    {"pause", "waits for a signal", "wait for a signal", true},
    {"sigsuspend", "waits for a signal", "wait for a signal", true},
    {"sigwait", "waits for a signal", "wait for a signal", true},
    {"system", "waits for a child process", "wait for a child process", true},
    {"wait", "waits for a child process", "wait for a child process", true},
    {"waitpid", "waits for a child process", "wait for a child process", true},
    {"wait4", "waits for a child process", "wait for a child process", true},
    {"waitid", "waits for a child process", "wait for a child process", true},
    {"msgrcv", "waits for another process", "wait for another process", true},
};

static bool
begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static bool
begins_with_one(const char *text, const char *const *starts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (begins(text, starts[i]))
            return true;
    return false;
}

static enum runtime
runtime_of(const struct frame_record *frame)
{
    return frame->module ? runtime_of_file(frame->module) : RUNTIME_NONE;
}

static struct situation
in_call(const char *name)
{
    const struct mpi_call *call = mpi_call_find(name);
    if (!call || call->waits == MPI_NOTHING)
        return (struct situation){.doing = mpi_call_polls(name) ? DOING_WORK : DOING_UNKNOWN};
    return (struct situation){
        .doing = call->waits == MPI_COLLECTIVE ? DOING_COLLECTIVE : DOING_MESSAGES, .call = call};
}

/** From the functions that the user's code has called. */
static struct situation
on_stack(const struct thread_record *thread)
{
    for (size_t i = 0; i < thread->stack.count; i++) {
        const char *function = thread->stack.items[i].function;
        enum runtime runtime = runtime_of(&thread->stack.items[i]);
        if (runtime == RUNTIME_MPI)
            return (struct situation){.doing = DOING_UNKNOWN};
        if (runtime == RUNTIME_OPENMP)
            return (struct situation){.doing = DOING_LOCK, .guessed = true};
        if (runtime == RUNTIME_C && function &&
            begins_with_one(function, waiting, sizeof waiting / sizeof *waiting))
            return (struct situation){.doing = DOING_LOCK, .guessed = true};
        if (runtime == RUNTIME_NONE)
            break;
    }
    return (struct situation){.doing = DOING_WORK};
}

/** From OpenMP's state of the thread; DOING_UNKNOWN: that says nothing. */
static enum doing
in_state(const struct jobview *view, const struct jv_thread *thread)
{
    const mqs_omp_thread *openmp = thread->openmp;
    const struct openmp *omp = &view->processes[thread->process].report->omp;
    if (!openmp)
        return DOING_UNKNOWN;
    if (!*openmp->state_name)
        return (openmp->known & MQS_OMP_WAIT_ID) != 0 && openmp_place(omp, openmp->wait_id)
                   ? DOING_LOCK
                   : DOING_UNKNOWN;
    if (strcmp(openmp->state_name, "idle") == 0)
        return DOING_IDLE;
    if (begins(openmp->state_name, "wait_barrier"))
        return DOING_BARRIER;
    return begins(openmp->state_name, "wait_") ? DOING_LOCK : DOING_UNKNOWN;
}

/** A name without what the C library puts before it for itself. */
static const char *
plain_name(const char *name)
{
    static const char *const starts[] = {"GI_", "libc_", "IO_"};
    name += strspn(name, "_");
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (begins(name, starts[i]))
            return plain_name(name + strlen(starts[i]));
    return name;
}

const struct system_call *
situation_system_call(const struct jv_thread *thread)
{
    const char *function = NULL; // that the user's code has called
    if (thread->call)
        return NULL; // what MPI calls is no cause
    for (size_t i = 0; i < thread->record->stack.count; i++) {
        if (runtime_of(&thread->record->stack.items[i]) != RUNTIME_C)
            break;
        function = thread->record->stack.items[i].function;
    }
    for (size_t k = 0; function && k < sizeof outside / sizeof *outside; k++)
        if (strcmp(plain_name(function), outside[k].name) == 0)
            return &outside[k];
    return NULL;
}

struct situation
situation_of(const struct jobview *view, const struct jv_thread *thread)
{
    if (thread->call)
        return in_call(thread->call);
    enum doing state = in_state(view, thread);
    if (state != DOING_UNKNOWN)
        return (struct situation){.doing = state};
    if (thread->record->stack.count == 0)
        return (struct situation){.doing = DOING_UNKNOWN};
    if (!HAS(thread->record, THREAD_FRAME))
        return (struct situation){.doing = thread->openmp ? DOING_IDLE : DOING_HELP};
    return on_stack(thread->record);
}
