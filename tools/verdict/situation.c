// SPDX-License-Identifier: BSD-3-Clause
// What a thread does.
#include "tools/verdict/situation.h"

#include "tools/verdict/member.h"

#include <string.h>

static const struct {
    const char *name;
    struct situation situation;
} calls[] = {
#define MESSAGES(name, any_, receives_, sends_, probes_) \
    {"MPI_" #name,                                       \
     {.doing = DOING_MESSAGES,                           \
      .any = any_,                                       \
      .receives = receives_,                             \
      .sends = sends_,                                   \
      .probes = probes_}},
#define COLLECTIVE(name, small, one_side_) \
    {"MPI_" #name, {.doing = DOING_COLLECTIVE, .one_side = one_side_, .collective = small}},
#define COMPOUND(name, small, one_side_) \
    {"MPI_" #name,                       \
     {.doing = DOING_COLLECTIVE, .one_side = one_side_, .compound = true, .collective = small}},
#include "tools/verdict/calls.def"
#undef MESSAGES
#undef COLLECTIVE
#undef COMPOUND
};

/** Beginnings of the names of calls that return whatever other processes do. */
static const char *const polling[] = {"MPI_Test",     "MPI_Iprobe", "MPI_Improbe", "MPI_Isend",
                                      "MPI_Irecv",    "MPI_Issend", "MPI_Ibsend",  "MPI_Irsend",
                                      "MPI_Imrecv",   "MPI_Start",  "MPI_Get_",    "MPI_Wtime",
                                      "MPI_Comm_get", "MPI_Type_",  "MPI_Pack",    "MPI_Unpack",
                                      "MPI_Ibcast",   "MPI_Iall",   "MPI_Ibarrier"};

enum module { MODULE_USER, MODULE_MPI, MODULE_OPENMP, MODULE_C };

/** Beginnings of the names of shared objects. */
static const struct {
    const char *name;
    enum module module;
} modules[] = {
    {"libgomp.", MODULE_OPENMP}, {"libomp.", MODULE_OPENMP},  {"libomp-", MODULE_OPENMP},
    {"libomp5", MODULE_OPENMP},  {"libiomp", MODULE_OPENMP},  {"libmpi", MODULE_MPI},
    {"libmpich", MODULE_MPI},    {"libopen-rte", MODULE_MPI}, {"libopen-pal", MODULE_MPI},
    {"libpmix", MODULE_MPI},     {"libucp.", MODULE_MPI},     {"libuct", MODULE_MPI},
    {"libucs.", MODULE_MPI},     {"libucm.", MODULE_MPI},     {"libfabric", MODULE_MPI},
    {"libpsm", MODULE_MPI},      {"mca_", MODULE_MPI},        {"libevent", MODULE_MPI},
    {"libc.", MODULE_C},         {"libc-", MODULE_C},         {"libpthread", MODULE_C},
    {"ld-linux", MODULE_C},      {"linux-vdso", MODULE_C},    {"ld-2", MODULE_C},
};

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

static enum module
module_of(const json_t *frame)
{
    const char *path = member_text(frame, "module");
    const char *name = path != NULL ? base_name(path) : "";
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        if (begins(name, modules[i].name))
            return modules[i].module;
    return MODULE_USER;
}

bool
situation_is_one_sided(const char *collective)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (calls[i].situation.collective != NULL &&
            strcmp(calls[i].situation.collective, collective) == 0)
            return calls[i].situation.one_side;
    return true;
}

static struct situation
in_call(const char *call)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strcmp(call, calls[i].name) == 0)
            return calls[i].situation;
    bool polls = begins_with_one(call, polling, sizeof polling / sizeof *polling);
    return (struct situation){.doing = polls ? DOING_WORK : DOING_UNKNOWN};
}

/** From the functions that the user's code has called. */
static struct situation
on_stack(const json_t *stack)
{
    size_t i;
    json_t *frame;
    json_array_foreach (stack, i, frame) {
        const char *function = member_text(frame, "function");
        enum module module = module_of(frame);
        if (module == MODULE_MPI)
            return (struct situation){.doing = DOING_UNKNOWN};
        if (module == MODULE_OPENMP)
            return (struct situation){.doing = DOING_LOCK, .guessed = true};
        if (module == MODULE_C && function != NULL &&
            begins_with_one(function, waiting, sizeof waiting / sizeof *waiting))
            return (struct situation){.doing = DOING_LOCK, .guessed = true};
        if (module == MODULE_USER)
            break;
    }
    return (struct situation){.doing = DOING_WORK};
}

/** From OpenMP's state of the thread; DOING_UNKNOWN: that says nothing. */
static enum doing
in_state(const json_t *openmp)
{
    const char *state = member_text(openmp, "state");
    if (state == NULL)
        return json_object_get(openmp, "waits_for") != NULL ? DOING_LOCK : DOING_UNKNOWN;
    if (strcmp(state, "idle") == 0)
        return DOING_IDLE;
    if (begins(state, "wait_barrier"))
        return DOING_BARRIER;
    return begins(state, "wait_") ? DOING_LOCK : DOING_UNKNOWN;
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
    if (thread->call != NULL)
        return NULL; // what MPI calls is no cause
    size_t i;
    json_t *frame;
    json_array_foreach (json_object_get(thread->json, "stack"), i, frame) {
        if (module_of(frame) != MODULE_C)
            break;
        function = member_text(frame, "function");
    }
    for (size_t k = 0; function != NULL && k < sizeof outside / sizeof *outside; k++)
        if (strcmp(plain_name(function), outside[k].name) == 0)
            return &outside[k];
    return NULL;
}

struct situation
situation_of(const struct jv_thread *thread)
{
    const json_t *stack = json_object_get(thread->json, "stack");
    if (thread->call != NULL)
        return in_call(thread->call);
    enum doing state = in_state(thread->openmp);
    if (state != DOING_UNKNOWN)
        return (struct situation){.doing = state};
    if (json_array_size(stack) == 0)
        return (struct situation){.doing = DOING_UNKNOWN};
    if (json_object_get(thread->json, "frame") == NULL)
        return (struct situation){.doing = thread->openmp != NULL ? DOING_IDLE : DOING_HELP};
    return on_stack(stack);
}
