// SPDX-License-Identifier: BSD-3-Clause
// What a thread does.
#include "mqshow/verdict/thread_activity.h"

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
#define READS         "reads", "read", false
#define WRITES        "writes", "write", false
#define FILE_SYSTEM   "waits for a file system", "wait for a file system", false
#define FILE_LOCK     "waits for a file lock", "wait for a file lock", true
#define INPUT_OUTPUT  "waits for input or output", "wait for input or output", false
#define NETWORK       "waits for the network", "wait for the network", false
#define SLEEPS        "sleeps", "sleep", false
#define SIGNAL        "waits for a signal", "wait for a signal", true
#define CHILD         "waits for a child process", "wait for a child process", true
#define OTHER_PROCESS "waits for another process", "wait for another process", true
#define CALL(name, ...)   \
    {                     \
        name, __VA_ARGS__ \
    }
static const struct system_call outside[] = {CALL("read", READS),
                                             CALL("pread64", READS),
                                             CALL("pread", READS),
                                             CALL("readv", READS),
                                             CALL("fread", READS),
                                             CALL("getline", READS),
                                             CALL("fgets", READS),
                                             CALL("scanf", READS),
                                             CALL("write", WRITES),
                                             CALL("pwrite64", WRITES),
                                             CALL("pwrite", WRITES),
                                             CALL("writev", WRITES),
                                             CALL("fwrite", WRITES),
                                             CALL("fflush", WRITES),
                                             CALL("fsync", FILE_SYSTEM),
                                             CALL("fdatasync", FILE_SYSTEM),
                                             CALL("open", FILE_SYSTEM),
                                             CALL("open64", FILE_SYSTEM),
                                             CALL("openat", FILE_SYSTEM),
                                             CALL("close", FILE_SYSTEM),
                                             CALL("fopen", FILE_SYSTEM),
                                             CALL("fclose", FILE_SYSTEM),
                                             CALL("stat", FILE_SYSTEM),
                                             CALL("flock", FILE_LOCK),
                                             CALL("lockf", FILE_LOCK),
                                             CALL("fcntl", FILE_LOCK),
                                             CALL("fcntl64", FILE_LOCK),
                                             CALL("poll", INPUT_OUTPUT),
                                             CALL("ppoll", INPUT_OUTPUT),
                                             CALL("select", INPUT_OUTPUT),
                                             CALL("pselect", INPUT_OUTPUT),
                                             CALL("epoll_wait", INPUT_OUTPUT),
                                             CALL("ioctl", INPUT_OUTPUT),
                                             CALL("accept", NETWORK),
                                             CALL("connect", NETWORK),
                                             CALL("recv", NETWORK),
                                             CALL("recvfrom", NETWORK),
                                             CALL("recvmsg", NETWORK),
                                             CALL("send", NETWORK),
                                             CALL("sendto", NETWORK),
                                             CALL("sendmsg", NETWORK),
                                             CALL("sleep", SLEEPS),
                                             CALL("usleep", SLEEPS),
                                             CALL("nanosleep", SLEEPS),
                                             CALL("clock_nanosleep", SLEEPS),
                                             CALL("pause", SIGNAL),
                                             CALL("sigsuspend", SIGNAL),
                                             CALL("sigwait", SIGNAL),
                                             CALL("system", CHILD),
                                             CALL("wait", CHILD),
                                             CALL("waitpid", CHILD),
                                             CALL("wait4", CHILD),
                                             CALL("waitid", CHILD),
                                             CALL("msgrcv", OTHER_PROCESS)};

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

static struct thread_activity
in_call(const char *name)
{
    const struct mpi_call *call = mpi_call_find(name);
    if (!call || call->waits == MPI_NOTHING)
        return (struct thread_activity){.doing = mpi_call_polls(name) ? DOING_WORK : DOING_UNKNOWN};
    return (struct thread_activity){
        .doing = call->waits == MPI_COLLECTIVE ? DOING_COLLECTIVE : DOING_MESSAGES, .call = call};
}

/** From the functions that the user's code has called. */
static struct thread_activity
on_stack(const struct thread_record *thread)
{
    for (size_t i = 0; i < thread->stack.count; i++) {
        const char *function = thread->stack.items[i].function;
        enum runtime runtime = runtime_of(&thread->stack.items[i]);
        if (runtime == RUNTIME_MPI)
            return (struct thread_activity){.doing = DOING_UNKNOWN};
        if (runtime == RUNTIME_OPENMP)
            return (struct thread_activity){.doing = DOING_LOCK, .guessed = true};
        if (runtime == RUNTIME_C && function &&
            begins_with_one(function, waiting, sizeof waiting / sizeof *waiting))
            return (struct thread_activity){.doing = DOING_LOCK, .guessed = true};
        if (runtime == RUNTIME_NONE)
            break;
    }
    return (struct thread_activity){.doing = DOING_WORK};
}

/** From OpenMP's state of the thread; DOING_UNKNOWN: that says nothing. */
static enum doing
in_state(const struct job_index *job, const struct job_thread *thread)
{
    const mqs_omp_thread *openmp = thread->openmp;
    const struct openmp *omp = &job->processes[thread->process].report->omp;
    if (!openmp)
        return DOING_UNKNOWN;
    if (!*openmp->state_name)
        return (openmp->known & MQS_OMP_WAIT_ID) != 0 && openmp_symbolized(omp, openmp->wait_id)
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
thread_system_call(const struct job_thread *thread)
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

struct thread_activity
thread_activity_of(const struct job_index *job, const struct job_thread *thread)
{
    if (thread->call)
        return in_call(thread->call);
    enum doing state = in_state(job, thread);
    if (state != DOING_UNKNOWN)
        return (struct thread_activity){.doing = state};
    if (thread->record->stack.count == 0)
        return (struct thread_activity){.doing = DOING_UNKNOWN};
    if (!HAS(thread->record, THREAD_FRAME))
        return (struct thread_activity){.doing = thread->openmp ? DOING_IDLE : DOING_HELP};
    return on_stack(thread->record);
}
